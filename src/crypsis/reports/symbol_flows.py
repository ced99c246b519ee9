"""How many published rows go directly from one symbol to another."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s


def symbol_flows(offsets: Int64s, codes: Int32s, n_symbols: int) -> Int64s:
    """Columns origin, target and rows, for every direct move that some row makes; each row counts once."""
    if len(codes) < 2:
        return np.zeros((0, 3), np.int64)
    origin, target = codes[:-1].astype(np.int64), codes[1:].astype(np.int64)
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    moves = (row[:-1] == row[1:]) & (origin != target)
    pair = origin[moves] * n_symbols + target[moves]
    distinct = np.unique(np.column_stack((pair, row[:-1][moves])), axis=0)
    pair, rows = np.unique(distinct[:, 0], return_counts=True)
    return np.column_stack((pair // n_symbols, pair % n_symbols, rows)).astype(np.int64)
