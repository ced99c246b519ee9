"""A release of many trajectories is sorted, verified and written part by part: the folder of those in memory."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.scanned_records import ScannedRecords
from crypsis.errors import DirectIdentifier, OptionWithoutEffect, UnconfirmedColumn, VerificationFailed
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.publication import table_parts, trajectory_parts
from crypsis.shards import records
from crypsis.trajectory_release import TrajectoryPartsRelease
from crypsis.verifiers import trajectory_parts as counting
from tests.shards.cut_sets import random_cuts
from tests.shards.cut_walks import random_walks

METHODS = {
    "seq-anon": crypsis.SeqAnon(k=3, m=2, on_infeasible="truncate"),
    "size-three": crypsis.SeqAnon(k=2, m=3, on_infeasible="truncate"),
    "sd-seq-anon": crypsis.SDSeqAnon(k=3, m=2, on_infeasible="truncate"),
    "u-seq-anon": crypsis.USeqAnon(k=3, m=2, delta=100.0),
}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    monkeypatch.setattr(table_parts, "PART_ROWS", 16)
    monkeypatch.setattr(trajectory_parts, "SAMPLE", 4)


def write_walks(folder: Path, seed: int, n: int = 60) -> tuple[crypsis.Trajectories, ScannedRecords]:
    """The same walks in memory and in parts."""
    rng = np.random.default_rng(seed)
    data = random_walks(rng, n, int(rng.integers(3, 9)))
    frame = data.to_frame()
    ids = frame["trajectory_id"].unique(maintain_order=True).to_list()
    folder.mkdir(parents=True)
    bounds = [0, *random_cuts(rng, len(ids)), len(ids)]
    for number, (first, last) in enumerate(pairwise(bounds)):
        if first < last:
            own = frame.filter(pl.col("trajectory_id").is_in(ids[first:last]))
            own.write_csv(folder / f"{number}.csv")
    whole = folder / "all.tsv"
    frame.write_csv(whole, separator="\t")
    data.locations.to_frame().write_csv(folder / "locations.txt")
    places = crypsis.read_locations(folder / "locations.txt", format="csv")
    read = crypsis.read_trajectories(whole, locations=places, each_row_is_a_person=True)
    return read, crypsis.scan_trajectories(folder / "*.csv", locations=places, each_row_is_a_person=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", METHODS)
def test_the_folder_is_that_of_trajectories_in_memory(name: str, tmp_path: Path) -> None:
    compare(name, list(METHODS).index(name), tmp_path)


def compare(name: str, seed: int, folder: Path) -> None:
    read, scanned = write_walks(folder / "parts", seed)
    local = crypsis.anonymize(read, METHODS[name])
    expected = local.write(folder / "local", format="parts")
    with Serial() as executor:
        executor.memory = 1 << 14 if seed % 2 else executor.memory  # many ranges, or one
        release = crypsis.anonymize(scanned, METHODS[name], executor=executor)
        assert isinstance(release, TrajectoryPartsRelease)
        assert release.verify().to_dict() == local.verify().to_dict()
        assert release.figures() == local.figures()
        written = release.write(folder / "written", private_report=folder / "own.json")
        assert verify_release_parts(written, executor).holds
    ours, theirs = contents(written), contents(expected)
    assert set(ours) == set(theirs)
    for file in theirs:
        if file not in ("release.json", "report.html"):
            assert ours[file] == theirs[file], file
    manifest, told = json.loads(ours["release.json"]), json.loads(theirs["release.json"])
    assert {entry: manifest[entry] for entry in manifest if entry not in ("review", "files")} == {
        entry: told[entry] for entry in told if entry not in ("review", "files")
    }
    assert "not-measured-on-parts" in str(manifest["review"])
    back = crypsis.read_release(written)
    assert back.verify().to_dict() == crypsis.read_release(expected).verify().to_dict()
    rows = pl.read_parquet(folder / "own.rows")
    assert sorted(rows["input_row"].to_list()) == list(range(len(read)))


@pytest.mark.long
def test_many_folders_are_those_of_trajectories_in_memory(tmp_path: Path) -> None:
    for seed in range(10, 22):
        name = list(METHODS)[seed % len(METHODS)]
        compare(name, seed, tmp_path / str(seed))


def test_a_broken_guarantee_has_the_witness_of_trajectories_in_memory(tmp_path: Path) -> None:
    for seed in range(20, 22):
        published = crypsis.anonymize(random_walks(np.random.default_rng(seed), 50, 6), crypsis.SeqAnon(k=1, m=1)).data
        folder = tmp_path / str(seed)
        trajectory_parts.write_trajectory_parts(published, folder)
        promised = crypsis.KmAnonymity(k=6, m=3)
        expected = crypsis.verify(published, promised)
        with Serial() as executor:
            executor.memory = 1 << 14
            files = sorted(str(path) for path in folder.iterdir())
            counted = counting.count_trajectories(files, trajectory_parts.read_trajectory_part, executor)
            assert counting.verify_trajectory_parts(counted, promised, published).to_dict() == expected.to_dict()


def test_rows_that_were_changed_on_the_way_are_noticed(tmp_path: Path) -> None:
    _, scanned = write_walks(tmp_path / "parts", 1)
    with crypsis.anonymize(scanned, METHODS["seq-anon"]) as release:
        part = Path(release.data.files[0])
        frame = pl.read_parquet(part)
        pl.concat([frame.head(1), frame.head(len(frame) - 1)]).write_parquet(part)
        with pytest.raises(VerificationFailed, match="do not hold"):
            release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_part_that_was_changed_afterwards_fails_verification(tmp_path: Path) -> None:
    read, scanned = write_walks(tmp_path / "parts", 2)
    with crypsis.anonymize(scanned, METHODS["seq-anon"]) as release:
        written = release.write(tmp_path / "out")
        with pytest.raises(OptionWithoutEffect):
            release.write(tmp_path / "other", order="input")
        scratch = release.executor.scratch.folder
        assert release.data.scan().collect().height == len(release.data) == len(read)
    assert not scratch.exists()
    part = written / "trajectories" / "part-00001.parquet"
    pl.read_parquet(part).reverse().write_parquet(part)
    with Serial() as executor:
        assert "checksum differs" in str(verify_release_parts(written, executor))


def test_labels_that_name_people_are_refused(tmp_path: Path) -> None:
    seen = [(row, place, f"someone{(row + place) % 2}@example.org") for row in range(30) for place in range(2)]
    visits = "".join(f"{row},{place},{label}\n" for row, place, label in seen)
    (tmp_path / "a.csv").write_text("id,position,location\n" + visits)
    places = {f"someone{one}@example.org": (one, one) for one in range(2)}
    scanned = crypsis.scan_trajectories(tmp_path / "a.csv", id="id", locations=places, each_row_is_a_person=True)
    with crypsis.anonymize(scanned, METHODS["seq-anon"]) as release:
        with pytest.raises((DirectIdentifier, UnconfirmedColumn), match="places"):
            release.write(tmp_path / "out")
        release.write(tmp_path / "out", confirm=["places"])
