"""Visits whose beginnings and ends are known up to bounds: what is read, published, and refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import SGA, SeqAnon, Trajectories
from crypsis.data.visit_times import VisitTimes
from crypsis.errors import BadParameter, BadRow, VagueTimes
from crypsis.query import presence_bounds, visits_of
from tests.query.true_answers import was_there
from tests.timed_movements import MARCH, timed_movements

COLUMNS = {"enter": "from", "enter_until": "by", "exit": "left", "exit_until": "gone"}
HOURS = pl.DataFrame(
    {
        "trajectory_id": ["ann", "ann", "bob", "bob", "cy", "cy"],
        "location": ["home", "shop"] * 3,
        "from": [f"2024-03-01T{hour}" for hour in ("07:00", "09:00", "07:10", "09:30", "07:05", "09:00")],
        "by": [f"2024-03-01T{hour}" for hour in ("07:59", "09:30", "07:20", "09:40", "07:05", "09:59")],
        "left": [f"2024-03-01T{hour}" for hour in ("08:00", "10:00", "08:00", "10:00", "08:30", "10:10")],
        "gone": [f"2024-03-01T{hour}" for hour in ("08:59", "10:59", "08:10", "10:20", "08:30", "10:50")],
    }
)


def read() -> Trajectories:
    return Trajectories.from_frame(HOURS, locations={"home": (0, 0), "shop": (900, 0)}, **COLUMNS)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_bounds_are_read_from_files(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"visits{suffix}"
    {".csv": HOURS.write_csv, ".parquet": HOURS.write_parquet, ".jsonl": HOURS.write_ndjson}[suffix](file)
    data = crypsis.read(file, kind="trajectories", **COLUMNS)
    assert data.times == read().times
    assert data.times.enter_until.tolist()[0] - data.times.enter.tolist()[0] == 59 * 60
    assert ("enter_until", "by") in data.understood


def test_the_order_of_visits_narrows_their_bounds() -> None:
    """The second began after the first, and the first before the second."""
    frame = pl.DataFrame(
        {"trajectory_id": ["a"] * 3, "location": ["x", "y", "z"], "from": [10, 0, 20], "by": [90, 50, 60]}
    )
    times = Trajectories.from_frame(frame, position=None, enter="from", enter_until="by").times
    assert times is not None
    assert times.enter_until is not None
    assert (times.enter.tolist(), times.enter_until.tolist()) == ([10, 10, 20], [50, 50, 60])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"by": "2024-03-01T06:00"}, "began at the latest before it began at the earliest"),
        ({"gone": "2024-03-01T07:30"}, "ended at the latest before it ended at the earliest"),
        ({"left": "2024-03-01T05:00", "gone": "2024-03-01T06:00"}, "ends before it begins"),
        ({"from": "2024-03-01T10:00", "by": "2024-03-01T10:30", "gone": "2024-03-01T12:00"}, "contradict the order"),
    ],
)
def test_bounds_that_contradict_each_other_are_refused(changed: dict[str, str], said: str) -> None:
    cells = {name: [value, *HOURS[name].to_list()[1:]] for name, value in changed.items()}
    with pytest.raises(BadRow, match=said):
        Trajectories.from_frame(
            HOURS.with_columns(**{n: pl.Series(v) for n, v in cells.items()}), position=None, **COLUMNS
        )


@pytest.mark.parametrize("missing", ["enter", "exit"])
def test_the_latest_time_needs_the_earliest(missing: str) -> None:
    columns = {name: column for name, column in COLUMNS.items() if name != missing}
    with pytest.raises(BadParameter, match="say also when"):
        Trajectories.from_frame(HOURS, position=None, **columns)


def test_steps_that_hold_all_bounds_are_published_and_narrower_ones_refused() -> None:
    with pytest.raises(VagueTimes, match=r"3 of 6 visits .*time_width=60 holds all"):
        read().bind_times(width=30)
    release = crypsis.anonymize(read().bind_times(width=60), SeqAnon(k=2, m=1))
    assert release.verify().holds
    assert read().attach_times("bin").attached.widths == (60, 360, 1440)  # type: ignore[union-attr]
    in_bins = crypsis.anonymize(read().attach_times("bin"), SeqAnon(k=2, m=1))
    assert in_bins.data.timed is not None
    assert in_bins.data.timed.width >= 3600
    with pytest.raises(VagueTimes, match="time_width=60"):
        read().attach_times("bin", widths=[15, 30])
    months = pl.DataFrame({"trajectory_id": ["a"], "location": ["x"], "from": [0], "by": [3_000_000]})
    with pytest.raises(VagueTimes, match=r"1 of 1 visits .* Drop the times, or leave these visits out"):
        Trajectories.from_frame(months, position=None, enter="from", enter_until="by").bind_times()


def vague(rng: np.random.Generator, way: str) -> tuple[Any, Any, Any, list[Any]]:
    """A release made from bounds inside hours, one made from what is true, the bounds, and what is true."""
    data, paths = timed_movements(rng, 14, visits=3, sensitive=way == "cluster")
    times = data.times
    assert times is not None
    assert times.exit is not None

    def around(seconds: Any) -> tuple[Any, Any]:
        first = seconds // 3600 * 3600
        return (
            first + rng.integers(0, seconds - first + 1),
            seconds + rng.integers(0, first + 3600 - seconds),
        )

    (enter, enter_until), (exit, exit_until) = around(times.enter), around(times.exit)
    known = replace(data, times=VisitTimes(enter, exit, True, enter_until, exit_until))
    method = SGA(k=2, l=2, m=1, on_infeasible="suppress", clusters=2) if way == "cluster" else SeqAnon(k=2, m=1)
    made, exact = (
        crypsis.anonymize(
            one.bind_times(width=60) if way == "merge" else one.attach_times(way, widths=[60, 360, 1440]), method
        )
        for one in (known, data)
    )
    return made, exact, known, paths


@pytest.mark.parametrize("way", ["merge", "bin", "cluster"])
def test_published_bounds_contain_the_evidence_and_the_truth(way: str) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        release, exact, known, paths = vague(rng, way)
        assert release.data == exact.data, "what is published does not depend on where inside its step a visit was"
        assert release.verify(known).holds == exact.verify().holds
        visits = visits_of(release.data, truthful=True, complete=release.complete)
        if len(visits) == known.visits:
            sensitive = known.locations.sensitive
            timed = np.ones(known.visits, bool) if sensitive is None else ~sensitive[known.codes]
            for slot in np.flatnonzero(timed).tolist():
                told = visits.times[slot]
                evidence = tuple(
                    int(getattr(known.times, name)[slot]) for name in ("enter", "enter_until", "exit", "exit_until")
                )
                assert told.bounds[0] <= evidence[0] <= evidence[1] <= told.bounds[1]
                assert told.bounds[2] <= evidence[2] <= evidence[3] <= told.bounds[3]
        period = MARCH + int(rng.integers(0, 3600)), MARCH + int(rng.integers(3600, 12_000))
        region = list(visits.cell_labels)[:2]
        found = presence_bounds(visits, region, period)
        inside = sum(was_there(path, region, period, "sometime", joined=True) for path in paths)
        assert found.definite <= inside
        assert not release.complete or inside <= found.possible
