"""How many people have each set of doublets of one size, recounted from the published rows alone.

Row r is codes[offsets[r]:offsets[r + 1]], ascending and distinct; held[r, 0] people have it, held[r, 1 + token] of them
the token. A set is written as a number in base `n_doublets`; every set of every row is listed and added up in a table
of open addressing. Nothing is sampled, pruned or skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.compilation import njit

_GOLDEN = 0x9E3779B97F4A7C15


def subset_supports(
    offsets: Int64s, codes: Int64s, held: Int64s, size: int, lowest: int, highest: int, n_doublets: int
) -> tuple[Int64s, Int64s]:
    """The sets whose first doublet is in [lowest, highest), as ascending numbers, and what is held of each."""
    table = _counted(offsets, codes, held, size, lowest, highest, n_doublets)
    table = table[table[:, 0] >= 0]
    table = table[np.argsort(table[:, 0])]
    return table[:, 0], table[:, 1:]


@njit
def _counted(
    offsets: Int64s, codes: Int64s, held: Int64s, size: int, lowest: int, highest: int, n_doublets: int
) -> Int64s:
    """Rows of a number (-1: free) and its sums, in no order."""
    width = held.shape[1]
    table = _empty(1 << 12, width)
    used = 0
    place = np.zeros(size, np.int64)
    number = np.zeros(size, np.int64)  # of the doublets up to each
    for row in range(len(offsets) - 1):
        start, length = offsets[row], offsets[row + 1] - offsets[row]
        for first in range(length - size + 1):
            if codes[start + first] < lowest:
                continue
            if codes[start + first] >= highest:
                break
            place[0] = first
            number[0] = codes[start + first]
            for element in range(1, size):
                place[element] = place[element - 1] + 1
                number[element] = number[element - 1] * n_doublets + codes[start + place[element]]
            while True:
                key = number[size - 1]
                at = _found(table, key)
                if table[at, 0] < 0:
                    if 2 * used >= len(table):
                        table = _grown(table)
                        at = _found(table, key)
                    table[at, 0] = key
                    used += 1
                for column in range(width):
                    table[at, 1 + column] += held[row, column]
                element = size - 1
                while element > 0 and place[element] == length - size + element:
                    element -= 1
                if element == 0:
                    break
                place[element] += 1
                number[element] = number[element - 1] * n_doublets + codes[start + place[element]]
                for after in range(element + 1, size):
                    place[after] = place[after - 1] + 1
                    number[after] = number[after - 1] * n_doublets + codes[start + place[after]]
    return table


@njit
def _empty(entries: int, width: int) -> Int64s:
    """Return a table of subsets without any."""
    table = np.zeros((entries, 1 + width), np.int64)
    table[:, 0] = -1
    return table


@njit
def _found(table: Int64s, key: Any) -> np.uint64:
    """Where a number stands, or the free place where it belongs."""
    mask = np.uint64(len(table) - 1)
    mixed = np.uint64(key) * np.uint64(_GOLDEN)
    at = (mixed ^ (mixed >> np.uint64(29))) & mask
    while table[at, 0] >= 0 and table[at, 0] != key:
        at = (at + np.uint64(1)) & mask
    return at


@njit
def _grown(table: Int64s) -> Int64s:
    """The table with four times the places."""
    wider = _empty(4 * len(table), table.shape[1] - 1)
    for at in range(len(table)):
        if table[at, 0] >= 0:
            wider[_found(wider, table[at, 0])] = table[at]
    return wider
