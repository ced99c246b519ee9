"""The itemset attack: as many candidates as the definition counts, and never fewer than promised."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.attacks import ItemsetAttack
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable, TooLarge
from crypsis.methods import PCTA
from crypsis.run_context import RunContext
from tests.strategies import item_lists


def fewest(rows: list[list[str]], published: PublishedTransactions, size: int) -> list[int]:
    """From the definition: the worst of everything of up to `size` items that may be known."""
    shown = [[{one} if isinstance(one, str) else set(one) for one in row] for row in published.to_lists()]
    found = []
    for row in rows:
        counts = [
            sum(all(any(item in symbol for symbol in one) for item in known) for one in shown)
            for length in range(1, size + 1)
            for known in combinations(row, length)
        ]
        found.append(min(counts, default=len(shown)))
    return found


@given(item_lists(), st.integers(1, 3), st.booleans())
def test_candidates_are_those_of_the_definition(rows: list[list[str]], k: int, protect: bool) -> None:
    data = Transactions.from_lists(rows)
    protect = protect and sum(map(bool, rows)) >= k
    published = PCTA(k=k, m=2).anonymize(data, RunContext()) if protect else PublishedTransactions.from_lists(rows)
    result = ItemsetAttack(knowledge=2, beyond=1).run(published, data)
    for size in range(1, 4):
        assert result.candidates[:, size - 1].tolist() == fewest(rows, published, size)
    if protect and result.individuals:
        assert result.outcome.fewest_candidates >= k


def test_the_original_itself_can_be_attacked_for_comparison() -> None:
    data = Transactions.from_lists([["a", "b"], ["a"], ["b"]])
    result = ItemsetAttack(knowledge=2, beyond=0).run(data, data)
    assert result.candidates.tolist() == [[2, 1], [2, 2], [2, 2]]
    assert result.outcome.share_unique == pytest.approx(1 / 3)


def test_a_suppressed_item_tells_nothing_and_a_secret_is_not_known() -> None:
    data = Transactions.from_lists([["a", "b"], ["a"]], sensitive=["b"])
    shown = PublishedTransactions.from_lists([["a"], ["a"]], suppressed=["b"])
    assert ItemsetAttack(knowledge=2, beyond=0).run(shown, data).candidates.tolist() == [[2, 2], [2, 2]]


def test_of_long_records_the_rarest_items_are_tried() -> None:
    rows = [["a", "b", "c"], ["a", "b"], ["a"]]
    data = Transactions.from_lists(rows)
    result = ItemsetAttack(knowledge=1, beyond=0, rarest=1).run(data, data)
    assert result.candidates[:, 0].tolist() == [1, 2, 3]


def test_other_kinds_of_data_and_too_much_work_are_refused() -> None:
    data = Transactions.from_lists([["a"]])
    with pytest.raises(NotApplicable):
        ItemsetAttack().run([["a"]], data)
    with pytest.raises(NotApplicable):
        ItemsetAttack().run(data, [["a"]])
    wide = Transactions.from_lists([[f"i{number}" for number in range(100)]] * 2)
    with pytest.raises(TooLarge):
        ItemsetAttack(knowledge=20, beyond=0, rarest=100).run(wide, wide)
    assert np.all(ItemsetAttack(knowledge=2, beyond=0).run(wide, wide).candidates == 2)
