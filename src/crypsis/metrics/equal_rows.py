"""Which rows of flat arrays are equal: row r is codes[offsets[r]:offsets[r + 1]]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int64s


def row_numbers(offsets: Int64s, codes: NDArray[np.integer[Any]]) -> Int64s:
    """A number for each row, such that two rows have the same number if and only if they are equal."""
    lengths = np.diff(offsets)
    numbers = np.zeros(len(lengths), np.int64)
    n_codes = int(codes.max(initial=-1)) + 1
    used = 1  # number 0 is the empty row
    rows = np.flatnonzero(lengths > 0)
    position = 0
    while len(rows):
        # What a row is up to this position is told by its number so far and the next code.
        so_far = numbers[rows] * n_codes + codes[offsets[rows] + position]
        distinct, ranks = np.unique(so_far, return_inverse=True)
        numbers[rows] = used + ranks
        used += len(distinct)
        position += 1
        rows = rows[lengths[rows] > position]
    return numbers
