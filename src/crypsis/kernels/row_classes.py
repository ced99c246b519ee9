"""Which rows of a matrix of codes are equal: numbers classes in the order of their first rows.

Row r of a matrix of non-negative int32 codes is `codes[r]`; a hash table of row numbers is compared exactly.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@njit
def row_classes(codes: Int32s) -> tuple[Int64s, Int64s]:
    """The class of every row, and the first row of every class."""
    n_rows, n_columns = codes.shape
    size = 16
    while size < 2 * n_rows:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int64)
    class_of = np.empty(n_rows, np.int64)
    first = np.empty(n_rows, np.int64)
    n_classes = 0
    for row in range(n_rows):
        key = np.uint64(n_columns)
        for column in range(n_columns):
            key = (key ^ np.uint64(np.int64(codes[row, column]) + 1)) * _MULTIPLIER
            key ^= key >> np.uint64(29)
        slot = np.int64(key & mask)
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = n_classes
                first[n_classes] = row
                class_of[row] = n_classes
                n_classes += 1
                break
            other = first[found]
            same = True
            for column in range(n_columns):
                if codes[row, column] != codes[other, column]:
                    same = False
                    break
            if same:
                class_of[row] = found
                break
            slot = (slot + 1) & (size - 1)
    return class_of, first[:n_classes].copy()
