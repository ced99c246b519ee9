"""Searching runs of ascending values."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from crypsis.compilation import njit


@njit
def first_not_below(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The first of the ascending `values[low:high]` that is not below the one wanted; `high` where all are."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
