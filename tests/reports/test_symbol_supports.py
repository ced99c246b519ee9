"""Support of symbols, against the obvious count."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.reports.symbol_supports import symbol_supports


@given(st.lists(st.lists(st.integers(0, 6))))
def test_supports_match_the_obvious_count(rows: list[list[int]]) -> None:
    offsets = offsets_of(np.array([len(row) for row in rows], np.int64))
    codes = np.array([code for row in rows for code in row], np.int32)
    expected = [sum(code in row for row in rows) for code in range(7)]
    assert symbol_supports(offsets, codes, 7).tolist() == expected
