"""Privacy policies: read, closed downward, derived from the data, and told without telling what occurs."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given

from crypsis.data.privacy_policy import DerivedPolicy, PrivacyPolicy
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadPolicy, TooLarge
from tests.strategies import item_lists


def closed(policy: PrivacyPolicy, items: str) -> list[tuple[str, ...]]:
    offsets, codes, _ = policy.closed(Vocabulary(sorted(items)))
    return [tuple(sorted(items)[code] for code in codes[start:end]) for start, end in pairwise(offsets.tolist())]


def test_all_parts_of_an_itemset_are_protected_by_size_and_then_by_label() -> None:
    policy = PrivacyPolicy([["c", "a"], ["b"]])
    assert closed(policy, "abc") == [("a",), ("b",), ("c",), ("a", "c")]


def test_an_unknown_item_is_left_out_and_counted() -> None:
    policy = PrivacyPolicy([["a", "unicorn"], ["b"]])
    assert closed(policy, "ab") == [("a",), ("b",)]
    assert policy.closed(Vocabulary(["a", "b"]))[2] == 1


@given(item_lists())
def test_derived_policies_hold_what_their_name_says(rows: list[list[str]]) -> None:
    data = Transactions.from_lists(rows)
    items = sorted({item for row in rows for item in row})
    assume(items)
    occurring = {one for row in rows for size in (1, 2) for one in combinations(sorted(row), size)}
    letters = "".join(items)
    assert set(closed(DerivedPolicy("all", (2,)).make(data), letters)) == occurring
    assert set(closed(DerivedPolicy("items").make(data), letters)) == {(item,) for item in items}
    counts = {item: sum(item in row for row in rows) for item in items}
    rare = sorted(items, key=lambda item: (-counts[item], item))[-2:]
    expected = {one for one in occurring if set(one) <= set(rare)}
    assert set(closed(DerivedPolicy("rare", (2, 2)).make(data), letters)) == expected
    drawn = DerivedPolicy("random", (3, 2, 5)).make(data)
    assert drawn == DerivedPolicy("random", (3, 2, 5)).make(data)
    assert drawn.itemsets is not None
    assert len(drawn.itemsets) <= 3
    assert all(any(set(one) <= set(row) and len(one) == min(2, len(row)) for row in rows) for one in drawn.itemsets)


def test_a_file_has_one_itemset_per_line(tmp_path: Path) -> None:
    file = tmp_path / "policy.txt"
    file.write_text("milk;beer\nwhole wheat;milk\n", encoding="utf-8")
    policy = PrivacyPolicy.from_file(file)
    assert policy.itemsets == {("beer", "milk"), ("milk", "whole wheat")}
    assert PrivacyPolicy.from_json(policy.to_json()) == policy


def test_a_derived_policy_is_published_as_its_recipe_only() -> None:
    made = DerivedPolicy("rare", (3, 2)).make(Transactions.from_lists([["a", "b"]]))
    assert made.to_json() == {"recipe": "rare:3:2"}
    assert PrivacyPolicy.from_json(made.to_json()).itemsets is None


@pytest.mark.parametrize("text", ["all:0", "all", "rare:3", "random:1:2", "items:4"])
def test_a_recipe_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadParameter):
        PrivacyPolicy.from_text(text)


@pytest.mark.parametrize("itemsets", [[[]], [["a", ""]], [[f"i{number}" for number in range(17)]]])
def test_an_itemset_that_cannot_be_protected_is_refused(itemsets: list[list[str]]) -> None:
    with pytest.raises(BadPolicy):
        PrivacyPolicy(itemsets)


def test_too_many_sets_to_list_are_refused() -> None:
    data = Transactions.from_lists([[f"i{number:04}" for number in range(1000)]])
    with pytest.raises(TooLarge, match="sets of 3 items"):
        DerivedPolicy("all", (3,)).make(data)
