"""Visits of the same people in several sources: what each knows of a visit, joined into one with tighter bounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crypsis.errors import InconsistentEvidence
from crypsis.fuzzytime import FuzzyInterval, refine


@dataclass(frozen=True)
class SourceVisit:
    """A visit as one source tells it: who, where (a concept), and when, within bounds."""

    source: str
    person: str
    place: str
    time: FuzzyInterval


@dataclass(frozen=True)
class MergedVisit:
    """A visit that one or more sources know of."""

    person: str
    place: str
    time: FuzzyInterval
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Contradiction:
    """Visits that must be one by their order but cannot be by their times."""

    person: str
    place: str
    visits: tuple[SourceVisit, ...]


def merge_visits(visits: Iterable[SourceVisit]) -> tuple[list[MergedVisit], list[Contradiction]]:
    """Join visits of one person at one place that certainly overlap; those of one source are never joined.

    Two descriptions are of one visit if both certainly held at some instant; they are then refined. If their bounds
    contradict each other, both stay as they are and the contradiction is reported.
    """
    merged: list[MergedVisit] = []
    contradictions = []
    by_key: dict[tuple[str, str], list[SourceVisit]] = {}
    for visit in visits:
        by_key.setdefault((visit.person, visit.place), []).append(visit)
    for (person, place), listed in sorted(by_key.items()):
        listed.sort(key=lambda visit: (visit.time.bounds, visit.source))
        open_visits: list[MergedVisit] = []
        for visit in listed:
            fitting = [
                each
                for each in open_visits
                if visit.source not in each.sources and each.time.presence(visit.time) == "definitely"
            ]
            if not fitting:
                open_visits.append(MergedVisit(person, place, visit.time, (visit.source,)))
                continue
            try:
                joined = refine(fitting[0].time, visit.time)
            except InconsistentEvidence:
                same = [each for each in listed if each.source in fitting[0].sources]
                contradictions.append(Contradiction(person, place, (*same, visit)))
                open_visits.append(MergedVisit(person, place, visit.time, (visit.source,)))
                continue
            sources = tuple(sorted((*fitting[0].sources, visit.source)))
            open_visits[open_visits.index(fitting[0])] = MergedVisit(person, place, joined, sources)
        merged += open_visits
    return merged, contradictions
