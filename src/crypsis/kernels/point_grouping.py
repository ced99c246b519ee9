"""Grouping of points in their order: each joins the group with the nearest mean, or opens one.

Point p lies at x[p], y[p] (float64). Means are filed in a hash of square cells one radius wide, so that only the nine
cells around a point are searched; two cells may share a list, which costs time and changes nothing.
"""

from __future__ import annotations

import math

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit

TOLERANCE = 1e-9
_MOST_CELLS_ACROSS = 2.0**30
_NOBODY = -1


@njit
def group_points(x: Float64s, y: Float64s, radius: float) -> tuple[Float64s, Float64s]:
    """The means of the groups, in the order in which they were opened."""
    n = len(x)
    if n == 0:
        return np.zeros(0), np.zeros(0)
    west = x.min()
    south = y.min()
    limit = radius + TOLERANCE * max(1.0, radius)
    extent = max(x.max() - west, y.max() - south)
    # Ties lie within two tolerances beyond the radius; the rest is room for rounding.
    width = max(1.001 * (radius + 4 * TOLERANCE * max(1.0, radius)), extent / _MOST_CELLS_ACROSS)
    slots = 16
    while slots < 2 * n:
        slots *= 2
    first = np.full(slots, _NOBODY, np.int32)
    following = np.empty(n, np.int32)
    preceding = np.empty(n, np.int32)
    slot_of = np.empty(n, np.int64)
    sum_x = np.empty(n)
    sum_y = np.empty(n)
    size = np.zeros(n, np.int64)
    mean_x = np.empty(n)
    mean_y = np.empty(n)
    groups = 0
    for point in range(n):
        column = math.floor((x[point] - west) / width)
        row = math.floor((y[point] - south) / width)
        nearest = math.inf
        for dx in range(-1, 2):
            for dy in range(-1, 2):
                group = first[_slot(column + dx, row + dy, slots)]
                while group != _NOBODY:
                    distance = math.hypot(x[point] - mean_x[group], y[point] - mean_y[group])
                    nearest = min(nearest, distance)
                    group = following[group]
        if nearest <= limit:
            tied = nearest + TOLERANCE * max(1.0, nearest)
            chosen = groups
            for dx in range(-1, 2):
                for dy in range(-1, 2):
                    group = first[_slot(column + dx, row + dy, slots)]
                    while group != _NOBODY:
                        if group < chosen:
                            if math.hypot(x[point] - mean_x[group], y[point] - mean_y[group]) <= tied:
                                chosen = group
                        group = following[group]
            sum_x[chosen] += x[point]
            sum_y[chosen] += y[point]
            size[chosen] += 1
        else:
            chosen = groups
            groups += 1
            sum_x[chosen] = x[point]
            sum_y[chosen] = y[point]
            size[chosen] = 1
            slot_of[chosen] = _NOBODY
        mean_x[chosen] = sum_x[chosen] / size[chosen]
        mean_y[chosen] = sum_y[chosen] / size[chosen]
        slot = _slot(
            math.floor((mean_x[chosen] - west) / width),
            math.floor((mean_y[chosen] - south) / width),
            slots,
        )
        _file(first, following, preceding, slot_of, chosen, slot)
    return mean_x[:groups].copy(), mean_y[:groups].copy()


@njit
def _slot(column: int, row: int, slots: int) -> int:
    """Return the slot of a cell of the grid in the table of groups."""
    mixed = column * 73_856_093 ^ row * 19_349_663
    return (mixed ^ (mixed >> 17)) & (slots - 1)


@njit
def _file(first: Int32s, following: Int32s, preceding: Int32s, slot_of: Int64s, group: int, slot: int) -> None:
    """Move a group to the list of its slot."""
    if slot_of[group] == slot:
        return
    if slot_of[group] != _NOBODY:
        before = preceding[group]
        after = following[group]
        if before == _NOBODY:
            first[slot_of[group]] = after
        else:
            following[before] = after
        if after != _NOBODY:
            preceding[after] = before
    following[group] = first[slot]
    preceding[group] = _NOBODY
    if first[slot] != _NOBODY:
        preceding[first[slot]] = group
    first[slot] = group
    slot_of[group] = slot
