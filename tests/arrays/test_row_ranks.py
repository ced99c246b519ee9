"""Records that look the same have the same number."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays.row_ranks import occurring, order_rows, rank_rows


@pytest.mark.parametrize("keys_per_row", [0, 4, 1000], ids="{}-keys-per-row".format)  # sorted, some, ranked in a table
@pytest.mark.parametrize("largest", [1, 40, 1 << 62])
@given(rows=st.lists(st.tuples(*[st.integers(-1, 5)] * 3), max_size=30))
def test_rows_are_ranked_without_gaps_and_sorted(
    largest: int, keys_per_row: int, rows: list[tuple[int, int, int]]
) -> None:
    columns = [np.array([row[place] for row in rows], np.int32) for place in range(3)]
    number = {row: place for place, row in enumerate(sorted(set(rows)))}
    limits = {"_LARGEST_KEY": largest, "_KEYS_PER_ROW": keys_per_row}
    with patch.multiple("crypsis.arrays.row_ranks", **limits):
        assert rank_rows(columns, len(rows)).tolist() == [number[row] for row in rows]
        assert order_rows(columns, len(rows)).tolist() == sorted(range(len(rows)), key=rows.__getitem__)


def test_rows_without_columns_are_alike() -> None:
    assert rank_rows([], 3).tolist() == [0, 0, 0]
    assert order_rows([], 3).tolist() == [0, 1, 2]


def test_codes_that_occur_are_listed_once() -> None:
    assert occurring(np.array([4, 1, 4]), 6).tolist() == [1, 4]
    assert occurring(np.zeros(0, np.int32), 0).tolist() == []
