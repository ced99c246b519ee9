"""Sorting inside kernels, in a few lines: numba takes up to a second to compile `np.sort` or `np.argsort` each time."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit


@njit
def sort_first(values: Int32s | Int64s, n: int) -> None:
    """Put the first n values in order: by insertion, at steps that become smaller."""
    step = 1
    while step < n // 3:
        step = 3 * step + 1
    while step > 0:
        for index in range(step, n):
            value, slot = values[index], index
            while slot >= step and values[slot - step] > value:
                values[slot] = values[slot - step]
                slot -= step
            values[slot] = value
        step //= 3


@njit
def order_by(keys: Int64s | Float64s) -> Int64s:
    """Positions by rising key, equal ones as they are: sorted stretches are merged to longer ones."""
    n = len(keys)
    order, merged = np.arange(n), np.empty(n, np.int64)
    width = 1
    while width < n:
        for begin in range(0, n, 2 * width):
            left, right = begin, min(begin + width, n)
            middle, end = right, min(begin + 2 * width, n)
            for index in range(begin, end):
                if left < middle and (right == end or keys[order[left]] <= keys[order[right]]):
                    merged[index] = order[left]
                    left += 1
                else:
                    merged[index] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order
