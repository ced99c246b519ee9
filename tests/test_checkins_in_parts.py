"""Check-ins in parts become the trajectories that they become in memory: one projection, one grid, people in order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadCoordinate, CrypsisError, PartsDiffer, UnknownColumn
from crypsis.executors.serial import Serial
from crypsis.shards.records import encode_records
from tests.shards.cut_sets import random_cuts

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"collapse": False},
    {"person": "who", "crs": "EPSG:32618"},
    {"one_per": "day"},
    {"one_per": "day", "person": "who"},
    {"id": "trip", "each_row_is_a_person": True},
    {"id": "trip", "person": "who"},
)


def random_checkins(rng: np.random.Generator, n: int) -> pl.DataFrame:
    """Check-ins on both sides of the border of two zones; the rows of a person lie anywhere."""
    people = rng.integers(0, 12, n)
    trips = rng.integers(0, 3, n)
    hours = rng.integers(0, 72, n)
    return pl.DataFrame(
        {
            "user": [f"u{person}" for person in people],
            "who": [f"w{7 * person % 12}" for person in people],
            "trip": [f"{person}-{trip}" for person, trip in zip(people, trips, strict=True)],
            "time": [f"2024-03-{1 + hour // 24:02}T{hour % 24:02}:00:00Z" for hour in hours],
            "lat": 40.7 + rng.integers(-3, 4, n) / 100,
            "lon": -72.0 + rng.integers(-3, 4, n) / 100,
        }
    )


def cut_into(folder: Path, frame: pl.DataFrame, cuts: Sequence[int], suffix: str) -> None:
    """Write the rows between each two cuts; a part may have none."""
    for number, (first, last) in enumerate(pairwise([0, *cuts, len(frame)])):
        part = frame.slice(first, last - first)
        name = folder / f"{number}.{suffix}"
        {"csv": part.write_csv, "jsonl": part.write_ndjson, "parquet": part.write_parquet}[suffix](name)


def outcome(data: Any) -> Any:
    return (
        data.to_lists(),
        None if data.ids is None else data.ids.to_list(),
        None if data.owners is None else data.owners.tolist(),
        data.locations.vocabulary.labels,
        data.locations.x.tolist(),
        data.locations.y.tolist(),
        (data.locations.crs, data.locations.grid),
        data.understood,
        data.drops_times,
    )


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_check_ins_in_parts_are_read_as_in_memory(seed: int, way: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = random_checkins(rng, int(rng.integers(1, 120)))
    suffix = ("csv", "parquet", "jsonl")[seed % 3]
    cuts = random_cuts(rng, len(frame))
    (tmp_path / "parts").mkdir()
    cut_into(tmp_path / "parts", frame, [cut for cut in cuts if suffix == "parquet" or 0 < cut < len(frame)], suffix)
    whole = tmp_path / "whole.parquet"
    frame.write_parquet(whole)
    read = crypsis.read_checkins(whole, cell=1500.0, **way)
    scanned = crypsis.scan_trajectories(tmp_path / "parts" / f"*.{suffix}", grid=1500.0, **way)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert outcome(encoded.whole) == outcome(read)
        assert (encoded.person is not None) == read.owner_repeats
        assert encoded.person_like == read.person_like


@pytest.mark.parametrize("way", [{"each_row_is_a_person": True, "id": "trip"}, {"one_per": "day"}], ids=str)
def test_a_release_of_check_ins_in_parts_has_the_bytes_of_that_in_memory(way: dict[str, Any], tmp_path: Path) -> None:
    frame = random_checkins(np.random.default_rng(8), 150)
    (tmp_path / "parts").mkdir()
    cut_into(tmp_path / "parts", frame, [40, 41, 90], "csv")
    frame.write_csv(tmp_path / "whole.csv")
    method = crypsis.KAMCut(k=3, unit="owner") if "one_per" in way else crypsis.SeqAnon(k=3, m=2)
    read = crypsis.read_checkins(tmp_path / "whole.csv", cell=1500.0, **way)
    scanned = crypsis.scan_trajectories(tmp_path / "parts", grid=1500.0, **way)
    local = crypsis.anonymize(read, method).write(tmp_path / "local")
    written = crypsis.anonymize(scanned, method, block_rows=20).write(tmp_path / "written")
    names = sorted(path.relative_to(local) for path in local.rglob("*") if path.is_file())
    assert names == sorted(path.relative_to(written) for path in written.rglob("*") if path.is_file())
    assert all((local / name).read_bytes() == (written / name).read_bytes() for name in names)


@pytest.mark.parametrize(
    ("column", "cells", "error", "words"),
    [
        ("lat", [40.7, 91.0], BadCoordinate, "91.0"),
        ("user", ["u1", None], CrypsisError, "'user' is empty"),
        ("time", ["2024-03-01T08:00:00Z", "soon"], CrypsisError, "time"),
    ],
)
def test_what_is_wrong_in_a_part_of_check_ins_is_named(
    column: str, cells: list[Any], error: type[Exception], words: str, tmp_path: Path
) -> None:
    frame = random_checkins(np.random.default_rng(1), 4)
    frame.head(2).write_csv(tmp_path / "0.csv")
    frame.tail(2).with_columns(pl.Series(column, cells)).write_csv(tmp_path / "1.csv")
    with pytest.raises(error, match=words):
        crypsis.anonymize(crypsis.scan_trajectories(tmp_path / "*.csv", grid=500.0), crypsis.KAMCut(k=1))


def test_columns_of_check_ins_must_be_there_and_times_alike(tmp_path: Path) -> None:
    frame = random_checkins(np.random.default_rng(1), 30)
    frame.head(15).write_csv(tmp_path / "0.csv")
    frame.tail(15).write_csv(tmp_path / "1.csv")
    with pytest.raises(UnknownColumn, match="rider"):
        crypsis.anonymize(crypsis.scan_trajectories(tmp_path, grid=500.0, person="rider"), crypsis.KAMCut(k=1))
    frame.tail(15).with_columns(time=pl.Series(range(15))).write_csv(tmp_path / "1.csv")
    with pytest.raises((PartsDiffer, CrypsisError)):
        crypsis.anonymize(crypsis.scan_trajectories(tmp_path, grid=500.0), crypsis.KAMCut(k=1))
