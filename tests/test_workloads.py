"""The benchmark inputs are the ones that the specification's figures were measured on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import workloads

GOLDEN = Path(__file__).parent / "golden" / "trajectory"


def checksum_of(vector: str) -> dict[str, int]:
    loaded: dict[str, Any] = json.loads((GOLDEN / vector).read_text(encoding="utf-8"))
    return loaded["checksum"]


@pytest.mark.parametrize(
    ("make", "vector"),
    [
        (workloads.walks, "seqanon_walks_18143.json"),
        (workloads.checkins, "seqanon_checkins_86061.json"),
    ],
)
def test_trajectories_have_the_checksum_of_the_golden_vector(make: Any, vector: str) -> None:
    data = make(seed=1)
    assert checksum_of(vector) == {
        "trajectories": len(data),
        "total_length": data.visits,
        "weighted": workloads.weighted_checksum(data),
    }


def test_cars_have_the_number_of_fixes_of_the_specification() -> None:
    data = workloads.cars(seed=1)
    assert len(data.offsets) == 5_707 + 1
    assert len(data.x) == len(data.y) == len(data.t) == data.offsets[-1] == 260_739


def test_cars_report_every_15_seconds_and_end_at_a_crossing() -> None:
    data = workloads.cars(seed=2, n=50)
    for start, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        assert data.t[start:end].tolist() == [15 * fix for fix in range(end - start)]
        assert data.x[end - 1] % 500 == data.y[end - 1] % 500 == 0


def test_another_seed_gives_other_walks() -> None:
    assert workloads.walks(seed=1, n=100) != workloads.walks(seed=2, n=100)


def test_the_weighted_checksum_is_the_sum_of_its_definition() -> None:
    data = workloads.walks(seed=3, n=200)
    obvious = sum(
        (row + 1) * (position + 1) * code for row, path in enumerate(data.paths()) for position, code in enumerate(path)
    )
    assert workloads.weighted_checksum(data) == obvious % 1_000_003


def test_million_has_the_promised_shape_at_any_size() -> None:
    data = workloads.million(n=20_000, locations=400, seed=5)
    assert len(data) == 20_000
    assert data.lengths.min() >= 1
    assert data.visits / len(data) == pytest.approx(4.7, rel=0.03)
    assert len(data.locations) == 400
    visitors = np.sort(np.bincount(data.codes, minlength=400))
    assert visitors[-20:].sum() > data.visits / 5  # one place in twenty draws a fifth of the visits
    assert workloads.million(n=20_000, locations=400, seed=5) == data


@pytest.mark.parametrize(("make", "locations", "mean"), [(workloads.bus, 893, 4.69), (workloads.metro, 68, 3.22)])
def test_smart_cards_are_as_many_places_hours_and_boardings_as_the_thesis_says(
    make: Any, locations: int, mean: float
) -> None:
    data = make(20_000)
    assert len(data.people) == len(np.unique(data.persons)) == 20_000
    assert len(data.locations) == locations
    assert data.t.min() >= 0
    assert data.t.max() < 168
    assert len(data) / 20_000 == pytest.approx(mean, rel=0.05)
    assert make(50) == make(50)
