"""Random small releases of every truthful method for movements, random questions of every kind: the truth lies inside
the bounds, and they are tight where a single visit decides.

    CRYPSIS_RELEASES=10000 python -m pytest -s tests/query/test_truth_in_bounds.py

tries as many releases for every method and every way to keep times.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest

import crypsis
from crypsis.errors import Infeasible
from crypsis.fuzzytime import RELATIONS
from crypsis.methods import METHODS
from crypsis.query import (
    Bounds,
    PublishedVisits,
    copresence_bounds,
    dwell_bounds,
    estimate_presence,
    od_bounds,
    presence_bounds,
    relation_bounds,
    visits_of,
)
from tests.query.true_answers import Period, met, relations, seconds_there, was_there, went
from tests.timed_movements import MARCH, Visit, timed_movements

SETTINGS: dict[str, dict[str, Any]] = {
    "seq-anon": {"m": 1},
    "sd-seq-anon": {"m": 1},
    "u-seq-anon": {"m": 1, "delta": 100},
    "lm-anon": {"l": 2, "m": 1, "on_infeasible": "suppress"},
    "zga": {"l": 2, "m": 1, "on_infeasible": "suppress", "clusters": 2, "cell": 100.0},
    "sga": {"l": 2, "m": 1, "on_infeasible": "suppress", "clusters": 2},
    "kam-cut": {},
    "kam-rec": {},
}
WITH_CLUSTERS = ("lm-anon", "zga", "sga")
WAYS = [
    (name, way)
    for name in SETTINGS
    for way in ("merge", "bin", "cluster")
    if way == "merge" or (name in WITH_CLUSTERS if way == "cluster" else not name.startswith("kam"))
]
FEW, MANY = 2, int(os.environ.get("CRYPSIS_RELEASES", "12"))
MODES = ("sometime", "throughout", "within")
DAY = 86_400
FAR = 10**6  # seconds; beyond all visits


class Asked:
    """One random release, what is true, and random questions to it."""

    def __init__(self, name: str, way: str, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.ends = seed % 5 != 4
        data, self.paths = timed_movements(rng, 10, visits=3, sensitive="l" in SETTINGS[name], exits=self.ends)
        width, self.cycle = int(rng.choice([15, 60, 360])), "day" if seed % 4 == 3 and way == "merge" else "none"
        kept = (
            data.bind_times(width=width, cycle=self.cycle) if way == "merge" else data.attach_times(way, widths=[width])
        )
        release = crypsis.anonymize(kept, METHODS[name](k=2, **SETTINGS[name]))
        assert release.truthful
        self.visits = visits_of(release.data, truthful=release.truthful, complete=release.complete)
        self.released: Any = release.data
        lengths = [len(path) for path in self.paths]
        self.by_row = len(self.released) == len(self.paths)
        # Nobody's visits were left out of these rows.
        self.whole = {
            f"row {row}"
            for row in range(len(self.released))
            if self.by_row and self.released.lengths[row] == lengths[row]
        }
        assert not release.complete or len(self.whole) == len(self.paths)

    def region(self) -> list[str]:
        return [place for place in self.visits.cell_labels if self.rng.random() < 0.5]

    def period(self) -> Period:
        first, last = sorted((MARCH + self.rng.integers(-3600, 18_000, 2)).tolist())
        if self.rng.random() < 0.3:  # on the grid, where bounds touch
            first, last = first // 900 * 900, last // 900 * 900
        return first, last + (first == last)

    def hold(
        self, found: Any, true: Callable[[list[Visit]], bool], sure: Callable[[list[Visit]], bool] | None = None
    ) -> None:
        """The people who are said to be so for certain are, and those who are may be."""
        inside = {f"row {row}" for row, path in enumerate(self.paths) if true(path)}
        certain = {f"row {row}" for row, path in enumerate(self.paths) if (sure or true)(path)}
        assert found.guaranteed
        assert found.definite <= len(certain | inside)
        if self.by_row:
            assert len(inside) <= found.possible + len(self.paths) - len(self.whole), (
                "and those of whom visits are missing"
            )
        if self.by_row:
            assert set(found.definite_people) <= certain | inside
            assert inside & self.whole <= set(found.possible_people)


def check_release(name: str, way: str, seed: int) -> int:
    """One random release and a few random questions; 0 where no such release exists."""
    try:
        asked = Asked(name, way, seed)
    except Infeasible:
        return 0
    if asked.cycle == "day":
        check_times_of_day(asked)
        return 1
    visits, region, period = asked.visits, asked.region(), asked.period()
    for mode, joined in product(MODES, (True, False)):
        asked.hold(
            presence_bounds(visits, region, period, mode, stitch=joined),
            lambda path, mode=mode, joined=joined: was_there(path, region, period, mode, joined=joined),
        )
    drawn = asked.rng.choice(RELATIONS, 4, replace=False).tolist()
    for relation in drawn:
        asked.hold(
            relation_bounds(visits, region, period, relation),
            lambda path, relation=relation: relation in relations(path, region, period, instants=False),
            lambda path, relation=relation: relation in relations(path, region, period, instants=True),
        )
    there = asked.region()
    asked.hold(od_bounds(visits, region, there), lambda path: went(path, region, there))
    check_meetings(asked)
    spent = np.array([seconds_there(path, region, period) for path in asked.paths])
    told = dwell_bounds(visits, region, *period)
    assert told.least.sum() <= spent.sum()
    for row, label in enumerate(visits.person_labels):
        assert not asked.by_row or told.least[row] <= spent[row]
        assert label not in asked.whole or spent[row] <= told.greatest[row]
    check_estimates(asked, region, period)
    check_tightness(asked, region, there, period, drawn)
    return 1


def check_meetings(asked: Asked) -> None:
    pairs = {
        (f"row {one}", f"row {other}")
        for one, other in combinations(range(len(asked.paths)), 2)
        if met(asked.paths[one], asked.paths[other])
    }
    found = copresence_bounds(asked.visits)
    assert len(found.definite) <= len(pairs)
    if asked.by_row:
        assert set(found.definite) <= pairs
        assert {pair for pair in pairs if asked.whole.issuperset(pair)} <= set(found.possible)


def check_times_of_day(asked: Asked) -> None:
    """Without dates, whoever was there on some day counts."""
    region, (first, last) = asked.region(), asked.period()
    start = first % DAY
    for mode in ("sometime", "within"):
        found = presence_bounds(asked.visits, region, (start, start + last - first), mode, stitch=False)

        def true(path: list[Visit], mode: str = mode) -> bool:
            days = range(MARCH // DAY - 1, MARCH // DAY + 2)
            periods = [(day * DAY + start, day * DAY + start + last - first) for day in days]
            return any(was_there(path, region, period, mode, joined=False) for period in periods)

        asked.hold(found, true)


def check_estimates(asked: Asked, region: list[str], period: Period) -> None:
    """What is expected lies between what is certain and what is possible."""
    for mode in MODES:
        found = presence_bounds(asked.visits, region, period, mode, stitch=False)
        expected = estimate_presence(asked.visits, region, *period, mode)
        assert expected is None or found.definite - 1e-9 <= expected <= found.possible + 1e-9


def check_tightness(asked: Asked, region: list[str], there: list[str], period: Period, drawn: list[str]) -> None:
    """Where one visit decides, every realization of it is tried: bounds are exactly what some and all of them say."""
    visits = asked.visits
    lengths = np.bincount(visits.person, minlength=visits.n_people)
    single = np.flatnonzero(lengths == 1)[:2].tolist()
    told = dwell_bounds(visits, region, *period)
    for row in single:
        each = list(realizations(visits, int(np.searchsorted(visits.person, row)), period))
        for mode in MODES:
            outcomes = {was_there([visit], region, period, mode, joined=False) for visit in each}
            exactly(presence_bounds(visits, region, period, mode, stitch=False), row, outcomes)
        standing = [relations([visit], region, period, instants=False) for visit in each if visit[1] < visit[2]]
        for relation in drawn:
            exactly(relation_bounds(visits, region, period, relation), row, {relation in one for one in standing})
        spent = [seconds_there([visit], region, period) for visit in each]
        assert (told.least[row], told.greatest[row]) == (min(spent), max(spent))
    meetings = copresence_bounds(visits)
    for one, other in combinations(single, 2):
        slots = [int(np.searchsorted(visits.person, row)) for row in (one, other)]
        marks = [bound for slot in slots for bound in visits.times[slot].bounds]
        a, b = (list(realizations(visits, slot, marks, middles=False)) for slot in slots)
        outcomes = {met([visit], [partner]) for visit, partner in product(a, b)}
        pair = (f"row {one}", f"row {other}")
        assert (pair in meetings.definite, pair in meetings.possible) == (outcomes == {True}, True in outcomes)
    moved = od_bounds(visits, region, there)
    for row in np.flatnonzero(lengths == 2)[:2].tolist():
        first = int(np.searchsorted(visits.person, row))
        choices = product(cells_of(visits, first), cells_of(visits, first + 1))
        exactly(moved, row, {a in region and b in there for a, b in choices})


def exactly(found: Bounds, row: int, outcomes: set[bool]) -> None:
    told = f"row {row}" in found.definite_people, f"row {row}" in found.possible_people
    assert told == (outcomes == {True}, True in outcomes), row


def cells_of(visits: PublishedVisits, slot: int) -> list[str]:
    symbol = int(visits.symbol[slot])
    return [visits.cell_labels[cell] for cell in visits.cells[visits.offsets[symbol] : visits.offsets[symbol + 1]]]


def realizations(
    visits: PublishedVisits, slot: int, period: Sequence[float], *, middles: bool = True
) -> Iterator[Visit]:
    """Visits that a published one may have been: every cell, and all endpoints that can make a difference."""
    os_, is_, ie, oe = (min(max(bound, MARCH - FAR), MARCH + FAR) for bound in visits.times[slot].bounds)
    starts, ends = endpoints(os_, is_, [*period, ie, oe], middles), endpoints(ie, oe, [*period, os_, is_], middles)
    for cell, start, end in product(cells_of(visits, slot), starts, ends):
        if start <= end:
            yield cell, start, end  # type: ignore[misc]


def endpoints(low: float, high: float, others: Sequence[float], middles: bool) -> list[float]:
    """The marks between two bounds and, so that there is room for strict order, two instants between neighbours."""
    marks = sorted({low, high, *(mark for mark in others if low <= mark <= high)})
    return marks + [a + (b - a) * third / 3 for a, b in pairwise(marks) if middles for third in (1, 2)]


every_way = pytest.mark.parametrize(("name", "way"), WAYS)


def test_every_truthful_method_for_movements_is_tried() -> None:
    moving = {name for name, method in METHODS.items() if method.truthful and method.accepts is crypsis.Trajectories}
    assert moving == set(SETTINGS)


@every_way
def test_the_truth_lies_inside_the_bounds(name: str, way: str) -> None:
    assert sum(check_release(name, way, seed) for seed in range(FEW))


@pytest.mark.long
@every_way
def test_the_truth_lies_inside_the_bounds_of_many_releases(name: str, way: str) -> None:
    done = sum(check_release(name, way, seed) for seed in range(FEW, FEW + MANY))
    assert done > MANY // 2
    print(f"{name} {way}: {done} releases")
