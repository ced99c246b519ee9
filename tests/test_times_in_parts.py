"""Visits in parts keep their times as those in memory do: merged with places, in bins, or by cluster."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import NotApplicable, OptionWithoutEffect, PartsDiffer, TooLarge, VerificationFailed
from crypsis.executors.serial import Serial
from crypsis.shards.records import encode_records
from tests.shards.cut_sets import random_cuts

WAYS: tuple[dict[str, Any], ...] = (
    {"times": "merge", "time_width": 60},
    {"times": "merge", "time_width": 60, "exit": "exit", "time_cycle": "day", "time_weight": 0.0},
    {"times": "merge", "time_width": 360, "sensitive": ["p0"]},
    {"times": "bin"},
    {"times": "cluster", "exit": "exit", "time_width": 60, "sensitive": ["p0"]},
)


def random_visits(rng: np.random.Generator, n: int) -> pl.DataFrame:
    """Visits of some walks, all walks at once in the order of time."""
    hours = np.sort(rng.integers(0, 40, n))
    walks = rng.integers(0, max(n // 4, 1), n)
    return pl.DataFrame(
        {
            "trajectory_id": [f"w{walk}" for walk in walks],
            "location": [f"p{place}" for place in rng.integers(0, 4, n)],
            "position": np.arange(n),
            "enter": [f"2024-03-{4 + hour // 24:02}T{hour % 24:02}:05:00Z" for hour in hours],
            "exit": [f"2024-03-{4 + hour // 24:02}T{hour % 24:02}:40:00Z" for hour in hours],
        }
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def outcome(data: Any, method: crypsis.Method, folder: Path) -> dict[str, bytes] | str:
    """The files of the release; the witness where the verifier refuses it."""
    try:
        return contents(crypsis.anonymize(data, method).write(folder))
    except VerificationFailed as error:
        return error.sentence


def cut_into(folder: Path, frame: pl.DataFrame, cuts: list[int]) -> Path:
    folder.mkdir()
    for number, (first, last) in enumerate(pairwise([0, *cuts, len(frame)])):
        frame.slice(first, last - first).write_parquet(folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_times_of_visits_in_parts_are_published_as_in_memory(seed: int, way: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = random_visits(rng, int(rng.integers(20, 90)))
    frame.write_parquet(tmp_path / "all.parquet")
    parts = cut_into(tmp_path / "parts", frame, random_cuts(rng, len(frame)))
    places = {f"p{place}": (100.0 * place, 3.0 * place * place) for place in range(4)}
    options: dict[str, Any] = {"each_row_is_a_person": True, "enter": "enter", "locations": places, **way}
    method: crypsis.Method = crypsis.SeqAnon(k=2, m=1, on_infeasible="truncate")
    if way["times"] == "cluster":
        method = crypsis.SGA(k=2, l=2, m=1, clusters=2, on_infeasible="suppress")
    elif "sensitive" in way:
        method = crypsis.LmAnon(k=2, l=1, m=1, on_infeasible="suppress")
    read = crypsis.read_trajectories(tmp_path / "all.parquet", **options)
    scanned = crypsis.scan_trajectories(parts, **options)
    unplaced = {name: value for name, value in options.items() if name != "locations"}
    with Serial() as executor:
        assert encode_records(scanned, executor).whole == read
        again = crypsis.scan_trajectories(parts, **unplaced)
        assert encode_records(again, executor).whole == crypsis.read_trajectories(tmp_path / "all.parquet", **unplaced)
    assert outcome(scanned, method, tmp_path / "written") == outcome(read, method, tmp_path / "local")


def test_check_ins_in_parts_keep_their_times(tmp_path: Path) -> None:
    frame = random_visits(np.random.default_rng(4), 80).with_columns(
        user=pl.col("trajectory_id"),
        lat=40.7 + pl.col("location").str.strip_prefix("p").cast(pl.Float64) / 50,
        lon=pl.lit(-73.9),
    )
    frame.write_parquet(tmp_path / "all.parquet")
    parts = cut_into(tmp_path / "parts", frame, [17, 50])
    options: dict[str, Any] = {"grid": 1000.0, "time": "enter", "times": "merge", "time_width": 360}
    read = crypsis.read_trajectories(tmp_path / "all.parquet", **options)
    with Serial() as executor:
        assert encode_records(crypsis.scan_trajectories(parts, **options), executor).whole == read


def test_times_that_cannot_be_kept_are_refused_with_the_reason(tmp_path: Path) -> None:
    frame = random_visits(np.random.default_rng(4), 40)
    parts = cut_into(tmp_path / "parts", frame, [17])
    method = crypsis.SeqAnon(k=2, m=1, on_infeasible="truncate")
    options: dict[str, Any] = {"each_row_is_a_person": True}
    with pytest.raises(NotApplicable, match="enter='COLUMN'"):
        crypsis.anonymize(crypsis.scan_trajectories(parts, times="merge", **options), method)
    with pytest.raises(OptionWithoutEffect, match="time_width"):
        crypsis.anonymize(crypsis.scan_trajectories(parts, time_width=60, enter="enter", **options), method)
    frame.tail(23).with_columns(enter=pl.int_range(23)).write_parquet(parts / "1.parquet")
    with pytest.raises(PartsDiffer):
        crypsis.anonymize(crypsis.scan_trajectories(parts, times="merge", enter="enter", **options), method)


def test_times_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = cut_into(tmp_path / "parts", random_visits(np.random.default_rng(4), 40), [17])
    monkeypatch.setattr("crypsis.shards.records.BYTES_PER_VALUE", 1 << 40)
    scanned = crypsis.scan_trajectories(parts, times="merge", enter="enter", each_row_is_a_person=True)
    with pytest.raises(TooLarge, match="put together"):
        crypsis.anonymize(scanned, crypsis.SeqAnon(k=2, m=1))
