"""Columns of whole numbers: told apart from codes such as 007 by what is written, in bulk."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import written_columns
from crypsis.data.written_columns import plain_numbers, understand_texts

WHOLE = st.integers(-(2**63), 2**63 - 1).map(str)
ODD = st.builds("{}{}".format, st.sampled_from(["0", "00", "+", "-0", "+0"]), st.integers(0, 99))


@given(st.lists(st.one_of(WHOLE, st.integers(-20, 20).map(str), ODD), min_size=1, max_size=8))
def test_whole_numbers_are_those_that_are_written_as_such(texts: list[str]) -> None:
    found = plain_numbers(pl.Series("a", texts), "int")
    plain = all(str(int(text)) == text for text in texts)
    assert (found is not None) == plain
    if found is not None:
        assert found.to_list() == [int(text) for text in texts]


@pytest.mark.parametrize(
    "texts",
    [
        ["a", "b"],
        ["NA", "1"],
        ["NA", "word"],
        ["nan", "inf", "1"],
        ["Infinity", "-1"],
        ["?", "x"],
        ["?", "n/a"],
        [" x", "y ", "  "],
        ["ä", "1"],
        ["n/a", "2020-01-01"],
        ["12", "x1"],
        [None, "b", ""],
        ["Jun 8 2008", "08.06.2008"],
        ["\x1fa", "b"],
        ["1,5", "k. A."],
        ["no value", "-8"],
    ],
    ids=str,
)
def test_a_few_words_are_understood_as_many_would_be(texts: list[str | None], monkeypatch: pytest.MonkeyPatch) -> None:
    distinct = pl.Series("cells", texts, dtype=pl.String)
    quick = understand_texts(distinct, "cells", None, ("?", "cells=no value"))
    monkeypatch.setattr(written_columns, "_words", lambda *_: None)
    slow = understand_texts(distinct, "cells", None, ("?", "cells=no value"))
    assert quick.values.equals(slow.values)
    assert quick.absent.equals(slow.absent)
    assert (quick.type, quick.notes, quick.questions) == (slow.type, slow.notes, slow.questions)


def test_signed_whole_numbers_are_not_asked_about() -> None:
    written = understand_texts(pl.Series("x", ["+12", "150"]), "x", None, ())
    assert (written.values.to_list(), written.questions) == ([12.0, 150.0], ())
