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
from crypsis.hierarchy import Taxonomy
from crypsis.query.bounds import Bounds, bounds_of, presence_bounds, relation_bounds
from crypsis.query.copresence import copresence_bounds
from crypsis.query.count import NO_BOUNDS as WHY_NO_BOUNDS
from crypsis.query.dwell import dwell_bounds_in
from crypsis.query.estimate import estimate_presence_in
from crypsis.query.origin_destination import od_bounds
from crypsis.query.periods import read_period
from crypsis.query.regions import NODE, nodes_of, places_in
from crypsis.query.visits import PublishedVisits


class Asked(Protocol):
    """What a question needs of a release."""

    data: Any

    @property
    def visits(self) -> PublishedVisits: ...

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

    @property
    def names_nodes(self) -> bool:
        """Some region is named by a node of a taxonomy."""
        return any(name.startswith(NODE) for name in (*self.region, *self.origin, *self.destination))


@dataclass(frozen=True)
class Answer:
    """What a program reads, what people read, and below it in brief what the bounds rest on."""

    content: dict[str, Any]
    words: str
    facts: str = ""


@dataclass(frozen=True)
class _Asking:
    """A question to a release, with the taxonomy that names regions."""

    release: Asked
    question: Question
    taxonomy: Taxonomy | None

    def visits(self, *, timed: bool, bounded: bool = True) -> PublishedVisits:
        return visits_to_ask(self.release, timed=timed, bounded=bounded)

    def places(self, name: str = "region") -> tuple[str, ...]:
        return places_in(self.release.visits, getattr(self.question, name), self.taxonomy)

    @property
    def period(self) -> FuzzyInterval:
        timed = self.release.data.timed
        return read_period(self.question.period, clock=timed.clock, cycle=CYCLES[timed.cycle])


def ask(release: Asked, question: Question, taxonomy: Taxonomy | None = None) -> Answer:
    """The answer to a question; `NotApplicable` says what a release does not tell.

    `taxonomy` is a public tree of places, whose nodes name regions; without it that of the release is used, where the
    release has one.
    """
    return KINDS[question.kind][2](_Asking(release, question, taxonomy or published_taxonomy(release)))


def published_taxonomy(release: Asked) -> Taxonomy | None:
    """The taxonomy of places that a release publishes; None where it has none."""
    pairs = getattr(release.data, "place_tree", ())
    return Taxonomy(pairs) if pairs else None


def visits_to_ask(release: Asked, *, timed: bool, bounded: bool = True) -> PublishedVisits:
    """The visits of a release: of a truthful one unless estimates will do, with times where the question needs them."""
    try:
        if bounded and not release.truthful:
            raise NotApplicable(NO_BOUNDS)
        visits = release.visits
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


NO_ESTIMATE = (
    "This release gives neither bounds nor an estimate: its records are drawn, replaced or noisy, so none of them need "
    "be true of anybody, and its times have no dates or no ends. `crypsis measure` compares it with the original."
)


def _presence(asking: _Asking) -> Answer:
    release, mode = asking.release, asking.question.mode or "sometime"
    visits = asking.visits(timed=True, bounded=False)
    places, period = asking.places(), asking.period
    expected = None if visits.cycle else estimate_presence_in(visits, places, period, mode)
    if not release.truthful:
        if expected is None:
            raise NotApplicable(NO_ESTIMATE)
        answer = {"estimate": expected, "counts": visits.counts, **_told_facts(release), "why_no_bounds": WHY_NO_BOUNDS}
        facts = f"expected {expected:,.1f}{_fuzziness(release)}   truthful no"
        return Answer(
            answer, f"about {expected:,.1f} {visits.counts}; an estimate without bounds: {WHY_NO_BOUNDS}", facts
        )
    found = _bounds(release, presence_bounds(visits, places, period, mode))
    if expected is None:
        return found
    words = f"{found.words}; about {expected:,.1f} if spread evenly"
    return Answer({**found.content, "estimate": expected}, words, found.facts)


def _relation(asking: _Asking) -> Answer:
    visits = asking.visits(timed=True)
    return _bounds(asking.release, relation_bounds(visits, asking.places(), asking.period, asking.question.relation))


def _origin_destination(asking: _Asking) -> Answer:
    visits = asking.visits(timed=False)
    return _bounds(asking.release, od_bounds(visits, asking.places("origin"), asking.places("destination")))


def _dwell(asking: _Asking) -> Answer:
    release, visits = asking.release, asking.visits(timed=True)
    bounds = dwell_bounds_in(visits, asking.places(), asking.period)
    least, greatest = float(bounds.least.sum()), float(bounds.greatest.sum())
    answer = {"least_seconds": least, "greatest_seconds": greatest, **_told_facts(release)}
    words = f"at least {least / 3600:,.2f} hours, at most {greatest / 3600:,.2f} hours in all"
    return Answer(answer, words + _beyond(release), _brief(release, f"{least / 3600:,.2f}", f"{greatest / 3600:,.2f}"))


def _copresence(asking: _Asking) -> Answer:
    release, bounds = asking.release, copresence_bounds(asking.visits(timed=True))
    definite, possible = len(bounds.definite), len(bounds.possible)
    answer = {"definite": definite, "possible": possible, "counts": "pairs of trajectories", **_told_facts(release)}
    words = f"at least {definite:,}, at most {possible:,} pairs of trajectories"
    return Answer(answer, words + _beyond(release), _brief(release, f"{definite:,}", f"{possible:,}"))


def _places(asking: _Asking) -> Answer:
    visits = asking.visits(timed=False)
    rows = []
    for label in visits.cell_labels:
        bounds = bounds_of(visits, visits.per_person(np.asarray(visits.place_answers([label]))))
        rows.append({"place": label, "definite": bounds.definite, "possible": bounds.possible})
    nodes = [{"node": name, "places": count} for name, count in nodes_of(visits, asking.taxonomy).items()]
    return Answer({"places": rows, "nodes": nodes}, "")


def _count(asking: _Asking) -> Answer:
    bounds = asking.release.count(" and ".join(asking.question.conditions))
    return Answer(bounds.to_json(), str(bounds))


KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[_Asking], Answer]]] = {
    "presence": (("region", "period"), ("mode",), _presence),
    "relation": (("region", "period", "relation"), (), _relation),
    "od": (("origin", "destination"), (), _origin_destination),
    "dwell": (("region", "period"), (), _dwell),
    "copresence": ((), (), _copresence),
    "places": ((), (), _places),
    "count": (("conditions",), (), _count),
}
"""By kind: what a question needs, what it may also say, and how it is answered."""
_NO_PLACES = (
    "A region is a list of places, such as home,park, or a node of the taxonomy, node:NAME; none is named. "
    "`crypsis query places` lists them."
)
_MISSING = dict.fromkeys(("region", "origin", "destination"), _NO_PLACES)


def _bounds(release: Asked, found: Bounds) -> Answer:
    answer = {"definite": found.definite, "possible": found.possible, "counts": found.counts, **_told_facts(release)}
    return Answer(answer, str(found), _brief(release, f"{found.definite:,}", f"{found.possible:,}"))


def _told_facts(release: Asked) -> dict[str, bool | float]:
    facts: dict[str, bool | float] = {"truthful": release.truthful, "complete": release.complete}
    loss = release.figures().get("temporal_loss")
    return facts if loss is None else {**facts, "fuzziness": loss}


def _brief(release: Asked, definite: str, possible: str) -> str:
    """Both bounds, what is not counted in them, how fuzzy the times are, and whether the truth must lie between."""
    suppressed = "nothing suppressed" if release.complete else "+ what was suppressed"
    truthful = "yes" if release.truthful else "no"
    return f"definitely {definite}, possibly {possible} ({suppressed}){_fuzziness(release)}   truthful {truthful}"


def _fuzziness(release: Asked) -> str:
    loss = release.figures().get("temporal_loss")
    return "" if loss is None else f"   fuzziness {loss:.2f}"


def _beyond(release: Asked) -> str:
    return "" if release.complete else ", not counting what was suppressed"
