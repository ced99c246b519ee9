"""The value at a position of sorted whole numbers, found by halving what lies between the lowest and the highest.

Sorting in a kernel takes a second to compile; this takes a tenth, and reads the numbers once for every bit of the span.
"""

from __future__ import annotations

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def sorted_at(values: Int32s | Int64s, wanted: int, low: int, high: int) -> int:
    """The number that stands at `wanted`, from 0, when they are sorted; all of them lie from `low` to `high`."""
    while low < high:
        middle = low + (high - low) // 2
        below = 0
        for value in values:
            below += value <= middle
        if below > wanted:
            high = middle
        else:
            low = middle + 1
    return low
