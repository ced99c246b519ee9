"""Hierarchies over items and utility policies: built, read, numbered, and refused in words."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadPolicy, BadTaxonomy
from crypsis.hierarchy import BalancedHierarchy, DerivedUtility, ItemHierarchy, ItemTree, UtilityPolicy
from tests.reference.generalization import Tree
from tests.strategies import item_lists, taxonomies, transactions


def test_groups_of_neighbours_are_named_by_level_and_place() -> None:
    tree = ItemHierarchy.balanced(list("abcdefg"), 2)
    assert dict(tree.to_pairs()) == {
        "a": "#1.0", "b": "#1.0", "c": "#1.1", "d": "#1.1", "e": "#1.2", "f": "#1.2", "g": "#1.2",
        "#1.0": "#root", "#1.1": "#root", "#1.2": "#root",
    }  # fmt: skip
    tall = dict(ItemHierarchy.balanced(list("abcdefgh"), 2).to_pairs())
    assert tall["#1.3"] == "#2.1"
    assert tall["#2.1"] == "#root"
    assert dict(ItemHierarchy.balanced(["a"], 5).to_pairs()) == {"a": "#root"}


def test_an_item_called_like_a_node_is_refused() -> None:
    with pytest.raises(BadTaxonomy, match="'#root' is called like a node"):
        BalancedHierarchy().make(Transactions.from_lists([["a", "#root"]]))


@given(item_lists())
def test_neighbours_by_frequency_and_by_cooccurrence(rows: list[list[str]]) -> None:
    data = Transactions.from_lists(rows)
    items = sorted({item for row in rows for item in row})
    assume(items)
    holders = {item: {row for row, record in enumerate(rows) if item in record} for item in items}
    by_rank = sorted(items, key=lambda item: (-len(holders[item]), item))
    assert leaves_in_order(BalancedHierarchy(2, "frequency").make(data)) == by_rank
    placed = [by_rank[0]]
    while len(placed) < len(items):
        last = holders[placed[-1]]
        waiting = [item for item in by_rank if item not in placed]
        placed.append(max(waiting, key=lambda item: len(last & holders[item]) / len(last | holders[item])))
    assert leaves_in_order(BalancedHierarchy(2, "cooccurrence").make(data)) == placed


def leaves_in_order(tree: ItemHierarchy) -> list[str]:
    """From left to right, as the groups were made."""
    groups: dict[str, list[str]] = {}
    for child, parent in tree.to_pairs():
        groups.setdefault(parent, []).append(child)
    waiting, found = ["#root"], []
    while waiting:
        node = waiting.pop()
        found += [] if node in groups else [node]
        waiting += reversed(groups.get(node, []))
    return found


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, unique=True).flatmap(taxonomies))
def test_nodes_are_numbered_in_preorder(taxonomy: ItemHierarchy) -> None:
    tree = ItemHierarchy(taxonomy.to_pairs())
    data = Transactions.from_lists([[leaf] for leaf in tree.leaves])
    numbered = ItemTree.of(tree, data.vocabulary)
    reference = Tree(dict(tree.to_pairs()))
    assert {name: number for number, name in enumerate(numbered.names)} == reference.order
    for name, number in reference.order.items():
        assert numbered.leaf_labels(number) == tuple(sorted(reference.below(name)))
        assert bool(numbered.is_leaf[number]) is (name in reference.leaves)
        below = [other for other in reference.order if name in reference.above(other)]
        assert int(numbered.last[number]) == max(reference.order[other] for other in below)
    assert [numbered.names[node] for node in numbered.node_of_item] == list(data.vocabulary.labels)


def test_ways_to_the_root_are_read_and_an_item_may_be_called_like_its_group(tmp_path: Path) -> None:
    file = tmp_path / "paths.csv"
    file.write_text("ham;sausage;meat;*\nsausage;sausage;meat;*\nbeef;beef;meat;*\n", encoding="utf-8")
    tree = ItemHierarchy.from_file(file)
    assert tree.leaves == ("ham", "sausage", "beef")
    assert dict(tree.to_pairs())["sausage"] == "sausage (level 1)"
    assert dict(tree.to_pairs())["meat"] == "*"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ham;x;meat;*\nbeef;x;fish;*\n", "'x' is given two parents"),
        ("ham;x;meat;*\nham;y;meat;*\n", "Leaf 'ham' has two rows"),
        ("ham;;meat;*\n", "has no name"),
        ("ham;x;meat;*\nbeef;y;fish;top\n", "2 roots"),
    ],
)
def test_ways_that_contradict_each_other_are_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "paths.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadTaxonomy, match=words):
        ItemHierarchy.from_file(file)


@pytest.mark.parametrize("text", ["auto:1", "auto:x", "auto", "auto:5:colour", "auto:5:label:7"])
def test_a_recipe_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadParameter):
        ItemHierarchy.from_text(text)


@pytest.mark.parametrize("text", ["auto:5", "auto:3:frequency", "auto:2:cooccurrence"])
def test_recipes_are_read_as_they_are_written(text: str) -> None:
    assert str(ItemHierarchy.from_text(text)) == text


@given(transactions(sensitive=False), st.integers(1, 5))
def test_sets_by_frequency_are_runs_of_the_rank(data: Transactions, count: int) -> None:
    assume(len(data.items))
    sets = DerivedUtility("frequency", count).make(data).sets
    sizes = [len(one) for one in sets]
    assert max(sizes) - min(sizes) <= 1
    assert len(sets) == min(count, int(np.count_nonzero(data.supports)))


@given(item_lists(), st.integers(1, 5))
def test_sets_by_cooccurrence_unite_the_most_alike_first(rows: list[list[str]], count: int) -> None:
    items = sorted({item for row in rows for item in row})
    assume(items)
    holders = {item: frozenset(row for row, record in enumerate(rows) if item in record) for item in items}
    by_rank = sorted(items, key=lambda item: (-len(holders[item]), item))
    groups = [[item] for item in by_rank]
    while len(groups) > count:

        def alike(pair: tuple[int, int]) -> tuple[float, int, int]:
            one, other = (frozenset().union(*(holders[item] for item in groups[place])) for place in pair)
            ranks = sorted(min(by_rank.index(item) for item in groups[place]) for place in pair)
            return (-len(one & other) / len(one | other), ranks[0], ranks[1])

        first, second = min(combinations(range(len(groups)), 2), key=alike)
        groups[first] += groups.pop(second)
    sets = DerivedUtility("cooccurrence", count).make(Transactions.from_lists(rows)).sets
    assert sorted(sets) == sorted(tuple(sorted(group)) for group in groups)


def test_subtrees_are_sets_of_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    ItemHierarchy([("a", "x"), ("b", "x"), ("c", "y"), ("x", "r"), ("y", "r"), ("d", "r")]).write(file)
    made = UtilityPolicy.from_text(f"hierarchy:1:{file}")
    assert isinstance(made, DerivedUtility)
    assert sorted(made.make(Transactions.from_lists([["a"]])).sets) == [("a", "b"), ("c",), ("d",)]


def test_overlapping_sets_are_refused_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "utility.txt"
    file.write_text("a,b\nb,c\n", encoding="utf-8")
    with pytest.raises(BadPolicy, match="'b' is listed in two sets, 1 and 2") as raised:
        UtilityPolicy.from_file(file)
    assert raised.value.details["line"] == 2
    assert raised.value.code == "bad-policy"


@pytest.mark.parametrize("text", ["frequency", "frequency:0", "single:3", "cooccurrence:two"])
def test_a_utility_recipe_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadParameter):
        UtilityPolicy.from_text(text)
