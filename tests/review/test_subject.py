"""Records that look the same have the same number."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.review.subject import numbered


@pytest.mark.parametrize("keys_per_row", [0, 4, 1000], ids="{}-keys-per-row".format)  # sorted, some, ranked in a table
@pytest.mark.parametrize("largest", [1, 40, 1 << 62])
@given(rows=st.lists(st.tuples(*[st.integers(-1, 5)] * 3), max_size=30))
def test_rows_are_numbered_in_their_order_without_gaps(
    largest: int, keys_per_row: int, rows: list[tuple[int, int, int]]
) -> None:
    columns = [np.array([row[place] for row in rows], np.int32) for place in range(3)]
    number = {row: place for place, row in enumerate(sorted(set(rows)))}
    limits = {"_LARGEST_KEY": largest, "_KEYS_PER_ROW": keys_per_row}
    with patch.multiple("crypsis.review.subject", **limits):
        assert numbered(columns, len(rows)).tolist() == [number[row] for row in rows]


def test_rows_without_columns_are_alike() -> None:
    assert numbered([], 3).tolist() == [0, 0, 0]
