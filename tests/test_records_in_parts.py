"""Releases of sets and trajectories in parts are those of the same data in memory, in every file."""

from __future__ import annotations

import gzip
import json
import os
from itertools import pairwise
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data import scanned as scanned_parts
from crypsis.data.formats.parquet import content_size
from crypsis.errors import NotScalable, PartsDiffer
from crypsis.executors.serial import Serial
from crypsis.shards.records import encode_records
from tests.shards.cut_records import BLOCKS, SETS, WALKS, compare, compare_blocks, release_cut
from tests.shards.cut_sets import random_cuts, random_sets
from tests.shards.cut_walks import random_walks

DATASETS = int(os.environ.get("CRYPSIS_DATASETS", "250"))  # of each method


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", [*SETS, *WALKS])
def test_parts_are_published_as_data_in_memory(name: str, seed: int) -> None:
    with Serial() as executor:
        compare(name, seed, executor)


@pytest.mark.long
@pytest.mark.parametrize("name", [*SETS, *WALKS])
def test_parts_of_many_datasets_are_published_as_data_in_memory(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS):
            compare(name, seed, executor)


@pytest.mark.long
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_many_datasets_are_the_same_wherever_they_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS // 5):
            compare_blocks(name, seed, [executor])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_trajectories_are_the_same_wherever_they_are_cut_and_keep_the_promise(name: str, seed: int) -> None:
    with Serial() as executor:
        compare_blocks(name, seed, [executor])


@pytest.mark.parametrize("seed", range(12))
def test_refining_in_one_run_is_refining_in_memory_and_in_several_the_guarantee_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_sets(rng, 80, 10)
    method = crypsis.Disassociation(k=3, max_cluster_size=8)
    with Serial() as executor:
        whole = release_cut(data, method, random_cuts(rng, len(data)), 1000, executor)
        assert whole.data == crypsis.anonymize(data, method).data
        assert whole.scaling is None
        block_rows = int(rng.choice([9, 20, 40]))
        some = [release_cut(data, method, random_cuts(rng, len(data)), block_rows, executor) for _ in range(2)]
    assert some[0].data == some[1].data
    assert some[0].scaling == {"mode": "blocks", "block_rows": block_rows}
    assert some[0].verify().holds


def write_sets(folder: Path) -> None:
    rng = np.random.default_rng(5)
    lists = random_sets(rng, 70).to_lists()
    for number, (first, last) in enumerate(((0, 40), (40, 40), (40, 70))):
        lines = "".join(json.dumps(one) + "\n" for one in lists[first:last])
        (folder / f"{number}.jsonl").write_text(lines)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_scanned_sets_are_written_as_those_in_memory(tmp_path: Path) -> None:
    write_sets(tmp_path)
    method = crypsis.Disassociation(k=3, refine="none")
    lists = [
        json.loads(line) for number in range(3) for line in (tmp_path / f"{number}.jsonl").read_text().splitlines()
    ]
    local = crypsis.anonymize(crypsis.Transactions.from_lists(lists), method).write(tmp_path / "local")
    scanned = crypsis.scan_transactions(tmp_path / "*.jsonl")
    written = crypsis.anonymize(scanned, method, block_rows=20).write(tmp_path / "written")
    assert contents(written) == contents(local)


def test_scanned_walks_are_written_as_those_in_memory(tmp_path: Path) -> None:
    data = random_walks(np.random.default_rng(4), 50)
    frame = data.to_frame()
    ids = frame["trajectory_id"].unique(maintain_order=True)
    for number, own in enumerate((ids[:20], ids[20:])):
        frame.filter(frame["trajectory_id"].is_in(own.to_list())).write_csv(tmp_path / f"{number}.csv")
    data.locations.to_frame().write_csv(tmp_path / "locations.txt")
    places = crypsis.read_locations(tmp_path / "locations.txt", format="csv")
    method = crypsis.SeqAnon(k=3, m=2, on_infeasible="truncate")
    frame.write_csv(tmp_path / "all.tsv", separator="\t")
    read = crypsis.read_trajectories(tmp_path / "all.tsv", locations=places, each_row_is_a_person=True)
    local = crypsis.anonymize(read, method).write(tmp_path / "local")
    scanned = crypsis.scan_trajectories(tmp_path / "*.csv", locations=places, each_row_is_a_person=True)
    assert contents(crypsis.anonymize(scanned, method).write(tmp_path / "written")) == contents(local)


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_a_record_may_lie_in_several_parts(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = random_sets(rng, 60).to_frame()
    frame = frame[rng.permutation(frame.height)]
    frame = pl.concat([frame, frame.head(5)])  # items that are repeated in another part
    (tmp_path / "all").mkdir()
    frame.write_csv(tmp_path / "all" / "one.csv")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, frame.height), frame.height])):
        if first < last:
            text = frame.slice(first, last - first).write_csv()
            name = f"{number}.csv"
            if seed % 2:
                (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
            else:
                (tmp_path / name).write_text(text)
    options = {"id": frame.columns[0], "item": frame.columns[1], "each_row_is_a_person": True}
    read = crypsis.read_transactions(tmp_path / "all" / "one.csv", **options)
    with Serial() as executor:
        encoded = encode_records(crypsis.scan_transactions(tmp_path / "*.csv*", **options), executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.ids.to_list() == read.ids.to_list()
        assert encoded.whole.collapsed == read.collapsed == 5


@pytest.mark.parametrize("seed", range(4))
def test_visits_of_a_trajectory_may_lie_in_several_parts(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = random_walks(rng, 40).to_frame()
    frame = frame[rng.permutation(frame.height)]
    bounds = [0, frame.height // 3, frame.height // 2, frame.height]
    for number, (first, last) in enumerate(pairwise(bounds)):
        frame.slice(first, last - first).write_parquet(tmp_path / f"{number}.parquet")
    (tmp_path / "all").mkdir()
    frame.write_parquet(tmp_path / "all" / "one.parquet")
    options = {"each_row_is_a_person": True, "sort": True}
    read = crypsis.read_trajectories(tmp_path / "all" / "one.parquet", **options)
    scanned = crypsis.scan_trajectories(tmp_path / "*.parquet", **options)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.ids.to_list() == read.ids.to_list()
    method = crypsis.KAMCut(k=2)
    expected = contents(crypsis.anonymize(read, method).write(tmp_path / "local"))
    assert contents(crypsis.anonymize(scanned, method).write(tmp_path / "written")) == expected


@pytest.mark.parametrize("kind", ["transactions", "lists", "trajectories", "tracks", "events"])
def test_a_large_parquet_file_is_read_by_ranges_of_its_rows(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranges end anywhere, also between the rows of a record."""
    rng = np.random.default_rng(3)
    options: dict[str, object] = {}
    if kind == "transactions":
        frame, method = random_sets(rng, 80).to_frame(), crypsis.Apriori(k=2, m=2)
        options = {"id": frame.columns[0], "item": frame.columns[1], "each_row_is_a_person": True}
    elif kind == "lists":
        frame, method = pl.DataFrame({"item": random_sets(rng, 80).to_lists()}), crypsis.Apriori(k=2, m=2)
        options = {"each_row_is_a_person": True}
    elif kind == "trajectories":
        frame, method = random_walks(rng, 60).to_frame(), crypsis.KAMCut(k=2)
        options = {"each_row_is_a_person": True}
    elif kind == "tracks":
        rides = [(ride, step) for ride in range(40) for step in range(4)]
        frame = pl.DataFrame({"trip_id": [ride for ride, _ in rides], "t": [60 * step for _, step in rides]})
        frame = frame.with_columns(x=500 * pl.col("t") / 60 + pl.col("trip_id") % 7, y=pl.col("trip_id") % 5)
        method, options = crypsis.PPSG(radius=200, k=4), {"each_row_is_a_person": True}
    else:
        frame = pl.DataFrame({"id": [row % 30 for row in range(90)], "location": ["a", "b", "c"] * 30})
        frame = frame.with_columns(t=pl.int_range(90) // 30)
        domains = {"location_domain": crypsis.LocationDomain(["a", "b", "c"]), "time_domain": crypsis.TimeDomain(0, 3)}
        method = crypsis.SafePath(epsilon=2, height=2, scheme="flat", **domains)
    frame.write_parquet(tmp_path / "all.parquet")
    scan = getattr(crypsis, f"scan_{'transactions' if kind == 'lists' else kind}")
    monkeypatch.setattr(scanned_parts, "PART_OF_MEMORY", (64 << 20) * 5 // content_size(tmp_path / "all.parquet"))
    with Serial(memory="64MiB") as executor:
        scanned = scan(tmp_path / "all.parquet", **options)
        parts = list(scanned.parts(executor.memory))
        assert len(parts) >= 5
        assert [part.first for part in parts[1:]] == list(np.cumsum([part.rows for part in parts[:-1]]))
        release = crypsis.anonymize(scanned, method, executor=executor)
        assert release.verify().holds
        if kind != "events":
            read = getattr(crypsis, f"read_{'transactions' if kind == 'lists' else kind}")
            local = crypsis.anonymize(read(tmp_path / "all.parquet", **options), method)
            assert contents(release.write(tmp_path / "parts")) == contents(local.write(tmp_path / "local"))
        else:
            assert [part.rows for part in scanned.parts(executor.memory, whole_files=True)] == [None]


def test_rows_of_a_record_in_parts_of_different_types_are_refused(tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2], "item": ["a", "b"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"id": ["2", "3"], "item": ["a", "b"]}).write_parquet(tmp_path / "b.parquet")
    scanned = crypsis.scan_transactions(tmp_path / "*.parquet", each_row_is_a_person=True)
    with pytest.raises(PartsDiffer, match="'id' holds String") as found:
        crypsis.anonymize(scanned, crypsis.Apriori(k=1, m=1))
    assert found.value.details["column"] == "id"
    assert "b.parquet" in str(found.value.where)


def test_what_needs_all_records_at_once_is_refused(tmp_path: Path) -> None:
    write_sets(tmp_path)
    with pytest.raises(NotScalable, match="objective='item'"):
        crypsis.anonymize(crypsis.scan_transactions(tmp_path / "*.jsonl"), crypsis.PCTA(k=2, objective="dataset"))


def test_a_release_in_blocks_has_the_stated_form(tmp_path: Path) -> None:
    schema = json.loads((Path(__file__).parents[1] / "docs" / "reference" / "release.schema.json").read_text())
    data = random_sets(np.random.default_rng(0), 80, 10)
    method = crypsis.Disassociation(k=3, max_cluster_size=8)
    release = crypsis.anonymize(data, method, executor="serial", block_rows=20)
    folder = release.write(tmp_path / "release")
    manifest = json.loads((folder / "release.json").read_text())
    jsonschema.validate(manifest, schema)
    assert manifest["scaling"]["block_rows"] == 20
    assert crypsis.read_release(folder).verify().holds
