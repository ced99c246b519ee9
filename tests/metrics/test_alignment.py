"""Alignment finds the symbol of every visit, and refuses rows that were not made from the original."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.symbols import SymbolText
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, UnknownLocation
from crypsis.metrics.alignment import align
from tests.metrics.recodings import Recoding, global_recodings, local_recodings, shuffled

Rows = list[list[SymbolText]]


def aligned(original: Trajectories, published: PublishedTrajectories) -> list[frozenset[str] | None]:
    alignment = align(original, published)
    names = alignment.published.symbols.label_lists
    return [None if symbol < 0 else frozenset(names[symbol]) for symbol in alignment.symbol_of_visit.tolist()]


@given(global_recodings(), st.integers(0, 9))
def test_every_visit_finds_its_symbol_in_any_row_order(recoding: Recoding, seed: int) -> None:
    meant = [symbol for row in recoding.meant for symbol in row]
    assert aligned(recoding.original, recoding.published) == meant
    assert aligned(recoding.original, shuffled(recoding.published, seed)) == meant


@given(local_recodings())
def test_every_visit_finds_its_symbol_when_each_was_recoded_on_its_own(recoding: Recoding) -> None:
    assert aligned(recoding.original, recoding.published) == [s for row in recoding.meant for s in row]


@given(global_recodings(suppress=False), st.data())
def test_one_changed_element_is_noticed(recoding: Recoding, data: st.DataObject) -> None:
    rows = [list(row) for row in recoding.rows]
    assume(sum(map(len, rows)) > 0)
    row = data.draw(st.sampled_from([number for number, symbols in enumerate(rows) if symbols]))
    place = data.draw(st.integers(0, len(rows[row]) - 1))
    symbols = PublishedTrajectories.from_lists(rows).symbols.texts
    rows[row][place] = data.draw(st.sampled_from([s for s in symbols if s != rows[row][place]] or ["z"]))
    with pytest.raises((NotApplicable, UnknownLocation)):
        align(recoding.original, PublishedTrajectories.from_lists(rows))


def test_a_dropped_row_is_noticed() -> None:
    original = Trajectories.from_lists([["a"], ["b"]])
    with pytest.raises(NotApplicable, match="1 published rows for 2 original trajectories"):
        align(original, PublishedTrajectories.from_lists([["a"]]))


def test_a_split_symbol_is_noticed() -> None:
    original = Trajectories.from_lists([["a"], ["b"], ["a"]])
    with pytest.raises(NotApplicable, match="row 2"):
        align(original, PublishedTrajectories.from_lists([[["a", "b"]], [["a", "b"]], ["b"]]))


def test_a_row_more_often_than_it_was_made_is_noticed() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b", "a"], ["b"]])
    rows: Rows = [["b", "a"], ["b", "a"], ["b"]]
    with pytest.raises(NotApplicable, match="occurs 2 times, but recoding the original gives it 1 times"):
        align(original, PublishedTrajectories.from_lists(rows))


def test_overlapping_symbols_in_another_order_cannot_be_aligned() -> None:
    original = Trajectories.from_lists([["a"], ["b"], ["c"]])
    rows: Rows = [[["a", "b"]], [["b", "c"]], ["c"]]
    align(original, PublishedTrajectories.from_lists(rows))
    with pytest.raises(NotApplicable, match="overlap, rows cannot be matched"):
        align(original, PublishedTrajectories.from_lists(rows[::-1]))


def test_an_undeclared_cut_is_noticed() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b"]])
    rows: Rows = [["a"], ["b"]]
    align(original, PublishedTrajectories.from_lists(rows, longest=1))
    with pytest.raises(NotApplicable):
        align(original, PublishedTrajectories.from_lists(rows))


def test_synthetic_sequences_are_refused_with_advice() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b"]])
    with pytest.raises(NotApplicable, match="visit_query_loss") as refusal:
        align(original, PublishedTrajectories.from_lists([["b", "b", "a"], ["a"]]), "distance_loss")
    assert str(refusal.value).startswith("distance_loss compares each published row")


def test_a_foreign_location_is_named() -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(UnknownLocation, match="'z'"):
        align(original, PublishedTrajectories.from_lists([[["a", "z"]]]))


def test_symbols_that_no_row_uses_do_not_count() -> None:
    original = Trajectories.from_lists([["a"], ["b"]])
    wider = PublishedTrajectories.from_lists([["a"], ["b"], [["a", "b"]]])
    published = PublishedTrajectories(wider.offsets[:3].copy(), wider.codes[:2].copy(), wider.symbols)
    assert aligned(original, published) == [frozenset("a"), frozenset("b")]
