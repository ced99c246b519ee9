"""Vocabularies: labels behind codes, looked up in bulk."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Vocabulary
from crypsis.data.vocabulary import distinct_texts
from tests.data.drawn import any_text


@given(st.lists(any_text, unique=True, max_size=8), st.lists(any_text, max_size=8))
def test_codes_are_positions_and_unknown_labels_have_none(labels: list[str], wanted: list[str]) -> None:
    words = Vocabulary(labels)
    expected = [labels.index(label) if label in labels else -1 for label in wanted]
    assert words.encode(pl.Series(wanted, dtype=pl.String)).tolist() == expected
    assert [label in words for label in wanted] == [code >= 0 for code in expected]
    decoded = words.decode(np.array(expected, np.int32)).to_list()
    assert decoded == [label if label in labels else None for label in wanted]
    assert len(words) == len(labels)


@given(st.lists(any_text, max_size=8))
def test_the_labels_of_a_column_come_in_code_point_order(values: list[str]) -> None:
    words = Vocabulary.of(pl.Series(values, dtype=pl.String))
    assert list(words.labels) == sorted(set(values))
    assert words.label_rank.tolist() == list(range(len(words)))
    backwards = Vocabulary(words.labels[::-1])
    assert backwards.label_rank.tolist() == list(range(len(words)))[::-1]


def test_one_label_is_looked_up_by_name_or_code() -> None:
    words = Vocabulary(["b", "a"])
    assert (words.code("a"), words[0]) == (1, "b")
    with pytest.raises(KeyError):
        words.code("c")
    assert words == Vocabulary(["b", "a"]) != Vocabulary(["a", "b"])
    assert hash(words) == hash(Vocabulary(["b", "a"]))
    assert repr(Vocabulary([f"{n}" for n in range(7)])) == "Vocabulary(7 labels: '0', '1', '2', '3', '4', …)"


@given(st.lists(st.one_of(st.none(), any_text), max_size=12))
def test_distinct_texts_give_every_cell_back(cells: list[str | None]) -> None:
    distinct, codes = distinct_texts(pl.Series("a", cells, dtype=pl.String))
    listed = distinct.to_list()
    assert [listed[code] for code in codes.tolist()] == cells
    assert len(set(listed)) == len(listed)


@given(st.lists(st.one_of(st.none(), any_text), max_size=12))
def test_distinct_texts_stand_in_the_order_in_which_they_come(cells: list[str | None]) -> None:
    distinct, _ = distinct_texts(pl.Series("a", [*cells, *cells[::-1]], dtype=pl.String))
    assert distinct.drop_nulls().to_list() == [text for text in dict.fromkeys(cells) if text is not None]


@given(st.lists(st.tuples(st.one_of(st.none(), any_text), st.integers(1, 5)), max_size=8))
def test_texts_that_stand_together_are_numbered_like_others(runs: list[tuple[str | None, int]]) -> None:
    cells = pl.Series("a", [text for text, times in runs for _ in range(times)], dtype=pl.String)
    distinct, codes = distinct_texts(cells)
    with patch("crypsis.data.vocabulary._LONG", 1), patch("crypsis.data.vocabulary.sorted_texts", return_value=None):
        again, same = distinct_texts(cells)
    assert (again.to_list(), again.name, same.tolist()) == (distinct.to_list(), "a", codes.tolist())
