"""What a question to published data is answered with: at least, at most, and whether the truth must lie between."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crypsis.arrays import Int8s
from crypsis.errors import BadQuery
from crypsis.fuzzytime import FuzzyArray, FuzzyInterval
from crypsis.fuzzytime.interval import Number
from crypsis.fuzzytime.relations import DEFINITELY, POSSIBLY
from crypsis.query.visits import PublishedVisits

Period = FuzzyInterval | Sequence[Number]


@dataclass(frozen=True)
class Bounds:
    """At least `definite` people, at most `possible` of those in the release.

    `guaranteed` is false where the release is not truthful: then neither number bounds anything.
    """

    definite: int
    possible: int
    definite_people: tuple[str, ...] = field(repr=False)
    possible_people: tuple[str, ...] = field(repr=False)
    truthful: bool
    complete: bool
    counts: str = "people"

    @property
    def guaranteed(self) -> bool:
        """The true number of people of the release lies between both."""
        return self.truthful

    def __str__(self) -> str:
        if not self.truthful:
            return "no bounds: the published records are not generalizations of true ones"
        beyond = "" if self.complete else ", not counting what was suppressed"
        return f"at least {self.definite:,}, at most {self.possible:,} {self.counts}" + beyond


def as_period(period: Period) -> FuzzyInterval:
    """A fuzzy interval, or two numbers for a crisp period, or four."""
    if isinstance(period, FuzzyInterval):
        return period
    if len(period) == 2:
        if period[0] > period[1]:
            raise BadQuery(f"A period must not end before it begins, got {period[0]} to {period[1]}.")
        return FuzzyInterval.crisp(*period)
    if len(period) == 4:
        return FuzzyInterval.normalize(*period)
    raise BadQuery(f"A period has two or four instants, got {len(period)}.")


def presence_bounds(
    visits: PublishedVisits,
    region: Collection[str],
    period: Period,
    mode: str = "sometime",
    *,
    stitch: bool = True,
) -> Bounds:
    """How many people were in a region sometime in a period, throughout it, or within it only.

    `stitch` joins contiguous visits that lie wholly in the region: who walked from one of its cells into the next was
    in the region all the time, although neither visit alone proves it. Likewise, whoever may have gone from one of its
    cells straight into the next may have been in the region throughout. Without it, only single visits count.
    """
    return bounds_of(visits, presence_answers(visits, visits.place_answers(region), as_period(period), mode, stitch))


def presence_answers(
    visits: PublishedVisits, places: Int8s, period: FuzzyInterval, mode: str = "sometime", stitch: bool = True
) -> Int8s:
    """Per person, whether they were where `places` says, at the time asked for: 0 no, 1 possibly, 2 definitely."""
    answers = np.zeros(visits.n_people, np.int8)
    for asked in _repetitions(visits, period):
        np.maximum(answers, visits.per_person(np.minimum(places, visits.times.presence(asked, mode))), out=answers)
        if stitch and mode != "within" and visits.contiguous is not None and visits.contiguous.any():
            joined, people = _stitch(visits, places)
            np.maximum.at(answers, people, joined.presence(asked, mode))
        if stitch and mode == "throughout":
            np.maximum.at(answers, _possible_stays(visits, places, asked), POSSIBLY)
    return answers


def _repetitions(visits: PublishedVisits, period: FuzzyInterval) -> list[FuzzyArray]:
    """The period; by time of day or week, also the same a day or week before and after, as far as visits last."""
    if not visits.cycle:
        return [FuzzyArray.of([period])]
    ends = visits.times.as_floats(visits.times.outer_end)
    last = float(ends[np.isfinite(ends)].max(initial=2 * visits.cycle))
    bounds = period.bounds
    return [
        FuzzyArray.of([FuzzyInterval(*(bound + index * visits.cycle for bound in bounds))])
        for index in range(-1, int(last // visits.cycle) + 1)
    ]


def relation_bounds(visits: PublishedVisits, region: Collection[str], period: Period, relation: str) -> Bounds:
    """How many people have a visit in a region that stands in one of Allen's relations to a period."""
    from crypsis.fuzzytime.relations import CODES, RELATIONS

    if relation not in CODES:
        raise BadQuery(f"There is no relation {relation!r}; the relations are {', '.join(RELATIONS)}.")
    refuse_cycle(visits, "Relations to a period")
    masks = visits.times.possible_mask(FuzzyArray.of([as_period(period)]))
    bit = 1 << CODES[relation]
    answers = np.where(masks == bit, DEFINITELY, np.where(masks & bit, POSSIBLY, 0)).astype(np.int8)
    return bounds_of(visits, visits.per_person(np.minimum(visits.place_answers(region), answers)))


def bounds_of(visits: PublishedVisits, answers: Int8s) -> Bounds:
    """The bounds that an answer per person gives."""
    definite, possible = np.flatnonzero(answers == DEFINITELY), np.flatnonzero(answers >= POSSIBLY)
    return Bounds(
        len(definite),
        len(possible),
        tuple(visits.person_labels[person] for person in definite),
        tuple(visits.person_labels[person] for person in possible),
        visits.truthful,
        visits.complete,
        visits.counts,
    )


def refuse_cycle(visits: PublishedVisits, what: str) -> None:
    """Refuse what times without dates do not tell."""
    if visits.cycle:
        raise BadQuery(f"{what} cannot be told from this release: it tells the time of day or week, without dates.")


def _stitch(visits: PublishedVisits, places: Int8s) -> tuple[FuzzyArray, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Runs of contiguous visits that lie definitely in the region, as one interval each, and whose they are."""
    assert visits.contiguous is not None
    os, is_, ie, oe = visits.times.columns
    joins = np.zeros(len(visits), np.bool_)
    joins[1:] = (
        visits.contiguous[1:]
        & (visits.person[1:] == visits.person[:-1])
        & (places[1:] == DEFINITELY)
        & (places[:-1] == DEFINITELY)
        & (ie[:-1] == os[1:])
        & (oe[:-1] == is_[1:])
    )
    firsts = np.flatnonzero(~joins & np.append(joins[1:], False))
    lasts = np.flatnonzero(joins & ~np.append(joins[1:], False))
    return FuzzyArray(os[firsts], is_[firsts], ie[lasts], oe[lasts]), visits.person[firsts]


def _possible_stays(visits: PublishedVisits, places: Int8s, asked: FuzzyArray) -> Any:
    """People who may have covered the period by several visits, one directly after another, each possibly inside."""
    os, oe = visits.times.outer_start, visits.times.outer_end
    slots = np.flatnonzero(places >= POSSIBLY)
    if not len(slots):
        return slots
    follows = np.zeros(len(slots), np.bool_)
    follows[1:] = visits.person[slots[1:]] == visits.person[slots[:-1]]
    if visits.ordered:  # a visit elsewhere, or a gap that is certain, ends the stay
        follows[1:] &= (slots[1:] == slots[:-1] + 1) & (os[slots[1:]] <= oe[slots[:-1]])
    stays = np.flatnonzero(~follows)
    begins, ends = np.minimum.reduceat(os[slots], stays), np.maximum.reduceat(oe[slots], stays)
    covered = (begins <= asked.latest_start) & (asked.earliest_end <= ends)
    return visits.person[slots[stays[covered]]]
