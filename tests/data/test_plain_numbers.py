"""Columns of whole numbers: told apart from codes such as 007 by what is written, in bulk."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.written_columns import plain_numbers

WHOLE = st.integers(-(2**63), 2**63 - 1).map(str)
ODD = st.builds("{}{}".format, st.sampled_from(["0", "00", "+", "-0", "+0"]), st.integers(0, 99))


@given(st.lists(st.one_of(WHOLE, st.integers(-20, 20).map(str), ODD), min_size=1, max_size=8))
def test_whole_numbers_are_those_that_are_written_as_such(texts: list[str]) -> None:
    found = plain_numbers(pl.Series("a", texts), "int")
    plain = all(str(int(text)) == text for text in texts)
    assert (found is not None) == plain
    if found is not None:
        assert found.to_list() == [int(text) for text in texts]
