"""Losses of generalized sets against their definitions, with exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, NotApplicable
from crypsis.hierarchy import ItemHierarchy
from crypsis.methods import LRA, PCTA
from crypsis.metrics.item_ncp import item_ncp, item_ncp_loss
from crypsis.metrics.utility_loss import record_losses, utility_loss
from crypsis.run_context import RunContext
from tests.reference import generalization as reference
from tests.strategies import item_lists

sizes = st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=6)


@given(sizes, st.booleans())
def test_losses_of_records_are_those_of_the_formula(records: list[list[int]], literal: bool) -> None:
    flat = np.array([size for record in records for size in record], np.int64)
    offsets = offsets_of(np.array([len(record) for record in records], np.int64))
    losses = record_losses(offsets, np.arange(len(flat), dtype=np.int32), flat, literal=literal)
    expected = [reference.utility_loss([("x",) * size for size in record], literal=literal) for record in records]
    assert losses.tolist() == pytest.approx([float(loss) for loss in expected], rel=1e-12)


@pytest.mark.parametrize(
    ("record", "loss"), [([1100, 3], 0.125), ([2000, 2000], 0.0), ([5000], 1.0), ([1] * 3000, 0.0)]
)
def test_astronomic_numbers_of_sets_do_no_harm(record: list[int], loss: float) -> None:
    codes = np.arange(len(record), dtype=np.int32)
    assert record_losses(np.array([0, len(record)]), codes, np.array(record)).tolist() == [loss]


@given(item_lists(), st.integers(1, 3))
def test_penalties_add_up_what_each_occurrence_may_stand_for(rows: list[list[str]], k: int) -> None:
    if sum(map(bool, rows)) < k:
        return
    data = Transactions.from_lists(rows)
    for method in (PCTA(k=k, m=2), LRA(k=k, m=2, partition_size=2)):
        published = method.anonymize(data, RunContext())
        shown = [[[one] if isinstance(one, str) else one for one in row] for row in published.to_lists()]
        domain = published.domain
        assert domain is not None
        spans = [
            min(len(symbol) for symbol in shown[row] if item in symbol)
            for row, record in enumerate(rows)
            for item in record
        ]
        expected = Fraction(sum(span for span in spans if span > 1), domain * len(spans))
        assert item_ncp(data, published) == expected


def test_what_is_missing_counts_as_everything() -> None:
    data = Transactions.from_lists([["a", "b"], ["a"]])
    published = PublishedTransactions.from_lists([["a"], ["a"]], suppressed=["b"])
    assert item_ncp(data, published) == Fraction(1, 3)
    assert utility_loss(data, published) == 0.0


def test_sorted_rows_of_a_local_recoding_cannot_be_compared() -> None:
    data = Transactions.from_lists([["a"], ["b"], ["c"]])
    published = PublishedTransactions.from_lists([[["b", "c"]], ["c"], [["a", "b"]]])
    with pytest.raises(NotApplicable, match="cannot be compared"):
        item_ncp_loss(data, published)
    with pytest.raises(NotApplicable):
        item_ncp_loss(data, PublishedTransactions.from_lists([["a"]]))


def test_the_printed_formula_and_a_hierarchy_can_be_asked_for() -> None:
    data = Transactions.from_lists([["a", "b"], ["c"]])
    published = PublishedTransactions.from_lists([[["a", "b"]], ["c"]])
    tree = ItemHierarchy([("a", "x"), ("b", "x"), ("c", "r"), ("x", "r")])
    assert utility_loss(data, published) == pytest.approx((1 + 0) / 2)
    assert utility_loss(data, published, ul="literal") == pytest.approx((1 + 1) / 2)
    assert utility_loss(data, published, hierarchy=tree) == pytest.approx((2 / 4 + 0) / 2)
    with pytest.raises(BadParameter, match="'zero' or 'literal'"):
        utility_loss(data, published, ul="other")
