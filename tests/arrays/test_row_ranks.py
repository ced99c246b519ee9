"""Records that look the same have the same number."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays.row_ranks import count_keys, count_rows, count_single_rows, occurring, order_rows, rank_rows

CODES = st.integers(-1, 5) | st.integers(0, 2**31 - 1)


@pytest.mark.parametrize("keys_per_row", [0, 4, 1000], ids="{}-keys-per-row".format)  # sorted, some, ranked in a table
@pytest.mark.parametrize("largest", [1, 40, 1 << 12, 1 << 62])
@given(
    rows=st.lists(st.tuples(*[st.integers(-1, 5) | st.integers(0, 2**31 - 1)] * 3), max_size=30),
    repeats=st.sampled_from([1, 3]),
)
def test_rows_are_ranked_without_gaps_sorted_and_counted(
    largest: int, keys_per_row: int, rows: list[tuple[int, int, int]], repeats: int
) -> None:
    rows = [row for row in rows for _ in range(repeats)]
    columns = [np.array([row[place] for row in rows], np.int32) for place in range(3)]
    number = {row: place for place, row in enumerate(sorted(set(rows)))}
    limits = {"_LARGEST_KEY": largest, "_KEYS_PER_ROW": keys_per_row}
    with patch.multiple("crypsis.arrays.row_ranks", **limits):
        assert rank_rows(columns, len(rows)).tolist() == [number[row] for row in rows]
        assert order_rows(columns, len(rows)).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
        assert count_rows(columns, len(rows)).tolist() == [rows.count(row) for row in number]
        assert count_single_rows(columns, len(rows)) == sum(rows.count(row) == 1 for row in number)


def test_rows_without_columns_are_alike() -> None:
    assert rank_rows([], 3).tolist() == [0, 0, 0]
    assert order_rows([], 3).tolist() == [0, 1, 2]


def test_codes_that_occur_are_listed_once() -> None:
    assert occurring(np.array([4, 1, 4]), 6).tolist() == [1, 4]
    assert occurring(np.zeros(0, np.int32), 0).tolist() == []


def test_numbers_are_counted() -> None:
    numbers, counts = count_keys(np.array([7, -2, 7]))
    assert (numbers.tolist(), counts.tolist()) == ([-2, 7], [1, 2])


def test_wide_codes_do_not_overflow() -> None:
    wide = np.array([0, 2**31 - 1, 0, 5], np.int64)
    columns = [wide, wide[::-1].copy(), wide]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    number = {row: place for place, row in enumerate(sorted(set(rows)))}
    assert rank_rows(columns, 4).tolist() == [number[row] for row in rows]
    assert order_rows(columns, 4).tolist() == sorted(range(4), key=rows.__getitem__)
