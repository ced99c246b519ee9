"""The truth lies inside the bounds: random crisp movements, random generalization, random questions."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from crypsis.errors import BadQuery, CrypsisError
from crypsis.fuzzytime import RELATIONS, FuzzyInterval, bin_visit, group_hull
from crypsis.query import (
    PublishedVisits,
    copresence_bounds,
    dwell_bounds,
    estimate_presence,
    od_bounds,
    presence_bounds,
    relation_bounds,
)
from crypsis.query.dwell import dwell_bounds_in
from crypsis.query.estimate import estimate_presence_in
from tests.fuzzytime.intervals import realizations
from tests.reference import fuzzytime as reference

CELLS = "abcdef"
Visit = tuple[str, str, int, int]  # person, cell, enter, exit


def movements(rng: np.random.Generator) -> list[Visit]:
    """A few people who go from cell to cell; some of them without a pause."""
    visits = []
    for person in range(rng.integers(1, 6)):
        time = int(rng.integers(0, 8))
        for _ in range(rng.integers(1, 5)):
            stay = int(rng.integers(0, 9))
            visits.append((f"p{person}", CELLS[rng.integers(6)], time, time + stay))
            time += stay + int(rng.integers(0, 3))
    return visits


def generalize(visits: list[Visit], rng: np.random.Generator) -> PublishedVisits:
    """Every visit in more cells and with a wider time; bins, hulls with another period, or the true one."""
    published = []
    for index, (person, cell, enter, exit) in enumerate(visits):
        cells = {cell, *(CELLS[number] for number in rng.integers(0, 6, rng.integers(0, 3)))}
        way = rng.integers(3)
        if way == 0:
            time = bin_visit(enter, exit, int(rng.integers(1, 6)), int(rng.integers(0, 3)))
        elif way == 1:
            other = int(rng.integers(0, 20))
            time = group_hull([(enter, exit), (other, other + int(rng.integers(0, 9)))])
        else:
            time = FuzzyInterval.crisp(enter, exit)
        before = visits[index - 1] if index and visits[index - 1][0] == person else None
        contiguous = before is not None and before[3] == enter
        published.append({"person": person, "cells": cells, "time": time, "contiguous": contiguous})
    return PublishedVisits.of(published)


def truth(visits: list[Visit], region: set[str], holds: Callable[[int, int], bool]) -> set[str]:
    """Who has a visit in the region whose period has a property."""
    return {person for person, cell, enter, exit in visits if cell in region and holds(enter, exit)}


def in_region_throughout(visits: list[Visit], region: set[str], start: int, end: int) -> set[str]:
    """Contiguous visits in the region count as one stay there."""
    people = set()
    stays: list[list[int]] = []
    owner = ""
    for person, cell, enter, exit in visits:
        if person != owner:
            owner, stays = person, []
        if cell in region:
            if stays and stays[-1][1] == enter:
                stays[-1][1] = exit
            else:
                stays.append([enter, exit])
            if any(first <= start and end <= last for first, last in stays):
                people.add(person)
        else:
            stays.append([-1, -1])
    return people


@pytest.mark.parametrize("part", range(10))
def test_the_truth_lies_inside_the_bounds(part: int) -> None:
    for seed in range(part * 1000, part * 1000 + 120):
        look_inside_the_bounds(seed)


def look_inside_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    visits = movements(rng)
    published = generalize(visits, rng)
    region = {cell for cell in published.cell_labels if rng.random() < 0.4}
    start = int(rng.integers(0, 20))
    end = start + int(rng.integers(0, 10))
    inside = {
        "sometime": truth(visits, region, lambda enter, exit: enter <= end and start <= exit),
        "throughout": in_region_throughout(visits, region, start, end),
        "within": truth(visits, region, lambda enter, exit: start <= enter and exit <= end),
    }
    for mode, people in inside.items():
        bounds = presence_bounds(published, region, (start, end), mode)
        assert set(bounds.definite_people) <= people <= set(bounds.possible_people), (seed, mode)
    for relation in RELATIONS if start < end else ():
        bounds = relation_bounds(published, region, (start, end), relation)
        people = truth(
            visits,
            region,
            lambda enter, exit, asked=relation: enter < exit and reference.allen(enter, exit, start, end) == asked,
        )
        assert people <= set(bounds.possible_people), (seed, relation)


@pytest.mark.parametrize("seed", range(60))
def test_dwell_co_presence_and_trips_lie_inside_their_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    visits = movements(rng)
    published = generalize(visits, rng)
    region = {cell for cell in published.cell_labels if rng.random() < 0.5}
    start, end = 3, 14
    found = dwell_bounds(published, region, start, end).to_dict()
    for person, (least, greatest) in found.items():
        true = sum(
            max(0, min(visit[3], end) - max(visit[2], start))
            for visit in visits
            if visit[0] == person and visit[1] in region
        )
        assert least <= true <= greatest
    met = {
        (a[0], b[0])
        for a, b in product(visits, repeat=2)
        if a[0] < b[0] and a[1] == b[1] and a[2] <= b[3] and b[2] <= a[3]
    }
    meetings = copresence_bounds(published)
    assert set(meetings.definite) <= met <= set(meetings.possible)
    first, second = sorted({visit[1] for visit in visits} & set(published.cell_labels))[:1] * 2
    went = {
        a[0]
        for (i, a), (j, b) in product(enumerate(visits), repeat=2)
        if i < j and a[0] == b[0] and a[1] == first and b[1] == second
    }
    trips = od_bounds(published, [first], [second])
    assert set(trips.definite_people) <= went <= set(trips.possible_people)


def test_trips_by_time_are_those_of_realizations() -> None:
    rng = np.random.default_rng(5)
    for _ in range(400):
        visits = []
        for cell in ("a", "b", "a")[: rng.integers(2, 4)]:
            low, one, other, high = sorted(rng.integers(0, 5, 4).tolist())
            visits.append((cell, FuzzyInterval(low, *((one, other) if rng.random() < 0.5 else (other, one)), high)))
        published = PublishedVisits.of([("p", [cell], time) for cell, time in visits], ordered=False)
        for origin, destination in ("aa", "ab"):
            chosen = [
                (v, w)
                for (i, (c, v)), (j, (d, w)) in product(enumerate(visits), repeat=2)
                if i != j and (c, d) == (origin, destination)
            ]
            orders = [{x[1] <= y[0] for x in realizations(v, 1) for y in realizations(w, 1)} for v, w in chosen]
            found = od_bounds(published, [origin], [destination])
            assert found.definite == any(seen == {True} for seen in orders), visits
            assert found.possible == any(True in seen for seen in orders), visits


def test_questions_that_cannot_be_answered_are_refused() -> None:
    visits = PublishedVisits.of([("p", ["a"], (0, 1, 2, 3))])
    for ask in (
        lambda: presence_bounds(visits, ["z"], (0, 1)),
        lambda: presence_bounds(visits, "a", (0, 1)),
        lambda: presence_bounds(visits, ["a"], (3, 1)),
        lambda: presence_bounds(visits, ["a"], (1, 2, 3)),
        lambda: dwell_bounds(visits, ["a"], 3, 1),
        lambda: relation_bounds(visits, ["a"], (0, 1), "beside"),
    ):
        with pytest.raises(BadQuery):
            ask()
    with pytest.raises(CrypsisError):
        presence_bounds(visits, ["a"], (0, 1), "always")
    assert estimate_presence(PublishedVisits.of([("p", ["a"], (0, 1, 2, np.inf))]), ["a"], 0, 1) is None


def test_bounds_of_untruthful_data_say_so() -> None:
    visits = PublishedVisits.of([("p", ["a"], (0, 1, 2, 3))], truthful=False)
    assert "no bounds" in str(presence_bounds(visits, ["a"], (0, 1)))
    complete = PublishedVisits.of([("p", ["a"], (0, 1, 2, 3))])
    assert str(presence_bounds(complete, ["a"], (1, 2))) == "at least 1, at most 1 people"


def test_a_visit_whose_times_are_not_known_proves_no_time_spent() -> None:
    unknown = (-math.inf, math.inf, -math.inf, math.inf)
    found = dwell_bounds(PublishedVisits.of([("p", ["a"], unknown)]), ["a"], 10, 20)
    assert (found.least.tolist(), found.greatest.tolist()) == ([0.0], [10.0])


FOUR = [(0, 3, 5, 9), (2, 2, 4, 8), (1, 6, 4, 7), (0, 0, 0, 0)]


@pytest.mark.parametrize("period", FOUR)
def test_time_spent_in_a_period_whose_ends_are_not_exact_is_that_of_its_extremes(period: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        visit = tuple(sorted(rng.integers(0, 10, 4).tolist()))
        published = PublishedVisits.of([("p", ["a"], visit), ("q", ["a", "b"], visit)])
        found = dwell_bounds_in(published, ["a"], period)
        asked = [
            dwell_bounds(published, ["a"], start, end)
            for start, end in realizations(FuzzyInterval(*period)) or [(0, 0)]
        ]
        assert np.array_equal(found.least, np.min([one.least for one in asked], axis=0))
        assert np.array_equal(found.greatest, np.max([one.greatest for one in asked], axis=0))


@pytest.mark.parametrize("period", FOUR[:2])
@pytest.mark.parametrize("mode", ["sometime", "throughout", "within"])
def test_an_expected_number_is_the_mean_over_the_ends_of_the_period(period: tuple[int, ...], mode: str) -> None:
    published = PublishedVisits.of([("p", ["a"], (1, 4, 4, 8)), ("q", ["a"], (2, 2, 7, 7))])
    steps = (np.arange(200) + 0.5) / 200
    starts, ends = period[0] + steps * (period[1] - period[0]), period[2] + steps * (period[3] - period[2])
    drawn = [estimate_presence(published, ["a"], start, end, mode) for start in starts[::10] for end in ends[::10]]
    assert estimate_presence_in(published, ["a"], period, mode) == pytest.approx(np.mean(drawn), abs=0.03)
