"""Metrics of sets answered from synthetic transactions: their copies count as records."""

from __future__ import annotations

import pytest

from crypsis import ItemDomain, SyntheticTransactions, Transactions
from crypsis.metrics import measure
from crypsis.metrics.itemset_queries import itemset_query_error

ORIGINAL = Transactions.from_lists([["a", "b"]] * 4 + [["c"]] * 2 + [["a"]])
DOMAIN = ItemDomain(["a", "b", "c", "d"])


def made(*rows) -> SyntheticTransactions:
    return SyntheticTransactions.from_lists(rows, DOMAIN)


def test_itemset_queries_by_hand():
    """True: ab 4, c 2, d 0. Published: ab 3, c 4, d 1."""
    found = itemset_query_error(ORIGINAL, made((3, "ab"), (4, "c"), (1, "d")), queries=[["a", "b"], ["c"], ["d"]])
    assert found.errors.tolist() == [1 / 4, 1, 1]
    assert found.zero == 1


def test_an_exact_release_has_no_error_and_nothing_has_all():
    exact = measure(ORIGINAL, made((4, "ab"), (2, "c"), (1, "a")), ["itemset_query_loss", "item_frequency_loss"])
    assert exact["itemset_query_loss"] == exact["item_frequency_loss"] == 0
    nothing = measure(ORIGINAL, made(), ["itemset_query_loss", "item_frequency_loss", "tkd_loss"])
    assert nothing["itemset_query_loss"] == nothing["item_frequency_loss"] == nothing["tkd_loss"] == 1


def test_default_figures_are_those_that_read_copies():
    figures = measure(ORIGINAL, made((4, "ab"), (2, "c")))
    assert figures["item_frequency_loss"] == pytest.approx((1 / 5 + 0 + 0) / 3)
    assert "item_ncp_loss" not in figures
