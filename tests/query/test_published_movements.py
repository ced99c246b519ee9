"""Questions to releases with times: random movements, every truthful method, and the truth lies between the bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crypsis
from crypsis.errors import BadQuery, Infeasible, NotApplicable
from crypsis.query import copresence_bounds, dwell_bounds, od_bounds, presence_bounds, visits_of
from crypsis.query.periods import read_period, write_instant
from tests.timed_movements import MARCH, PLACES, Visit, timed_movements

TRUTHFUL: list[Callable[[int, int], Any]] = [
    lambda k, m: crypsis.SeqAnon(k=k, m=m),
    lambda k, m: crypsis.SDSeqAnon(k=k, m=m),
    lambda k, m: crypsis.USeqAnon(k=k, m=m, delta=100),
    lambda k, m: crypsis.LmAnon(k=k, l=2, m=m, on_infeasible="suppress"),
    lambda k, m: crypsis.ZGA(k=k, l=2, m=m, on_infeasible="suppress", clusters=2, cell=100.0),
    lambda k, m: crypsis.SGA(k=k, l=2, m=m, on_infeasible="suppress", clusters=2),
    lambda k, m: crypsis.KAMCut(k=k),
    lambda k, m: crypsis.KAMRec(k=k),
]
every_truthful = pytest.mark.parametrize("make", TRUTHFUL, ids=lambda make: type(make(2, 1)).__name__)
DAY, WEEK = 86_400, 604_800


def true_presence(paths: list[list[Visit]], region: set[str], start: int, end: int, mode: str, cycle: int) -> int:
    """Who was there, on some day where times are times of day."""
    count = 0
    for path in paths:
        found = False
        for place, enter, exit in path:
            base = enter // cycle * cycle if cycle else 0
            for shift in (-1, 0, 1) if cycle else (0,):
                a, b = base + start + shift * cycle, base + end + shift * cycle
                holds = {
                    "sometime": enter <= b and a <= exit,
                    "throughout": enter <= a and b <= exit,
                    "within": a <= enter and exit <= b,
                }[mode]
                found |= place in region and holds
        count += found
    return count


def check_release(make: Callable[[int, int], Any], seed: int) -> int:
    """Questions to one random release; how many were put."""
    rng = np.random.default_rng(seed)
    data, paths = timed_movements(rng, people=int(rng.integers(4, 12)), sensitive=bool(seed % 2))
    width, cycle = [(15, "none"), (60, "none"), (60, "day"), (360, "day")][seed % 4]
    try:
        release = crypsis.anonymize(data.bind_times(width=width, cycle=cycle), make(2, 1 + seed % 2))
    except Infeasible:
        return 0
    assert release.truthful
    visits = visits_of(release.data, truthful=release.truthful, complete=release.complete)
    length = DAY if cycle == "day" else 0
    for _ in range(4):
        region = set(rng.choice(list(PLACES), rng.integers(1, 4), replace=False).tolist())
        known = [place for place in region if place in visits.cell_labels]
        start = int(rng.integers(0, 8000)) + (8 * 3600 if length else MARCH)
        end = start + int(rng.integers(0, 6000))
        for mode in ("sometime", "within"):
            found = presence_bounds(visits, known, (start, end), mode, stitch=False)
            truth = true_presence(paths, region, start, end, mode, length)
            assert found.definite <= truth, (found, truth)
            if release.complete:
                assert truth <= found.possible, (found, truth)
        moved = od_bounds(visits, known, known)
        truth = sum(sum(visit[0] in region for visit in path) >= 2 for path in paths)
        assert moved.definite <= truth
        assert truth <= moved.possible or not release.complete
        if not length:
            dwell = dwell_bounds(visits, known, start, end)
            spent = sum(
                max(0, min(exit, end) - max(enter, start))
                for path in paths
                for place, enter, exit in path
                if place in region
            )
            assert dwell.least.sum() <= spent
            assert spent <= dwell.greatest.sum() or not release.complete
    return 4


@every_truthful
def test_the_truth_lies_between_the_bounds(make: Callable[[int, int], Any]) -> None:
    assert sum(check_release(make, seed) for seed in range(4)) >= 8


def test_without_merging_bounds_are_those_of_the_bins() -> None:
    data, paths = timed_movements(np.random.default_rng(3))
    release = crypsis.anonymize(data.bind_times(width=1), crypsis.SeqAnon(k=1, m=1))
    visits = visits_of(release.data, truthful=True, complete=release.complete)
    start, end = MARCH // 60 * 60, MARCH // 60 * 60 + 60 * 60
    found = presence_bounds(visits, list(visits.cell_labels), (start, end))
    truth = true_presence(paths, set(PLACES), start, end, "sometime", 0)
    assert found.definite <= truth <= found.possible
    assert found.possible - found.definite <= 1
    assert found.complete
    assert str(found) == f"at least {found.definite}, at most {found.possible} trajectories"


def test_who_met_cannot_be_told_without_dates() -> None:
    data, _ = timed_movements(np.random.default_rng(3))
    release = crypsis.anonymize(data.bind_times(width=60, cycle="day"), crypsis.KAMCut(k=1))
    visits = visits_of(release.data, truthful=True, complete=False)
    with pytest.raises(BadQuery, match="without dates"):
        copresence_bounds(visits)
    with pytest.raises(BadQuery, match="without dates"):
        dwell_bounds(visits, ["home"], 0, 10)


def test_questions_about_visits_are_put_to_trajectories() -> None:
    with pytest.raises(NotApplicable):
        visits_of([], truthful=True, complete=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("2024-03-01T08:00/10:00", (MARCH, MARCH, MARCH + 7200, MARCH + 7200)),
        ("2024-03-01T08:00/08:15/10:00/10:30", (MARCH, MARCH + 900, MARCH + 7200, MARCH + 9000)),
        ("2024-03-01T09:00+01:00/2024-03-01T10:00Z", (MARCH, MARCH, MARCH + 7200, MARCH + 7200)),
    ],
)
def test_periods_are_written_with_two_or_four_instants(text: str, bounds: tuple[int, ...]) -> None:
    assert read_period(text).bounds == bounds


def test_periods_of_the_day_are_times_and_others_numbers() -> None:
    assert read_period("08:00/10:30", cycle=DAY).bounds == (28_800, 28_800, 37_800, 37_800)
    assert read_period("22:00/26:00", cycle=DAY).bounds == (79_200, 79_200, 93_600, 93_600)
    assert read_period("Tue 08:00/09:00", cycle=WEEK).bounds == (115_200, 115_200, 118_800, 118_800)
    assert read_period("5/9", clock=False).bounds == (5, 5, 9, 9)


@pytest.mark.parametrize(
    ("second", "how", "text"),
    [
        (MARCH, {}, "2024-03-01T08:00"),
        (93_600, {"cycle": DAY}, "26:00"),
        (115_200, {"cycle": WEEK}, "Tue 08:00"),
        (5, {"clock": False}, "5"),
    ],
)
def test_an_instant_is_written_as_it_is_read(second: int, how: dict[str, Any], text: str) -> None:
    assert write_instant(second, **how) == text
    assert read_period(f"{text}/{text}", **how).outer_start == second


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("22:00/02:00", {"cycle": DAY}),
        ("08:00/09:70", {"cycle": DAY}),
        ("Mon 08:00/09:00", {"cycle": DAY}),
        ("Mon 08:00/Foo 09:00", {"cycle": WEEK}),
        ("2024-03-01T08:00Z/09:00", {}),
        ("2024-03-01T08:00/09:00", {"clock": False}),
    ],
)
def test_what_is_no_period_of_its_clock_is_refused(text: str, how: dict[str, Any]) -> None:
    with pytest.raises(BadQuery):
        read_period(text, **how)


@pytest.mark.parametrize(
    "text",
    ["", "2024-03-01T08:00", "2024-03-01T10:00/08:00", "soon/later", "1/2/3", "2024-13-01T08:00/09:00", "08:00/09:00"],
)
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(BadQuery):
        read_period(text)
