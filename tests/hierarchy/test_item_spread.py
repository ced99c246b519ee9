"""The spread of a set of items is their mean distance in the tree, counted pair by pair."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BadTaxonomy
from crypsis.hierarchy import ItemHierarchy
from crypsis.hierarchy.item_spread import ItemSpread
from tests.reference.generalization import spread

TREE = ItemHierarchy(
    [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("y", "z"), ("x", "root"), ("z", "root"), ("e", "root")]
)
WAYS = {"a": ["a", "x", "r"], "b": ["b", "x", "r"], "c": list("cyzr"), "d": list("dyzr"), "e": ["e", "r"]}


@given(labels=st.sets(st.sampled_from(sorted(WAYS)), min_size=2))
def test_every_pair_counts_its_edges(labels: set[str]) -> None:
    symbol = tuple(sorted(labels))
    assert ItemSpread(TREE).of(symbol) == spread(symbol, WAYS)


def test_siblings_are_near_and_single_items_are_nowhere() -> None:
    found = ItemSpread(TREE)
    assert found.height == 3
    assert found.of(("a",)) == 0
    assert found.of(("a", "b")) == Fraction(2, 6)
    assert found.of(("a", "c")) == Fraction(5, 6)
    with pytest.raises(BadTaxonomy, match="'q' is not in the hierarchy"):
        found.of(("a", "q"))
