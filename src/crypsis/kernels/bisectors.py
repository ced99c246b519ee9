"""Do two Voronoi cells share a boundary? Decided on the bisector of their generators, without building the diagram.

Generator g lies at x[g], y[g]. The bisector of a and b is m + t * n, with m their middle and n the perpendicular of
b - a of the same length; every other generator bounds t by one linear inequality. The cells are neighbours iff the
part of [-1e9, 1e9] that remains is longer than 1e-9.
"""

from __future__ import annotations

import math

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.compilation import njit

FARTHEST = 1e9
SHORTEST = 1e-9


@njit
def share_a_boundary(x: Float64s, y: Float64s, first: Int64s, second: Int64s, near: Int64s, reach: Float64s) -> Bools:
    """For each pair: whether its cells share a boundary of positive length.

    `near[p]` are the generators nearest to the middle of pair p and `reach[p]` the distance up to which they are all
    of them: most pairs are decided by these alone.
    """
    shared = np.zeros(len(first), np.bool_)
    for pair in range(len(first)):
        a = first[pair]
        b = second[pair]
        middle_x = (x[a] + x[b]) / 2
        middle_y = (y[a] + y[b]) / 2
        along_x = -(y[b] - y[a])
        along_y = x[b] - x[a]
        length = math.hypot(along_x, along_y)
        own = ((x[a] - middle_x) ** 2) + ((y[a] - middle_y) ** 2)
        low = -FARTHEST
        high = FARTHEST
        for index in range(near.shape[1]):
            other = near[pair, index]
            if other != a and other != b:
                low, high = _bounded(x[other] - middle_x, y[other] - middle_y, along_x, along_y, own, low, high)
                if not high - low > SHORTEST:
                    break
        if not high - low > SHORTEST:
            continue
        # A generator can bound t further only from inside the circles around the two ends through a and b.
        ends = max(abs(low), abs(high)) * length
        if ends + math.hypot(ends, math.sqrt(own)) > reach[pair] * (1 - 1e-6):
            for other in range(len(x)):
                if other != a and other != b:
                    low, high = _bounded(x[other] - middle_x, y[other] - middle_y, along_x, along_y, own, low, high)
                    if not high - low > SHORTEST:
                        break
        shared[pair] = high - low > SHORTEST
    return shared


@njit
def _bounded(
    dx: float, dy: float, along_x: float, along_y: float, own: float, low: float, high: float
) -> tuple[float, float]:
    """The interval after one more generator, which lies at (dx, dy) from the middle."""
    slope = 2 * (along_x * dx + along_y * dy)
    room = dx * dx + dy * dy - own
    if slope > 0:
        return low, min(high, room / slope)
    if slope < 0:
        return max(low, room / slope), high
    return (low, high) if room >= 0 else (0.0, 0.0)
