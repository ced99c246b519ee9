"""Positions by the group they belong to, by counting: group[p] is the group of position p."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.compilation import njit


@njit
def grouped(group: Int64s, n_groups: int) -> tuple[Int64s, Int64s]:
    """Positions by group, those of a group in order, and the offsets of the groups."""
    offsets = np.zeros(n_groups + 1, np.int64)
    for index in range(len(group)):
        offsets[group[index] + 1] += 1
    for index in range(n_groups):
        offsets[index + 1] += offsets[index]
    filled = offsets[:-1].copy()
    order = np.empty(len(group), np.int64)
    for index in range(len(group)):
        order[filled[group[index]]] = index
        filled[group[index]] += 1
    return order, offsets
