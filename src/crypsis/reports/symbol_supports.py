"""Support of published symbols: in how many rows each occurs."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s


def symbol_supports(offsets: Int64s, codes: Int32s, n_symbols: int) -> Int64s:
    """Count the rows that hold each symbol; repeats inside a row count once."""
    n_rows = len(offsets) - 1
    row_of_visit = np.repeat(np.arange(n_rows, dtype=np.int64), np.diff(offsets))
    keys = codes.astype(np.int64) * n_rows + row_of_visit
    keys.sort()  # then equal keys are neighbours; np.unique hashes and takes far longer
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return np.bincount(keys[first] // max(n_rows, 1), minlength=n_symbols).astype(np.int64)
