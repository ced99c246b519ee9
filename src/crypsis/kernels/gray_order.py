"""Gray order of sets: neighbours differ in few items.

Record r is items[offsets[r]:offsets[r + 1]], ascending; offsets int64, items int32. At the first item where two records
differ, the one that has it comes later if they share an even number of items before it, and earlier if an odd number.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.kernels.row_order import sorted_rows


def gray_order(offsets: Int64s, items: Int32s) -> Int64s:
    """Record numbers in Gray order, equal records in input order."""
    return sorted_rows(*gray_lists(offsets, items, int(items.max(initial=0))))


def gray_lists(offsets: Int64s, items: Int32s, highest: int) -> tuple[Int64s, Int32s]:
    """Records as lists whose order is their Gray order; no item is above `highest`.

    Written as the list of its items, lower ones as larger numbers and every second one negated, a record is ordered as
    a list; what ends after an odd number of items comes behind everything that goes on.
    """
    lengths = np.diff(offsets)
    listed_offsets = offsets_of(lengths + lengths % 2)
    record = np.repeat(np.arange(len(lengths)), lengths)
    index = np.arange(len(items)) - offsets[:-1][record]
    bit = highest + 1 - items  # from 1 on, so that none is its own negative
    listed = np.ones(int(listed_offsets[-1]), np.int32)  # the mark behind an odd number of items, above all negatives
    listed[listed_offsets[:-1][record] + index] = np.where(index % 2 == 0, bit, -bit)
    return listed_offsets, listed


def items_of_lists(offsets: Int64s, listed: Int32s, highest: int) -> tuple[Int64s, Int32s]:
    """The records that such lists were written of."""
    record = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    place = np.arange(len(listed)) - offsets[:-1][record]
    held = (place % 2 == 0) | (listed < 0)
    items = highest + 1 - np.abs(listed[held])
    return offsets_of(np.bincount(record[held], minlength=len(offsets) - 1)), items.astype(np.int32)
