"""Apriori, LRA and VPA against their definitions, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, BadTaxonomy, InfeasibleDiversity, NotApplicable, TooFewRecords, TooLarge
from crypsis.guarantees import ItemsetDiversity, ItemsetKmAnonymity
from crypsis.hierarchy import ItemHierarchy
from crypsis.methods import LRA, VPA, Apriori, Method
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.reference import generalization as reference
from tests.strategies import item_lists, taxonomies

KINDS = {"a": "x", "b": "x", "c": "y", "d": "y", "x": "all", "y": "all"}


def run(method: Method, data: Transactions) -> tuple[PublishedTransactions, dict[str, Any]]:
    context = RunContext()
    return method.anonymize(data, context), context.private


def filled(rows: list[list[str]]) -> list[list[str]]:
    return [row for row in rows if row]


@st.composite
def rows_and_trees(draw: st.DrawFn) -> tuple[list[list[str]], ItemHierarchy]:
    rows = draw(item_lists())
    items = sorted({item for row in rows for item in row})
    assume(items)
    extra = draw(st.lists(st.sampled_from("yz"), unique=True, max_size=1))
    return rows, ItemHierarchy(draw(taxonomies(items + extra)).to_pairs())


@given(rows_and_trees(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([0.0, 0.2, 1.0]))
def test_apriori_takes_the_steps_of_the_definition(drawn: Any, k: int, m: int, share: float) -> None:
    rows, tree = drawn
    assume(len(filled(rows)) >= k)
    most = int(share * sum(map(len, rows)))
    expected = reference.apriori(filled(rows), reference.Tree(dict(tree.to_pairs())), k, m, most_deleted=most)
    assume(expected is not None)
    assert expected is not None
    data = Transactions.from_lists(rows)
    published, private = run(Apriori(k=k, m=m, hierarchy=tree, max_suppressed_items=share), data)
    cut, steps = expected
    assert private["steps"] == steps
    assert private["cut"] == {item: node for item, node in cut.items() if item in data.vocabulary}
    assert verify(published, ItemsetKmAnonymity(k=k, m=m), data).holds


@given(rows_and_trees(), st.data(), st.integers(1, 3), st.integers(1, 2), st.integers(2, 3))
def test_apriori_keeps_secrets_apart_as_defined(drawn: Any, data: st.DataObject, k: int, m: int, l: int) -> None:  # noqa: E741
    rows, tree = drawn
    usual = filled(rows)
    secrets = [data.draw(st.sets(st.sampled_from(["S", "T"]), max_size=1)) for _ in usual]
    counts = [sum(secret in held for held in secrets) for secret in ("S", "T")]
    assume(len(usual) >= k and 0 < max(counts) and max(counts) * l <= len(usual))
    expected = reference.apriori(usual, reference.Tree(dict(tree.to_pairs())), k, m, l=l, secrets=secrets)
    assume(expected is not None)
    assert expected is not None
    marked = {secret for held in secrets for secret in held}
    together = Transactions.from_lists([[*row, *held] for row, held in zip(usual, secrets, strict=True)], marked)
    method = Apriori(k=k, m=m, l=l, hierarchy=tree)
    published, private = run(method, together)
    assert private["steps"] == expected[1]
    assert method.guarantee_of(together, published) == ItemsetDiversity(k=k, l=l, m=m)
    assert verify(published, ItemsetDiversity(k=k, l=l, m=m), together).holds


@given(rows_and_trees(), st.integers(1, 3), st.integers(1, 2), st.integers(1, 6))
def test_lra_anonymizes_each_part_by_itself(drawn: Any, k: int, m: int, size: int) -> None:
    rows, tree = drawn
    assume(len(filled(rows)) >= k)
    data = Transactions.from_lists(rows)
    nodes = reference.Tree(dict(tree.to_pairs()))
    published, private = run(LRA(k=k, m=m, hierarchy=tree, partition_size=size), data)
    parts = reference.lra_parts(rows, nodes, k, size)
    assert private["parts"] == parts
    shown = [
        {frozenset(name) if isinstance(name, list) else frozenset([name]) for name in row}
        for row in published.to_lists()
    ]
    for part in parts:
        found = reference.apriori([rows[row] for row in part], nodes, k, m)
        assert found is not None
        for row in part:
            assert shown[row] == {frozenset(nodes.below(node)) for node in reference.image(rows[row], found[0])}
    assert [not row for row in shown] == [not row for row in rows]


@given(rows_and_trees(), st.integers(1, 4), st.integers(1, 3), st.integers(1, 4))
def test_vpa_ends_at_the_cut_of_the_definition(drawn: Any, k: int, m: int, parts: int) -> None:
    rows, tree = drawn
    assume(len(filled(rows)) >= k)
    data = Transactions.from_lists(rows)
    _, private = run(VPA(k=k, m=m, hierarchy=tree, parts=parts), data)
    cut = reference.vpa(filled(rows), reference.Tree(dict(tree.to_pairs())), k, m, parts)
    assert private["cut"] == {item: node for item, node in cut.items() if item in data.vocabulary}


def test_records_without_items_are_published_in_their_place() -> None:
    data = Transactions.from_lists([[], ["a"], [], ["a"]])
    for method in (Apriori(k=2), LRA(k=2), VPA(k=2)):
        assert run(method, data)[0].to_lists() == [[], ["a"], [], ["a"]]


@pytest.mark.parametrize("method", [Apriori, LRA, VPA])
def test_fewer_than_k_records_are_refused_with_both_numbers(method: Any) -> None:
    with pytest.raises(TooFewRecords, match="3 non-empty records, 4 are required") as raised:
        run(method(k=4), Transactions.from_lists([["a"], ["a"], ["b"], []]))
    assert raised.value.details == {"have": 3, "required": 4}
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("rows", [[], [[], []]])
def test_no_non_empty_record_is_refused_even_with_k_1(rows: list[list[str]]) -> None:
    tree = ItemHierarchy(KINDS.items())
    with pytest.raises(TooFewRecords, match="no non-empty record"):
        run(Apriori(k=1, hierarchy=tree), Transactions.from_lists(rows))


def test_a_hierarchy_must_have_every_item_as_a_leaf() -> None:
    tree = ItemHierarchy(KINDS.items())
    with pytest.raises(BadTaxonomy, match="2 of 3 items are not in the hierarchy: 'q', 'r'") as raised:
        run(Apriori(k=1, hierarchy=tree), Transactions.from_lists([["a", "q", "r"]]))
    assert raised.value.details["missing"] == ["q", "r"]
    with pytest.raises(BadTaxonomy, match="Item 'x' has nodes below it"):
        run(Apriori(k=1, hierarchy=tree), Transactions.from_lists([["a", "x"]]))


def test_items_that_are_missing_may_be_put_below_the_root() -> None:
    tree = ItemHierarchy(KINDS.items())
    data = Transactions.from_lists([["a", "q"], ["b", "q"], ["q"], ["r"], ["r"]])
    published, private = run(Apriori(k=2, m=1, hierarchy=tree, attach_to_root=True), data)
    assert published.to_lists()[0] == [["a", "b"], "q"]
    assert private["cut"]["q"] == "q"


def test_a_secret_in_too_many_records_is_named() -> None:
    data = Transactions.from_lists([["a", "Z"], ["a", "Z"], ["a"]], sensitive=["Z"])
    with pytest.raises(InfeasibleDiversity, match="Sensitive item 'Z' is in 2 of 3 non-empty records") as raised:
        run(Apriori(k=1, l=2), data)
    assert raised.value.details["item"] == "Z"


def test_diversity_of_nothing_is_refused() -> None:
    """l was passed over where no item was sensitive, and the release promised k^m-anonymity alone."""
    with pytest.raises(NotApplicable, match="l=2 needs data with sensitive items"):
        run(Apriori(k=1, l=2), Transactions.from_lists([["a", "Z"], ["a", "Z"], ["a"]]))


@pytest.mark.parametrize("method", [LRA(k=1), VPA(k=1)])
def test_sensitive_items_are_refused_where_there_is_no_form_for_them(method: Method) -> None:
    with pytest.raises(NotApplicable, match="sensitive items"):
        run(method, Transactions.from_lists([["a", "Z"]], sensitive=["Z"]))


def test_a_very_long_record_is_too_large_for_sets_of_three() -> None:
    data = Transactions.from_lists([[f"i{number:04}" for number in range(1000)]] * 2)
    with pytest.raises(TooLarge, match="sets of 3 items"):
        run(Apriori(k=2, m=3), data)
    assert run(Apriori(k=2, m=2), data)[0].lengths.tolist() == [1000, 1000]


@pytest.mark.parametrize("setting", [{"k": 0}, {"m": 0}, {"m": 9}, {"k": 2.5}, {"max_suppressed_items": 1.5}])
def test_parameters_out_of_bounds_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        Apriori(**setting)
