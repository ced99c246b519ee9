"""Visits of two sources become one with tighter bounds, and contradictions are reported."""

from __future__ import annotations

from crypsis.fuzzytime import FuzzyInterval
from crypsis.warehouse.visits import SourceVisit, merge_visits


def visit(source: str, *bounds: int, place: str = "harbour", person: str = "p") -> SourceVisit:
    return SourceVisit(source, person, place, FuzzyInterval(*bounds))


def test_two_descriptions_of_one_visit_are_refined() -> None:
    merged, contradictions = merge_visits([visit("register", 0, 4, 8, 12), visit("clinic", 2, 5, 7, 11)])
    assert contradictions == []
    (one,) = merged
    assert (one.time.bounds, one.sources) == ((2, 4, 8, 11), ("clinic", "register"))


def test_visits_of_one_source_or_of_other_places_stay_apart() -> None:
    merged, _ = merge_visits(
        [visit("register", 0, 4, 8, 12), visit("register", 1, 4, 8, 12), visit("clinic", 0, 4, 8, 12, place="museum")]
    )
    assert len(merged) == 3


def test_visits_that_only_may_overlap_stay_apart() -> None:
    merged, _ = merge_visits([visit("register", 0, 0, 2, 6), visit("clinic", 4, 8, 9, 10)])
    assert len(merged) == 2


def test_a_contradiction_is_reported_and_nothing_is_lost() -> None:
    told = [visit("register", 0, 1, 4, 5), visit("clinic", 2, 3, 8, 9)]
    merged, contradictions = merge_visits(told)
    assert len(merged) == 2
    assert [contradiction.visits for contradiction in contradictions] == [tuple(told)]
