"""Questions to a release as people type them: on the command line, in the browser, in a request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np

from crypsis.data.timed_places import CYCLES
from crypsis.errors import BadParameter, BadQuery, NotApplicable, OptionWithoutEffect
from crypsis.fuzzytime import FuzzyInterval
from crypsis.fuzzytime.array import MODES
from crypsis.query.bounds import Bounds, bounds_of, presence_bounds, relation_bounds
from crypsis.query.copresence import copresence_bounds
from crypsis.query.count import NO_BOUNDS as WHY_NO_BOUNDS
from crypsis.query.dwell import dwell_bounds
from crypsis.query.estimate import estimate_presence
from crypsis.query.origin_destination import od_bounds
from crypsis.query.periods import read_period
from crypsis.query.published_movements import visits_of
from crypsis.query.visits import PublishedVisits


class Asked(Protocol):
    """What a question needs of a release."""

    data: Any

    @property
    def truthful(self) -> bool: ...

    @property
    def complete(self) -> bool: ...

    def figures(self) -> dict[str, Any]: ...

    def count(self, query: str) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question; what its kind does not use stays empty."""

    kind: str
    region: tuple[str, ...] = ()
    period: str = ""
    mode: str = ""
    relation: str = ""
    origin: tuple[str, ...] = ()
    destination: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadQuery(f"There is no question {self.kind!r}; ask one of {', '.join(KINDS)}.")
        needed, others, _ = KINDS[self.kind]
        for name in (field.name for field in fields(self) if field.name != "kind"):
            given = bool(getattr(self, name))
            if given and name not in (*needed, *others):
                raise OptionWithoutEffect(f"A question of {self.kind} does not use {name}; leave it out.")
            if not given and name in needed:
                raise BadQuery(_MISSING.get(name, f"A question of {self.kind} needs {name}."))
        if self.mode and self.mode not in MODES:
            raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {self.mode!r}.", parameter="mode")


@dataclass(frozen=True)
class Answer:
    """What a program reads, and what people read."""

    content: dict[str, Any]
    words: str


def ask(release: Asked, question: Question) -> Answer:
    """The answer to a question; `NotApplicable` says what a release does not tell."""
    return KINDS[question.kind][2](release, question)


def visits_to_ask(release: Asked, *, timed: bool, bounded: bool = True) -> PublishedVisits:
    """The visits of a release: of a truthful one unless estimates will do, with times where the question needs them."""
    try:
        if bounded and not release.truthful:
            raise NotApplicable(NO_BOUNDS)
        visits = visits_of(release.data, truthful=release.truthful, complete=release.complete)
    except NotApplicable:
        if release.truthful:
            raise
        raise NotApplicable(NO_BOUNDS) from None
    if timed and release.data.timed is None:
        raise NotApplicable(
            "This release tells the order of visits and no times. Anonymize with times='merge' to publish times."
        )
    return visits


NO_BOUNDS = (
    "This release gives no bounds: its records are drawn, replaced or noisy, so none of them need be true of "
    "anybody. `crypsis measure` compares it with the original."
)


def _presence(release: Asked, question: Question) -> Answer:
    visits = visits_to_ask(release, timed=True, bounded=False)
    period, mode = _period(release, question.period), question.mode or "sometime"
    expected = _expected(visits, question.region, period, mode)
    if not release.truthful:
        if expected is None:
            raise NotApplicable(NO_BOUNDS)
        told = {"estimate": expected, "counts": visits.counts, **_facts(release), "why_no_bounds": WHY_NO_BOUNDS}
        return Answer(told, f"about {expected:,.1f} {visits.counts}; an estimate without bounds: {WHY_NO_BOUNDS}")
    found = _bounds(release, presence_bounds(visits, question.region, period, mode))
    if expected is None:
        return found
    return Answer({**found.content, "estimate": expected}, f"{found.words}; about {expected:,.1f} if spread evenly")


def _expected(visits: PublishedVisits, region: tuple[str, ...], period: FuzzyInterval, mode: str) -> float | None:
    """The expected number of people; None for times without dates, and for periods whose ends are not exact."""
    first, begun, ending, last = period.bounds
    if visits.cycle or first != begun or ending != last:
        return None
    return estimate_presence(visits, region, first, last, mode)


def _relation(release: Asked, question: Question) -> Answer:
    visits = visits_to_ask(release, timed=True)
    period = _period(release, question.period)
    return _bounds(release, relation_bounds(visits, question.region, period, question.relation))


def _origin_destination(release: Asked, question: Question) -> Answer:
    visits = visits_to_ask(release, timed=False)
    return _bounds(release, od_bounds(visits, question.origin, question.destination))


def _dwell(release: Asked, question: Question) -> Answer:
    visits = visits_to_ask(release, timed=True)
    asked = _period(release, question.period)
    if asked.outer_start != asked.inner_start or asked.inner_end != asked.outer_end:
        raise BadQuery("The time spent in a region is asked for between two instants, not four.")
    found = dwell_bounds(visits, question.region, asked.outer_start, asked.outer_end)
    least, greatest = float(found.least.sum()), float(found.greatest.sum())
    told = {"least_seconds": least, "greatest_seconds": greatest, **_facts(release)}
    words = f"at least {least / 3600:,.2f} hours, at most {greatest / 3600:,.2f} hours in all"
    return Answer(told, words + _beyond(release))


def _copresence(release: Asked, question: Question) -> Answer:
    found = copresence_bounds(visits_to_ask(release, timed=True))
    definite, possible = len(found.definite), len(found.possible)
    told = {"definite": definite, "possible": possible, "counts": "pairs of trajectories", **_facts(release)}
    return Answer(told, f"at least {definite:,}, at most {possible:,} pairs of trajectories" + _beyond(release))


def _places(release: Asked, question: Question) -> Answer:
    visits = visits_to_ask(release, timed=False)
    rows = []
    for label in visits.cell_labels:
        found = bounds_of(visits, visits.per_person(np.asarray(visits.place_answers([label]))))
        rows.append({"place": label, "definite": found.definite, "possible": found.possible})
    return Answer({"places": rows}, "")


def _count(release: Asked, question: Question) -> Answer:
    found = release.count(" and ".join(question.conditions))
    return Answer(found.to_json(), str(found))


KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[Asked, Question], Answer]]] = {
    "presence": (("region", "period"), ("mode",), _presence),
    "relation": (("region", "period", "relation"), (), _relation),
    "od": (("origin", "destination"), (), _origin_destination),
    "dwell": (("region", "period"), (), _dwell),
    "copresence": ((), (), _copresence),
    "places": ((), (), _places),
    "count": (("conditions",), (), _count),
}
"""By kind: what a question needs, what it may also say, and how it is answered."""
_NO_PLACES = "A region is a list of places, such as home,park; none is named. `crypsis query places` lists them."
_MISSING = dict.fromkeys(("region", "origin", "destination"), _NO_PLACES)


def _period(release: Asked, text: str) -> FuzzyInterval:
    timed = release.data.timed
    return read_period(text, clock=timed.clock, cycle=CYCLES[timed.cycle])


def _bounds(release: Asked, found: Bounds) -> Answer:
    told = {"definite": found.definite, "possible": found.possible, "counts": found.counts, **_facts(release)}
    loss = release.figures().get("temporal_loss")
    if loss is None:
        return Answer(told, str(found))
    return Answer({**told, "fuzziness": loss}, f"{found}; fuzziness of times {loss:.2f}")


def _facts(release: Asked) -> dict[str, bool]:
    return {"truthful": release.truthful, "complete": release.complete}


def _beyond(release: Asked) -> str:
    return "" if release.complete else ", not counting what was suppressed"
