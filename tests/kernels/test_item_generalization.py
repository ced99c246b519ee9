"""The kernels of Apriori and of COAT and PCTA, compiled or not, take the steps of the definitions."""

from __future__ import annotations

from itertools import combinations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crypsis.data.transaction import Transactions
from crypsis.hierarchy import BalancedHierarchy
from crypsis.methods import COAT, PCTA, Apriori
from crypsis.run_context import RunContext
from tests.reference import generalization as reference
from tests.strategies import item_lists


@settings(max_examples=40)
@given(item_lists(), st.integers(2, 4), st.integers(1, 3), st.sampled_from([0.0, 0.3]))
def test_raising_a_cut(rows: list[list[str]], k: int, m: int, share: float) -> None:
    filled = [row for row in rows if row]
    assume(len(filled) >= k)
    data = Transactions.from_lists(rows)
    tree = BalancedHierarchy(2).make(data)
    most = int(share * sum(map(len, rows)))
    expected = reference.apriori(filled, reference.Tree(dict(tree.to_pairs())), k, m, most_deleted=most)
    assume(expected is not None)
    assert expected is not None
    context = RunContext()
    Apriori(k=k, m=m, hierarchy=tree, max_suppressed_items=share).anonymize(data, context)
    assert context.private["steps"] == expected[1]


@settings(max_examples=40)
@given(item_lists(max_items=6), st.integers(2, 4), st.integers(1, 3), st.sampled_from(["coat", "item", "dataset"]))
def test_merging_for_a_policy(rows: list[list[str]], k: int, m: int, form: str) -> None:
    assume(sum(map(bool, rows)) >= k)
    every = {one for row in rows for size in range(1, m + 1) for one in combinations(sorted(row), size)}
    _, _, steps = reference.policy_merging(rows, every, k, every_item=form != "coat", whole_dataset=form == "dataset")
    context = RunContext()
    method = COAT(k=k, m=m) if form == "coat" else PCTA(k=k, m=m, objective=form)
    method.anonymize(Transactions.from_lists(rows), context)
    assert context.private["steps"] == steps
