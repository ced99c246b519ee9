"""COAT and PCTA against their definitions, and what they refuse."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.privacy_policy import PrivacyPolicy
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import PoliciesConflict, TooFewRecords
from crypsis.guarantees import ItemsetKmAnonymity, PolicyAnonymity
from crypsis.hierarchy import UtilityPolicy
from crypsis.methods import COAT, PCTA, Method
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.reference.generalization import policy_merging
from tests.strategies import item_lists


def run(method: Method, data: Transactions) -> tuple[PublishedTransactions, dict[str, Any]]:
    context = RunContext()
    return method.anonymize(data, context), context.private


def every_set(rows: list[list[str]], m: int) -> list[tuple[str, ...]]:
    return sorted({one for row in rows for size in range(1, m + 1) for one in combinations(sorted(row), size)})


@given(
    item_lists(max_records=10, max_items=6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([2, 64]),
)
def test_pcta_takes_the_steps_of_the_definition(rows: Any, k: int, m: int, whole: bool, cap: int) -> None:
    assume(sum(map(bool, rows)) >= k)
    data = Transactions.from_lists(rows)
    method = PCTA(k=k, m=m, objective="dataset" if whole else "item", candidate_cap=cap)
    _, _, steps = policy_merging(rows, every_set(rows, m), k, whole_dataset=whole, candidate_cap=cap)
    published, private = run(method, data)
    assert private["steps"] == steps
    assert verify(published, ItemsetKmAnonymity(k=k, m=m), data).holds


@given(item_lists(), st.data(), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]), st.booleans(), st.booleans())
def test_policies_are_kept_as_defined(
    rows: Any, data: st.DataObject, k: int, share: float, every_item: bool, whole: bool
) -> None:
    items = sorted({item for row in rows for item in row})
    assume(items)
    listed = data.draw(st.lists(st.sets(st.sampled_from(items), min_size=1, max_size=4), max_size=5))
    group = {item: data.draw(st.integers(0, 3)) for item in items}
    sets = [[item for item in items if group[item] == number] for number in range(3)]  # group 3: in no set
    utility = UtilityPolicy([one for one in sets if one])
    method_class: Any = PCTA if every_item else COAT
    objective = "dataset" if whole else "item"
    privacy = PrivacyPolicy(listed)
    method = method_class(k=k, privacy=privacy, utility=utility, max_suppressed=share, objective=objective)
    most = int(share * len(items))
    satisfied, symbol, steps = policy_merging(
        rows, listed, k, utility=utility.sets, every_item=every_item, most_suppressed=most, whole_dataset=whole
    )
    transactions = Transactions.from_lists(rows)
    if not satisfied:
        with pytest.raises(PoliciesConflict) as raised:
            run(method, transactions)
        assert raised.value.details["steps"] == steps
        assert raised.value.code == "policies-conflict"
        return
    published, private = run(method, transactions)
    assert private["steps"] == steps
    assert list(published.suppressed) == [item for item in items if symbol[item] is None]
    assert verify(published, PolicyAnonymity(k=k, policy=PrivacyPolicy(listed)), transactions).holds
    for name in published.symbols.label_lists:
        assert len({group[item] for item in name}) == 1


def test_an_itemset_that_never_occurs_may_become_unsafe_and_is_then_mended() -> None:
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["c", "y"], ["c"]]
    policy = PrivacyPolicy([["b", "x"], ["b"]])
    data = Transactions.from_lists(rows)
    published, private = run(PCTA(k=2, privacy=policy), data)
    assert verify(published, PolicyAnonymity(k=2, policy=policy), data).holds
    assert private["steps"]


def test_an_unknown_item_in_a_policy_is_counted_and_does_no_harm() -> None:
    data = Transactions.from_lists([["a"], ["a"], ["b"]])
    context = RunContext()
    published = PCTA(k=2, privacy=PrivacyPolicy([["a", "unicorn"]])).anonymize(data, context)
    assert published.to_lists() == [["a"], ["a"], ["b"]]
    assert context.private["itemsets_with_unknown_items"] == 1
    assert context.warnings == ["1 itemsets of the privacy policy name an item that does not occur"]


def test_fewer_than_k_records_are_refused() -> None:
    with pytest.raises(TooFewRecords, match="2 non-empty records, 3 are required"):
        run(PCTA(k=3), Transactions.from_lists([["a"], ["b"], []]))


def test_what_is_stuck_is_named_with_the_remedies() -> None:
    data = Transactions.from_lists([["a"], ["b"], ["b"]])
    with pytest.raises(PoliciesConflict, match=r"\(a\) is still too rare.*Widen the utility policy") as raised:
        run(COAT(k=2, m=1, utility=UtilityPolicy([["b"]])), data)
    assert raised.value.details["stuck"] == ["a"]
    assert raised.value.exit_code == 3
    published, _ = run(COAT(k=2, m=1, utility=UtilityPolicy([["b"]]), max_suppressed=0.5), data)
    assert published.to_lists() == [[], ["b"], ["b"]]
    assert published.suppressed == ("a",)
