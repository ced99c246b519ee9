"""The order of ragged rows is that of Python's lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.row_order import sorted_rows


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=40))
def test_rows_are_sorted_as_lists_are_and_equal_ones_stay_in_order(rows: list[list[int]]) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    ranks = np.array([rank for row in rows for rank in row], np.int32)
    assert sorted_rows(offsets, ranks).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
