"""Random small releases of every truthful method with times, random questions: the truth lies inside the bounds.

    CRYPSIS_RELEASES=10000 python -m pytest -s tests/query/test_truth_in_bounds.py

tries as many releases for every method and every way to keep times.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crypsis
from crypsis.errors import Infeasible, NotApplicable
from crypsis.query import dwell_bounds, presence_bounds, visits_of
from tests.timed_movements import MARCH, PLACES, Visit, timed_movements

METHODS: list[Callable[[], Any]] = [
    lambda: crypsis.SeqAnon(k=2, m=1),
    lambda: crypsis.SDSeqAnon(k=2, m=1),
    lambda: crypsis.USeqAnon(k=2, m=1, delta=100),
    lambda: crypsis.LmAnon(k=2, l=2, m=1, on_infeasible="suppress"),
    lambda: crypsis.ZGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=2, cell=100.0),
    lambda: crypsis.SGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=2),
]
WAYS = ("merge", "bin", "cluster")
FEW, MANY = 4, int(os.environ.get("CRYPSIS_RELEASES", "60"))


def was_there(visit: Visit, mode: str, first: int, last: int) -> bool:
    _, enter, exit = visit
    if mode == "sometime":
        return enter <= last and first <= exit
    return (enter <= first and last <= exit) if mode == "throughout" else (first <= enter and exit <= last)


def check_release(make: Callable[[], Any], way: str, seed: int) -> bool:
    """One random release and a few random questions; False where no such release exists."""
    rng = np.random.default_rng(seed)
    method = make()
    sensitive = hasattr(method, "l")
    data, paths = timed_movements(rng, 10, visits=3, sensitive=sensitive)
    width = int(rng.choice([15, 60, 360]))
    try:
        kept = data.bind_times(width=width) if way == "merge" else data.attach_times(way, widths=[width])
        release = crypsis.anonymize(kept, method)
    except (Infeasible, NotApplicable):
        return False
    visits = visits_of(release.data, truthful=release.truthful, complete=release.complete)
    region = [place for place in visits.cell_labels if place != "clinic" and rng.random() < 0.5]
    first, last = sorted((MARCH + rng.integers(-3600, 18_000, 2)).tolist())
    hidden = {place for place in PLACES if place not in visits.cell_labels}
    for mode in ("sometime", "throughout", "within"):
        # Visits in several cells of the region may cover a period together; single visits are what is counted here.
        found = presence_bounds(visits, region, (first, last), mode, stitch=False)
        true = {
            f"row {row}"
            for row, path in enumerate(paths)
            if any(visit[0] in region and was_there(visit, mode, first, last) for visit in path)
        }
        assert found.guaranteed
        assert set(found.definite_people) <= true <= set(found.possible_people), (seed, mode, region, hidden)
    spent = [
        sum(max(0, min(exit, last) - max(enter, first)) for place, enter, exit in path if place in region)
        for path in paths
    ]
    told = dwell_bounds(visits, region, first, last)
    assert np.all(told.least <= np.array(spent))
    assert np.all(np.array(spent) <= told.greatest)
    return True


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", METHODS, ids=lambda make: type(make()).__name__)
def test_the_truth_lies_inside_the_bounds(make: Callable[[], Any], way: str) -> None:
    done = sum(check_release(make, way, seed) for seed in range(FEW))
    assert done or way == "cluster"


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", METHODS, ids=lambda make: type(make()).__name__)
def test_the_truth_lies_inside_the_bounds_of_many_releases(make: Callable[[], Any], way: str) -> None:
    done = sum(check_release(make, way, seed) for seed in range(FEW, FEW + MANY))
    assert done or way == "cluster"
    print(f"{type(make()).__name__} {way}: {done} releases")
