"""Rows of several columns of codes, as one number each: their rank, and the order that sorts them.

Columns are joined to one number per row as long as 64 bits hold it; what does not fit is ranked first. So a million
rows are sorted once or twice, however many columns they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crypsis.arrays import Int64s

_LARGEST_KEY = 1 << 62
_KEYS_PER_ROW = 4


def rank_rows(columns: Sequence[np.ndarray[Any, Any]], rows: int) -> Int64s:
    """The rank of every row among the distinct ones, from 0 without gaps; 0 everywhere where there are no columns."""
    return _ranked(*_joined(columns, rows))


def order_rows(columns: Sequence[np.ndarray[Any, Any]], rows: int) -> Int64s:
    """Row numbers by the first column, then by the next; equal rows stay as they come."""
    keys, _ = _joined(columns, rows)
    order: Int64s = np.argsort(keys, kind="stable")
    return order


def occurring(codes: np.ndarray[Any, Any], size: int) -> Int64s:
    """The codes from 0 to size - 1 that occur, ascending."""
    occurs = np.zeros(size, np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs)


def _joined(columns: Sequence[np.ndarray[Any, Any]], rows: int) -> tuple[Int64s, int]:
    """A number for each row, in the order of the rows, and a bound that all of them are below."""
    keys, different = np.zeros(rows, np.int64), 1
    for codes in columns:
        low = int(codes.min(initial=0))
        width = int(codes.max(initial=0)) - low + 1
        if different * width >= _LARGEST_KEY:  # ranked, the keys so far are at most as many as rows
            keys, different = _ranked(keys, different), max(rows, 1)
        keys = keys * width
        keys += codes
        if low:
            keys -= low
        different *= width
    return keys, different


def _ranked(keys: Int64s, different: int) -> Int64s:
    """The rank of each key, which is below `different`, among those that occur."""
    if different > _KEYS_PER_ROW * len(keys):
        return np.unique(keys, return_inverse=True)[1].astype(np.int64, copy=False)
    occurs = np.zeros(different, np.bool_)  # so few keys are ranked without sorting
    occurs[keys] = True
    ranks: Int64s = (np.cumsum(occurs) - 1)[keys]
    return ranks
