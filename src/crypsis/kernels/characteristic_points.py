"""Characteristic points of tracks: ends, turns, stops, and a fix now and then on long straight ways.

Track r has the fixes offsets[r]:offsets[r + 1] of x, y and t; offsets int64, the others float64. Fixes are marked.
"""

from __future__ import annotations

import math

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.compilation import njit

TOLERANCE = 1e-9


@njit
def reaches(value: float, limit: float) -> bool:
    """`value >= limit`, forgiving what rounding may take away."""
    return value >= limit - TOLERANCE * max(1.0, abs(limit))


@njit
def characteristic_points(
    offsets: Int64s,
    x: Float64s,
    y: Float64s,
    t: Float64s,
    min_angle: float,
    min_stop: float,
    max_distance: float,
    min_distance: float,
) -> Bools:
    """Mark the fixes that say where a track turns, stops or has gone far since the last marked one."""
    marked = np.zeros(len(x), np.bool_)
    for track in range(len(offsets) - 1):
        start = offsets[track]
        last = offsets[track + 1] - 1
        if last < start:
            continue
        marked[start] = True
        marked[last] = True
        kept = start
        here = start + 1
        while here < last:
            if reaches(math.hypot(x[here] - x[kept], y[here] - y[kept]), max_distance):
                marked[here] = True
                kept = here
                here += 1
                continue
            ahead = here + 1
            while ahead <= last and not reaches(math.hypot(x[ahead] - x[here], y[ahead] - y[here]), min_distance):
                ahead += 1
            if ahead > last:
                break
            if ahead > here + 1:  # it lingered
                if reaches(t[ahead - 1] - t[here], min_stop):
                    marked[here] = True
                    kept = here
                    here = ahead
                    continue
                here += (ahead - 1 - here) // 2
            if reaches(_turn(x, y, kept, here, ahead), min_angle):
                marked[here] = True
                kept = here
                here = ahead
            else:
                here += 1
    return marked


@njit
def _turn(x: Float64s, y: Float64s, before: int, here: int, after: int) -> float:
    """Degrees between the way to a fix and the way on from it; 0 where one of them has no direction."""
    in_x = x[here] - x[before]
    in_y = y[here] - y[before]
    out_x = x[after] - x[here]
    out_y = y[after] - y[here]
    if (in_x == 0.0 and in_y == 0.0) or (out_x == 0.0 and out_y == 0.0):
        return 0.0  # asked for, because a product of zeros may be -0.0, and that is half a turn
    cross = in_x * out_y - in_y * out_x
    dot = in_x * out_x + in_y * out_y
    return math.degrees(math.atan2(abs(cross), dot))
