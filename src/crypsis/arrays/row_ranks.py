"""Rows of several columns of codes, as one number each: their rank, the order that sorts them, how often they occur.

Columns are joined to one number per row as long as it can be sorted with the number of its row behind it, in 64 bits;
what does not fit is ranked first. So a million rows are sorted once or twice, however many columns they have.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int64s

_LARGEST_KEY = 1 << 62
_KEYS_PER_ROW = 4


def rank_rows(columns: Iterable[np.ndarray[Any, Any]], rows: int) -> Int64s:
    """The rank of every row among the distinct ones, from 0 without gaps; 0 everywhere where there are no columns."""
    return _ranked(*_joined(columns, rows))


def order_rows(columns: Iterable[np.ndarray[Any, Any]], rows: int) -> Int64s:
    """Row numbers by the first column, then by the next; equal rows stay as they come.

    Where few rows are equal in the first columns only these are sorted by the rest.
    """
    keys, different, others = np.zeros(rows, np.int64), 1, iter(columns)
    for codes in others:
        low, width = _span(codes)
        if different > 1 and different * width >= _LARGEST_KEY >> _bits(rows):
            ascending, order = _ordered(keys, different)
            group = np.cumsum(_changes(ascending)) - 1
            tied = np.flatnonzero(np.bincount(group)[group] > 1)
            if 2 * len(tied) < rows:
                held = order[tied]
                rest = (more[held] for more in chain([codes], others))
                order[tied] = held[order_rows(chain([group[tied]], rest), len(tied))]
                return order
            keys[order] = group
            different = int(group[-1]) + 1
        keys, different = _with_column(keys, codes, low, width), different * width
    return _order(keys, different)


def count_rows(columns: Iterable[np.ndarray[Any, Any]], rows: int) -> Int64s:
    """How often each distinct row occurs, in the order of `rank_rows`."""
    return count_keys(_joined(columns, rows)[0])[1]


def count_single_rows(columns: Iterable[np.ndarray[Any, Any]], rows: int) -> int:
    """How many rows there are that no other is like."""
    keys, different = _joined(columns, rows)
    if different < _KEYS_PER_ROW * rows:  # counted without sorting
        return int(np.count_nonzero(np.bincount(keys) == 1))
    begins = _changes(np.sort(keys))
    return int(np.count_nonzero(begins[:-1] & begins[1:])) + int(begins[-1]) if rows else 0


def count_keys(keys: Int64s) -> tuple[Int64s, Int64s]:
    """The numbers that occur, ascending, and how often each does."""
    if len(keys) and 0 <= int(keys.min()) and int(keys.max()) < _KEYS_PER_ROW * len(keys):  # counted without sorting
        counts = np.bincount(keys)
        occurring = np.flatnonzero(counts)
        return occurring, counts[occurring]
    ascending = np.sort(keys)
    starts = np.flatnonzero(_changes(ascending))
    return ascending[starts], np.diff(np.append(starts, len(keys)))


def occurring(codes: np.ndarray[Any, Any], size: int) -> Int64s:
    """The codes from 0 to size - 1 that occur, ascending."""
    occurs = np.zeros(size, np.bool_)
    occurs[codes] = True
    return np.flatnonzero(occurs)


def _joined(columns: Iterable[np.ndarray[Any, Any]], rows: int) -> tuple[Int64s, int]:
    """A number for each row, in the order of the rows, and a bound that all of them are below."""
    keys, different = np.zeros(rows, np.int64), 1
    largest = _LARGEST_KEY >> _bits(rows)
    for codes in columns:
        low, width = _span(codes)
        if different > 1 and different * width >= largest:  # ranked, the keys so far are at most as many as rows
            keys = _ranked(keys, different)
            different = int(keys.max(initial=0)) + 1
        keys, different = _with_column(keys, codes, low, width), different * width
    return keys, different


def _span(codes: np.ndarray[Any, Any]) -> tuple[int, int]:
    """The lowest code or 0, and how many codes there are from it to the highest."""
    low = int(codes.min(initial=0))
    return low, int(codes.max(initial=0)) - low + 1


def _with_column(keys: Int64s, codes: np.ndarray[Any, Any], low: int, width: int) -> Int64s:
    joined: Int64s = keys * width
    joined += codes
    if low:
        joined -= low
    return joined


def _ranked(keys: Int64s, different: int) -> Int64s:
    """The rank of each key, which is below `different`, among those that occur."""
    if different <= _KEYS_PER_ROW * len(keys):  # so few keys are ranked without sorting
        occurs = np.zeros(different, np.bool_)
        occurs[keys] = True
        table: Int64s = (np.cumsum(occurs) - 1)[keys]
        return table
    changes = _changes(keys)
    starts = np.flatnonzero(changes)
    if 2 * len(starts) < len(keys):  # equal rows stand together, so one of them is enough
        ranks: Int64s = _ranked(keys[starts], different)[np.cumsum(changes) - 1]
        return ranks
    ascending, order = _ordered(keys, different)
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.cumsum(_changes(ascending)) - 1
    return ranks


def _ordered(keys: Int64s, different: int) -> tuple[Int64s, Int64s]:
    """The keys ascending, and the rows that they stand in; equal keys as they come."""
    bits = _bits(len(keys))
    if 1 << 16 < different <= _LARGEST_KEY >> bits:
        with_rows = _sorted_with_rows(keys, bits)
        return with_rows >> bits, with_rows & ((1 << bits) - 1)
    order = _order(keys, different)
    return keys[order], order


def _order(keys: Int64s, different: int) -> Int64s:
    """The rows in which the keys stand ascending; equal keys as they come."""
    bits = _bits(len(keys))
    if different <= 1 << 16:  # numpy counts short numbers instead of comparing them
        order: Int64s = np.argsort(keys.astype(np.uint16), kind="stable")
        return order
    if different > _LARGEST_KEY >> bits:
        return np.argsort(keys, kind="stable")
    return _sorted_with_rows(keys, bits) & ((1 << bits) - 1)


def _sorted_with_rows(keys: Int64s, bits: int) -> Int64s:
    """The keys ascending, each with the row that it stands in behind it."""
    with_rows = keys << bits
    with_rows |= np.arange(len(keys))
    with_rows.sort()
    return with_rows


def _changes(keys: Int64s) -> Bools:
    """Whether each key is another than the one before it; the first is."""
    changes = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:])
    return changes


def _bits(rows: int) -> int:
    """How many bits the number of a row has."""
    return max(rows - 1, 0).bit_length()
