"""Symbols: sets of codes, their labels and their canonical order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Symbols, Vocabulary
from crypsis.errors import BadLabel, CrypsisError, InputError
from tests.strategies import published_rows


@given(published_rows())
def test_rows_of_symbols_are_parsed_whatever_the_order_of_their_labels(rows: list[list[tuple[str, ...]]]) -> None:
    symbols, offsets, codes = Symbols.parse(rows)
    expected = [[sorted(symbol) for symbol in row] for row in rows]
    found = [[list(symbols.label_lists[code]) for code in codes[start:end]] for start, end in pairwise(offsets)]
    assert found == expected
    assert len(symbols) == len({tuple(symbol) for row in expected for symbol in row})
    in_order = sorted(range(len(symbols)), key=lambda symbol: symbols.rank[symbol])
    assert [symbols.label_lists[symbol] for symbol in in_order] == sorted(symbols.label_lists)
    assert symbols.sizes.tolist() == [len(labels) for labels in symbols.label_lists]
    members = [label for labels in symbols.label_lists for label in labels]
    assert symbols.are_disjoint() == (len(set(members)) == len(members))


@given(st.lists(st.integers(-1, 4), min_size=5, max_size=5))
def test_a_partition_gives_one_symbol_per_representative(representative: list[int]) -> None:
    words = Vocabulary([f"p{code}" for code in range(5)])
    symbols, symbol_of_code = Symbols.of_partition(words, np.array(representative, np.int32))
    for code, chosen in enumerate(representative):
        if chosen < 0:
            assert symbol_of_code[code] == -1
        else:
            members = [f"p{other}" for other, same in enumerate(representative) if same == chosen]
            assert list(symbols.label_lists[symbol_of_code[code]]) == members
    assert symbols.are_disjoint()


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([["a"], "b"], InputError),
        ([["a"], [1]], BadLabel),
        ([["a"], [[]]], BadLabel),
        ([["a"], [["a", 1]]], BadLabel),
        ([["a"], [""]], BadLabel),
        ([["a"], [["a", "a"]]], BadLabel),
    ],
)
def test_what_is_no_symbol_is_refused_with_its_row(rows: Any, error: type[CrypsisError]) -> None:
    with pytest.raises(error) as caught:
        Symbols.parse(rows)
    assert caught.value.where == "row 1"


def test_an_intact_symbol_is_its_label_and_a_generalized_one_a_list() -> None:
    symbols, _, _ = Symbols.parse([["b", ["c", "a"]]])
    assert symbols.texts == ("b", ["a", "c"])
