"""Rows on their way down a tree of splits: which node each reaches, and what the rows of a node hold.

`codes` as in `attribute_costs`. Node v splits on attribute `attribute_of[v]`, and a row with code c goes on to the node
`lookup[lookup_start[v] + c + 1]`; a node with attribute -1 is where rows stay. Node 0 is the root.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def route_rows(codes: Int32s, attribute_of: Int64s, lookup_start: Int64s, lookup: Int32s) -> Int32s:
    """The node that each row reaches."""
    reached = np.empty(len(codes), np.int32)
    for row in range(len(codes)):
        node = 0
        while attribute_of[node] >= 0:
            node = lookup[lookup_start[node] + codes[row, attribute_of[node]] + 1]
        reached[row] = node
    return reached


@njit
def count_codes(codes: Int32s, slot_of_row: Int64s, n_slots: int, start: Int64s) -> Int64s:
    """`counts[s, start[a] + c + 1]` rows of slot s have code c in attribute a; slot -1 is not counted."""
    counts = np.zeros((n_slots, start[-1]), np.int64)
    for row in range(len(codes)):
        slot = slot_of_row[row]
        if slot >= 0:
            for attribute in range(codes.shape[1]):
                counts[slot, start[attribute] + codes[row, attribute] + 1] += 1
    return counts


@njit
def count_secrets(sensitive: Int32s, part_of_row: Int64s, n_parts: int, start: Int64s) -> Int64s:
    """By part and sensitive value, in the same layout; missing values are the first of their column."""
    return count_codes(sensitive, part_of_row, n_parts, start)
