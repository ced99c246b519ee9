"""Many disassociated records are sorted, verified and written part by part: the folder is that of those in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.scanned_records import ScannedRecords
from crypsis.errors import VerificationFailed
from crypsis.executors.dask import Dask
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.publication import forest_parts, kind_of, table_parts
from crypsis.publication.disassociated import read_disassociated
from crypsis.record_release import ForestPartsRelease
from crypsis.shards import records
from crypsis.verifiers.forest_parts import count_forests, verify_forest_parts
from tests.shards.cut_sets import random_cuts, random_sets

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "reference" / "release.schema.json").read_text())
METHODS = {
    "none": crypsis.Disassociation(k=3, refine="none", max_cluster_size=7),
    "guarded": crypsis.Disassociation(k=2, m=3, refine="none", max_cluster_size=5, horpart="guarded", safe=True),
    "diverse": crypsis.Disassociation(k=2, l=2, refine="none", max_cluster_size=8),
    "refined": crypsis.Disassociation(k=2, max_cluster_size=6),
    "as-printed": crypsis.Disassociation(k=2, max_cluster_size=6, refine="property1"),
}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    monkeypatch.setattr(table_parts, "PART_ROWS", 16)
    monkeypatch.setattr(forest_parts, "SAMPLE", 2)


def write_sets(folder: Path, name: str, seed: int, n: int = 70) -> tuple[crypsis.Transactions, ScannedRecords]:
    """The same sets in memory and in parts."""
    rng = np.random.default_rng(seed)
    drawn = random_sets(rng, n, 10, 2 if name == "diverse" else 0)
    lists = drawn.to_lists()
    sensitive = [drawn.vocabulary.labels[code] for code in np.flatnonzero(drawn.sensitive)] if name == "diverse" else []
    folder.mkdir(parents=True)
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, n), n])):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lists[first:last]))
    return crypsis.Transactions.from_lists(lists, sensitive), crypsis.scan_transactions(
        folder / "*.jsonl", sensitive=sensitive
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.parametrize("name", METHODS)
def test_the_folder_is_that_of_records_in_memory(name: str, seed: int, tmp_path: Path) -> None:
    compare(name, seed, tmp_path)


def compare(name: str, seed: int, folder: Path, make: Callable[[], Any] = Serial) -> None:
    """The folder of data in memory, written as parts, and the one of shards, worked on where `make` says."""
    data, scanned = write_sets(folder / "parts", name, seed)
    method = METHODS[name]
    local = crypsis.anonymize(data, method)
    holds = local.verify().holds
    assert holds or name == "as-printed"
    with make() as executor:
        if method.refine == "none":
            executor.memory = 1 << 14 if seed % 2 else executor.memory  # many runs and ranges, or one
        release = crypsis.anonymize(scanned, method, executor=executor)
        assert isinstance(release, ForestPartsRelease)
        ordered = crypsis.verify(local.data.canonical(), local.guarantee, data)  # problems name nodes by their order
        assert release.verify().to_dict() == ordered.to_dict()
        assert release.figures() == local.figures()
        for fact in ("accounting", "clusters", "refinement"):
            assert release.context.private[fact] == local.context.private[fact]
        if not holds:
            with pytest.raises(VerificationFailed):
                release.write(folder / "written")
            return
        expected = local.write(folder / "local", format="parts")
        written = release.write(folder / "written", private_report=folder / "own.json")
        assert verify_release_parts(written, executor).to_dict() == crypsis.read_release(expected).verify().to_dict()
    ours, theirs = contents(written), contents(expected)
    assert set(ours) == set(theirs)
    assert len([file for file in ours if file.startswith("disassociated/")]) > 2
    for file in theirs:
        if file not in ("release.json", "report.html"):
            assert ours[file] == theirs[file], file
    manifest, told = json.loads(ours["release.json"]), json.loads(theirs["release.json"])
    jsonschema.validate(manifest, SCHEMA)
    assert {entry: manifest[entry] for entry in manifest if entry not in ("review", "files")} == {
        entry: told[entry] for entry in told if entry not in ("review", "files")
    }
    back = crypsis.read_release(written)
    assert back.data == local.data
    assert back.verify().to_dict() == crypsis.read_release(expected).verify().to_dict()
    rows = pl.read_parquet(folder / "own.rows").sort("record")
    assert rows["record"].to_list() == list(range(len(local.data)))
    sizes = np.bincount(rows["cluster"].to_numpy(), minlength=back.data.n_nodes)
    assert sizes.tolist() == np.where(back.data.is_leaf, back.data.size, 0).tolist()
    with_leaves = replace(back.data, leaf_of_record=rows["cluster"].to_numpy())
    assert crypsis.verify(with_leaves, local.guarantee, data).holds  # every chunk is made of the records it is told to


@pytest.mark.long
def test_a_cluster_writes_the_folder_of_records_in_memory(tmp_path: Path) -> None:
    for seed, name in enumerate(METHODS):
        compare(name, seed, tmp_path / name, partial(Dask, workers=2, memory="1GiB", scratch=tmp_path))


@pytest.mark.long
def test_many_folders_are_those_of_records_in_memory(tmp_path: Path) -> None:
    for seed in range(10, 60):
        compare(list(METHODS)[seed % len(METHODS)], seed, tmp_path / str(seed))


def test_several_blocks_are_published_in_parts_as_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, scanned = write_sets(tmp_path / "parts", "refined", 5)
    with crypsis.anonymize(scanned, METHODS["refined"], block_rows=20) as release:
        written = contents(release.write(tmp_path / "written"))
        assert release.scaling == {"mode": "blocks", "block_rows": 20}
    monkeypatch.setattr(records, "WHOLE_RECORDS", 1000)
    whole = crypsis.anonymize(scanned, METHODS["refined"], block_rows=20)
    expected = contents(whole.write(tmp_path / "expected", format="parts"))
    assert {file: content for file, content in written.items() if "part-" in file} == {
        file: content for file, content in expected.items() if "part-" in file
    }
    assert json.loads(written["release.json"])["scaling"] == json.loads(expected["release.json"])["scaling"]


def tampered(data: DisassociatedTransactions, seed: int) -> DisassociatedTransactions:
    """Some counts are lower, some clusters smaller, and a term of a chunk is another one."""
    rng = np.random.default_rng(seed)
    counts, size, items = data.counts.copy(), data.size.copy(), data.items.copy()
    for place in rng.integers(0, len(counts), 3).tolist():
        counts[place] = max(1, counts[place] - 1)
    size[rng.integers(0, len(size), 3)] = 1
    items[rng.integers(0, len(items))] = data.terms[0] if len(data.terms) else 0
    return replace(data, counts=counts, size=size, items=items)


@pytest.mark.parametrize("seed", range(12))
def test_a_broken_promise_has_the_problems_of_a_whole_forest(seed: int, tmp_path: Path) -> None:
    name = ("none", "refined")[seed % 2]
    data, _ = write_sets(tmp_path / "parts", name, seed)
    promised = crypsis.DisassociationAnonymity(k=3, m=2, level=("strict", "paper")[seed % 3 % 2])
    shown = tampered(crypsis.anonymize(data, METHODS[name]).data.canonical(), seed)
    shown = shown.canonical()
    folder = tmp_path / "folder"
    folder.mkdir()
    kind_of(shown).write(folder, shown, None, np.zeros(0, np.int64), "parts")
    with Serial() as executor:
        files = sorted(str(path) for path in (folder / "disassociated").iterdir())
        found = verify_forest_parts(count_forests(files, read_disassociated, promised, executor), promised)
    expected = crypsis.verify(shown, promised)
    assert not expected.holds
    assert found.to_dict() == expected.to_dict()


def test_roots_that_were_changed_on_the_way_are_noticed(tmp_path: Path) -> None:
    _, scanned = write_sets(tmp_path / "parts", "none", 1)
    with crypsis.anonymize(scanned, METHODS["none"]) as release:
        one, other = (Path(file) for file in release.data.files[:2])
        other.write_bytes(one.read_bytes())
        with pytest.raises(VerificationFailed, match="do not hold"):
            release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_records_that_got_lost_before_clusters_were_made_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, scanned = write_sets(tmp_path / "parts", "none", 1)
    monkeypatch.setattr(forest_parts, "checksum_of_shard", lambda shard, seeds: (1, 2))
    with pytest.raises(VerificationFailed, match="records of the data"):
        crypsis.anonymize(scanned, METHODS["none"])
