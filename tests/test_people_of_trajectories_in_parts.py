"""Trajectories in parts, of people with several: releases are those of memory, wherever those of a person lie."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRow, NotApplicable, OriginalRequired, OwnerRepeated, TooLarge
from crypsis.executors.serial import Serial
from crypsis.shards import records
from crypsis.shards.records import encode_records
from tests.shards.cut_records import BLOCKS, TRACKS, WALKS, compare, compare_blocks, release_cut
from tests.shards.cut_sets import random_cuts
from tests.shards.cut_walks import random_walks

IN_BLOCKS = [name for name in BLOCKS if name not in TRACKS]
DATASETS = int(os.environ.get("CRYPSIS_DATASETS", "50"))  # of each method


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", WALKS)
def test_trajectories_of_people_in_parts_are_published_as_in_memory(name: str, seed: int) -> None:
    with Serial() as executor:
        compare(name, seed, executor, people=True)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_blocks_hold_all_trajectories_of_a_person(name: str, seed: int) -> None:
    with Serial() as executor:
        compare_blocks(name, seed, [executor], people=True)


@pytest.mark.long
@pytest.mark.parametrize("name", WALKS)
def test_many_trajectories_of_people_in_parts_are_published_as_in_memory(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS):
            compare(name, seed, executor, people=True)


@pytest.mark.long
@pytest.mark.parametrize("name", IN_BLOCKS)
def test_many_blocks_hold_all_trajectories_of_a_person(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + max(DATASETS // 5, 10)):
            compare_blocks(name, seed, [executor], people=True)


@pytest.mark.long
def test_workers_of_a_cluster_publish_trajectories_of_people_as_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.executors import near
    from crypsis.executors.dask import Dask

    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", 1 << 40)  # residents are in workers, however small
    with Dask(workers=2, memory="1GiB") as executor, Serial() as serial:
        for seed in range(50, 52):
            for name in WALKS:
                compare(name, seed, executor, people=True)
            for name in IN_BLOCKS:
                compare_blocks(name, seed, [executor, serial], people=True)


def test_a_walk_that_one_person_takes_often_is_rare() -> None:
    walks = [["a", "b", "c"]] * 9 + [["a"], ["b"], ["c"]] * 2
    places = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (9.0, 9.0)}
    data = crypsis.Trajectories.from_lists(walks, places, owners=[0] * 9 + [1, 2, 3, 4, 5, 6])
    for method in (crypsis.KAMCut(k=2), crypsis.KAMRec(k=2)):
        with Serial() as executor:
            people = release_cut(data, replace(method, unit="owner"), [4, 10], 100, executor)
            rows = release_cut(data, replace(method, unit="trajectory"), [4, 10], 100, executor)
        assert ["a", "b", "c"] in rows.data.to_lists()
        assert ["a", "b", "c"] not in people.data.to_lists()
        assert people.guarantee.unit == "owner"
        assert people.verify().holds
        assert not replace(rows, guarantee=people.guarantee).verify().holds


# Files


def visits_of(rng: np.random.Generator) -> pl.DataFrame:
    """A row for each visit, in any order; names of people that are numbers of different length."""
    frame = random_walks(rng, 60).to_frame()
    people = {name: str(rng.integers(0, 20)) for name in frame["trajectory_id"].unique(maintain_order=True)}
    owned = frame.with_columns(rider=frame["trajectory_id"].replace_strict(people, return_dtype=pl.String))
    return owned[rng.permutation(owned.height)]


OPTIONS: dict[str, Any] = {"person": "rider", "sort": True}
PLACES = {f"p{place:02d}": (float(place % 3), float(place // 3)) for place in range(8)}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "method",
    [
        crypsis.SeqAnon(k=3, m=2, unit="owner", on_infeasible="truncate"),
        crypsis.KAMCut(k=3, unit="owner"),
        crypsis.BFP2kA(k=2, unit="owner"),
        crypsis.KAMCut(k=3, unit="trajectory"),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(2))
def test_scanned_trajectories_of_people_are_those_in_memory(seed: int, method: crypsis.Method, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = visits_of(rng)
    (tmp_path / "all").mkdir()
    frame.write_parquet(tmp_path / "all" / "one.parquet")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, frame.height), frame.height])):
        frame.slice(first, last - first).write_parquet(tmp_path / f"{number}.parquet")
    read = crypsis.read_trajectories(tmp_path / "all" / "one.parquet", locations=PLACES, **OPTIONS)
    scanned = crypsis.scan_trajectories(tmp_path / "*.parquet", locations=PLACES, **OPTIONS)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.ids.to_list() == read.ids.to_list()
        assert encoded.whole.owners.tolist() == read.owners.tolist()
    local = crypsis.anonymize(read, method)
    release = crypsis.anonymize(scanned, method)
    assert release.verify().to_dict() == local.verify().to_dict()
    assert release.guarantee.unit == method.unit
    assert contents(release.write(tmp_path / "own")) == contents(local.write(tmp_path / "local"))


def test_people_with_a_trajectory_each_may_be_counted(tmp_path: Path) -> None:
    frame = visits_of(np.random.default_rng(1)).with_columns(rider=pl.col("trajectory_id"))
    frame.write_csv(tmp_path / "0.csv")
    scanned = crypsis.scan_trajectories(tmp_path, locations=PLACES, **OPTIONS)
    assert crypsis.anonymize(scanned, crypsis.KAMCut(k=2, unit="owner")).verify().holds
    assert crypsis.anonymize(scanned, crypsis.KAMCut(k=2)).verify().holds
    alone = crypsis.scan_trajectories(tmp_path, locations=PLACES, each_row_is_a_person=True, sort=True)
    with pytest.raises(NotApplicable, match="owner for each"):
        crypsis.anonymize(alone, crypsis.KAMCut(k=2, unit="owner"))


def test_who_is_counted_has_to_be_chosen(tmp_path: Path) -> None:
    visits_of(np.random.default_rng(1)).write_csv(tmp_path / "0.csv")
    scanned = crypsis.scan_trajectories(tmp_path, locations=PLACES, **OPTIONS)
    for method in (crypsis.KAMCut(k=2), crypsis.SeqAnon(k=2, m=1), crypsis.KAMRec(k=2)):
        for block_rows in (10, 1000):
            with pytest.raises(OwnerRepeated):
                crypsis.anonymize(scanned, method, block_rows=block_rows)


def test_a_trajectory_has_one_owner(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"trajectory_id": ["t", "u", "t"], "position": [1, 1, 2], "location": ["a", "b", "c"], "rider": ["p", "q", "q"]}
    )
    frame.write_csv(tmp_path / "one.csv")
    for number in range(3):
        frame.slice(number, 1).write_csv(tmp_path / f"part-{number}.csv")
    with pytest.raises(BadRow) as local:
        crypsis.read_trajectories(tmp_path / "one.csv", person="rider")
    with pytest.raises(BadRow) as refused:
        crypsis.anonymize(
            crypsis.scan_trajectories(tmp_path / "part-*.csv", person="rider"), crypsis.KAMCut(k=1, unit="owner")
        )
    assert refused.value.sentence == local.value.sentence


def test_people_of_parts_are_not_attacked_as_if_each_row_were_one(tmp_path: Path) -> None:
    from crypsis.attacks import ATTACKS
    from crypsis.parts_attack import attack_release_parts

    frame = visits_of(np.random.default_rng(1))
    frame.write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_trajectories(tmp_path / "*.parquet", locations=PLACES, **OPTIONS)
    written = crypsis.anonymize(scanned, crypsis.KAMCut(k=2, unit="owner")).write(tmp_path / "own", format="parts")
    adversary = next(one for one in ATTACKS.values() if crypsis.Trajectories in one.accepts and one.works_on_parts())
    with Serial() as executor, pytest.raises(OriginalRequired, match="people with several"):
        attack_release_parts(written, scanned, adversary(), executor)


def test_many_trajectories_of_people_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    visits_of(np.random.default_rng(1)).write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_trajectories(tmp_path, locations=PLACES, **OPTIONS)
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    release = crypsis.anonymize(scanned, crypsis.KAMCut(k=3, unit="owner"))
    assert isinstance(release, crypsis.Release)
    assert release.verify().holds
    monkeypatch.setattr(records, "BYTES_PER_VALUE", 1 << 30)
    with pytest.raises(TooLarge, match="Give more"):
        crypsis.anonymize(scanned, crypsis.KAMCut(k=3, unit="owner"))
