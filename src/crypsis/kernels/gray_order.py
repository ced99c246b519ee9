"""Gray order of sets: neighbours differ in few items.

Record r is items[offsets[r]:offsets[r + 1]], ascending; offsets int64, items int32. At the first item where two records
differ, the one that has it comes later if they share an even number of items before it, and earlier if an odd number.
"""

from __future__ import annotations

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s


@njit
def _precedes_or_equals(offsets: Int64s, items: Int32s, one: int, other: int) -> bool:
    start, other_start = offsets[one], offsets[other]
    length, other_length = offsets[one + 1] - start, offsets[other + 1] - other_start
    common = 0
    while common < length and common < other_length and items[start + common] == items[other_start + common]:
        common += 1
    if common == length and common == other_length:
        return True
    one_has = common < length and (common == other_length or items[start + common] < items[other_start + common])
    return bool(one_has == (common % 2 == 1))


@njit
def gray_order(offsets: Int64s, items: Int32s) -> Int64s:
    """Record numbers in Gray order, equal records in input order: a merge sort."""
    n_records = len(offsets) - 1
    order = np.arange(n_records)
    merged = np.empty(n_records, np.int64)
    width = 1
    while width < n_records:
        for start in range(0, n_records, 2 * width):
            middle = min(start + width, n_records)
            end = min(start + 2 * width, n_records)
            left, right = start, middle
            for place in range(start, end):
                if left < middle and (right >= end or _precedes_or_equals(offsets, items, order[left], order[right])):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order
