"""Verifiers of published sets: they agree with the definition, and notice when one record is tampered with."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crypsis
from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import OriginalRequired, TooLarge
from crypsis.guarantees import ItemsetDiversity, ItemsetKmAnonymity, PolicyAnonymity
from crypsis.hierarchy import ItemHierarchy
from crypsis.methods import COAT, LRA, Apriori
from crypsis.run_context import RunContext
from crypsis.verifiers import itemset_supports, verify

Row = list[list[str]]

labels = st.sets(st.sampled_from("abcde"), min_size=1, max_size=3).map(sorted)
published_sets = st.lists(st.lists(labels, max_size=4, unique_by=tuple), max_size=10)


def published(rows: list[Row], **declared: tuple[str, ...]) -> PublishedTransactions:
    return PublishedTransactions.from_lists(rows, **declared)


def fits(row: Row, items: tuple[str, ...]) -> bool:
    return all(any(item in symbol for symbol in row) for item in items)


def is_anonymous(rows: list[Row], k: int, m: int) -> bool:
    """From the definition, over original items: whoever knows them has no candidate or at least k."""
    items = sorted({item for row in rows for symbol in row for item in symbol})
    counts = [sum(fits(row, known) for row in rows) for size in range(1, m + 1) for known in combinations(items, size)]
    return all(count == 0 or count >= k for count in counts)


@given(published_sets, st.integers(1, 4), st.integers(1, 3))
def test_the_verdict_is_that_of_the_definition(rows: list[Row], k: int, m: int) -> None:
    verdict = verify(published(rows), ItemsetKmAnonymity(k=k, m=m))
    assert verdict.holds is is_anonymous(rows, k, m)
    if not verdict.holds:
        assert verdict.witness is not None
        assert 0 < verdict.witness.support < k


@given(published_sets, st.integers(1, 3))
def test_pairs_are_counted_alike_by_record_and_by_bits(rows: list[Row], k: int) -> None:
    sets = published(rows)
    promised = ItemsetKmAnonymity(k=k, m=2)
    usual = verify(sets, promised)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemset_supports, "_pairs_by_record", itemset_supports._pairs_by_bits)
        by_bits = verify(sets, promised)
        patch.setattr(itemset_supports, "WIDEST_MATRIX", 0)
        by_keys = verify(sets, promised)
    assert usual.to_dict() == by_bits.to_dict() == by_keys.to_dict()


BASKETS = [["milk", "beer"], ["cream", "wine"], ["milk", "wine"], ["cream", "beer"], ["cream"], []]
KINDS = ItemHierarchy(
    [("milk", "dairy"), ("cream", "dairy"), ("beer", "drinks"), ("wine", "drinks"), ("dairy", "all"), ("drinks", "all")]
)


def released() -> tuple[Transactions, PublishedTransactions]:
    data = Transactions.from_lists(BASKETS)
    return data, Apriori(k=4, m=2, hierarchy=KINDS).anonymize(data, RunContext())


def test_an_honest_release_holds_in_any_order() -> None:
    data, sets = released()
    promised = ItemsetKmAnonymity(k=4, m=2)
    assert verify(sets, promised, data).holds
    turned = published(sets.to_lists()[::-1])  # type: ignore[arg-type]
    assert verify(turned, promised, data).holds
    assert "recoded" in verify(turned, promised, data).counted


@pytest.mark.parametrize(
    ("row", "symbols", "words"),
    [
        (0, [["cream", "milk"]], "is in none of its symbols"),
        (5, [["cream", "milk"]], "covers none of its items"),
        (4, [["beer", "wine"]], "is in none of its symbols"),
    ],
)
def test_one_record_tampered_with_is_noticed(row: int, symbols: Row, words: str) -> None:
    data, sets = released()
    rows = sets.to_lists()
    rows[row] = symbols  # type: ignore[call-overload]
    verdict = verify(published(rows), ItemsetKmAnonymity(k=1, m=2), data)
    assert not verdict.holds
    assert words in str(verdict.problem)


def test_one_item_shown_as_it_is_breaks_the_promise_without_the_original() -> None:
    _, sets = released()
    rows = sets.to_lists()
    rows[0] = [["cream", "milk"], "beer"]
    verdict = verify(published(rows), ItemsetKmAnonymity(k=4, m=2))
    assert not verdict.holds  # whoever knows of beer has more candidates than of beer alone, but the pair is rarer
    assert verdict.figures["overlap"] is True


def test_another_number_of_records_is_a_mismatch() -> None:
    data, sets = released()
    verdict = verify(published(sets.to_lists()[:-1]), ItemsetKmAnonymity(k=1, m=1), data)
    assert "mismatch" in str(verdict.problem)
    assert verdict.figures["problem_code"] == "mismatch"


def test_an_item_left_out_must_be_declared() -> None:
    data = Transactions.from_lists([["a", "b"], ["a"]])
    rows: list[Row] = [["a"], ["a"]]  # type: ignore[list-item]
    promised = ItemsetKmAnonymity(k=2, m=2)
    assert not verify(published(rows), promised, data).holds
    assert verify(published(rows, suppressed=("b",)), promised, data).holds


def test_overlapping_symbols_are_counted_by_the_items_that_records_fit() -> None:
    data = Transactions.from_lists([["milk"], ["milk"], ["beer"], ["wine"], ["milk"], ["cream"]])
    sets = LRA(k=2, m=1, hierarchy=KINDS, partition_size=2).anonymize(data, RunContext())
    verdict = verify(sets, ItemsetKmAnonymity(k=2, m=1), data)
    assert verdict.holds
    assert verdict.figures["overlap"] is (not sets.symbols.are_disjoint())


SECRETS = [["a", "Z"], ["a"], ["b", "Z"], ["b"], ["a", "b"], []]


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))
def test_diversity_is_that_of_the_definition(k: int, l: int, m: int) -> None:  # noqa: E741
    rows = [[[item] for item in row] for row in SECRETS]
    usual = [[symbol for symbol in row if symbol != ["Z"]] for row in rows]
    shares = [
        (sum(fits(row, (*known, "Z")) for row in rows), sum(fits(row, known) for row in rows))
        for size in range(1, m + 1)
        for known in combinations("ab", size)
    ]
    not_empty = sum(map(bool, rows))
    expected = is_anonymous(usual, k, m) and all(both * l <= alone for both, alone in [*shares, (2, not_empty)])
    verdict = verify(published(rows, sensitive=("Z",)), ItemsetDiversity(k=k, l=l, m=m))
    assert verdict.holds is expected


def test_a_secret_that_is_generalized_or_not_declared_is_noticed() -> None:
    rows: list[Row] = [[["a"], ["Y", "Z"]], [["a"]]]
    promised = ItemsetDiversity(k=1, l=1, m=1)
    assert "is generalized" in str(verify(published(rows, sensitive=("Z",)), promised).problem)
    data = Transactions.from_lists([["a", "Z"], ["a"]], sensitive=["Z"])
    honest: list[Row] = [[["a"], ["Z"]], [["a"]]]
    assert "not declared" in str(verify(published(honest), promised, data).problem)


@given(
    published_sets, st.lists(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=3), max_size=4), st.integers(1, 4)
)
def test_a_policy_is_checked_as_it_is_defined(rows: list[Row], policy: list[set[str]], k: int) -> None:
    parts = {part for one in policy for size in range(1, len(one) + 1) for part in combinations(sorted(one), size)}
    counts = [sum(fits(row, part) for row in rows) for part in parts]
    verdict = verify(published(rows), PolicyAnonymity(k=k, policy=PrivacyPolicy(policy)))
    assert verdict.holds is all(count == 0 or count >= k for count in counts)


@pytest.mark.parametrize("recipe", ["all:2", "items", "rare:3:2"])
def test_a_policy_that_is_a_recipe_is_carried_out_on_the_original(recipe: str) -> None:
    """A guarantee may be typed with a recipe (verify --model policy-anonymity --policy all:2)."""
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b"], ["c"]]
    original = Transactions.from_lists(rows)
    made = crypsis.anonymize(original, COAT(k=1))
    for k in (1, 2, 3):
        promised = PolicyAnonymity(k=k, policy=PrivacyPolicy.from_text(recipe))
        with pytest.raises(OriginalRequired, match="recipe"):
            verify(made.data, promised)
        carried_out = PolicyAnonymity(k=k, policy=PrivacyPolicy.from_text(recipe).make(original))
        verdicts = [verify(made.data, one, original) for one in (promised, carried_out)]
        assert verdicts[0].holds == verdicts[1].holds
        assert verdicts[0].achieved == verdicts[1].achieved


def test_a_derived_policy_needs_the_original_because_it_tells_what_occurs() -> None:
    described = PolicyAnonymity(k=2, policy=PrivacyPolicy([["a", "b"]], origin="rare:2:2")).to_dict()
    assert described["parameters"]["policy"] == {"recipe": "rare:2:2"}
    promised = PolicyAnonymity.from_parameters(described["parameters"])
    rows: list[Row] = [[["a"], ["b"]], [["a"], ["b"]]]
    with pytest.raises(OriginalRequired, match="derived from the original"):
        verify(published(rows), promised)
    data = Transactions.from_lists([["a", "b"], ["a", "b"]])
    assert verify(published(rows), promised, data).holds
    assert not verify(published(rows), replace(promised, k=3), data).holds


def test_too_many_sets_are_refused_before_they_are_counted() -> None:
    row = [[f"i{number:04}"] for number in range(1000)]
    with pytest.raises(TooLarge, match="166,167,000"):
        verify(published([row]), ItemsetKmAnonymity(k=1, m=3))


@given(published_sets)
def test_a_witness_is_what_was_counted(rows: list[Row]) -> None:
    verdict = verify(published(rows), ItemsetKmAnonymity(k=3, m=2))
    assume(verdict.witness is not None)
    assert verdict.witness is not None
    known = tuple(name[0] for name in verdict.witness.symbols)
    if len({item for name in verdict.witness.symbols for item in name}) == len(known):
        assert sum(fits(row, known) for row in rows) == verdict.witness.support
