"""The order of ragged rows as lists compare: element by element, a prefix before what it begins.

Row r is ranks[offsets[r]:offsets[r + 1]]; offsets int64, ranks int32.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def _precedes_or_equals(offsets: Int64s, ranks: Int32s, one: int, other: int) -> bool:
    """Return whether a row stands before another or equals it."""
    start, other_start = offsets[one], offsets[other]
    length, other_length = offsets[one + 1] - start, offsets[other + 1] - other_start
    for position in range(min(length, other_length)):
        if ranks[start + position] != ranks[other_start + position]:
            return bool(ranks[start + position] < ranks[other_start + position])
    return bool(length <= other_length)


@njit
def sorted_rows(offsets: Int64s, ranks: Int32s) -> Int64s:
    """Row numbers in ascending order of their rows, equal rows in input order: a merge sort."""
    n_rows = len(offsets) - 1
    order = np.arange(n_rows)
    merged = np.empty(n_rows, np.int64)
    width = 1
    while width < n_rows:
        for start in range(0, n_rows, 2 * width):
            middle = min(start + width, n_rows)
            end = min(start + 2 * width, n_rows)
            left, right = start, middle
            for index in range(start, end):
                if left < middle and (right >= end or _precedes_or_equals(offsets, ranks, order[left], order[right])):
                    merged[index] = order[left]
                    left += 1
                else:
                    merged[index] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order
