"""A release of many records is sorted, verified and written part by part: the folder of those in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.formats import published as trajectory_files
from crypsis.data.formats.published import LABELS_OF_GROUP, read_published_trajectories
from crypsis.data.formats.published_sets import read_set_part
from crypsis.data.scanned_records import ScannedRecords
from crypsis.errors import (
    DirectIdentifier,
    Infeasible,
    NotApplicable,
    OptionWithoutEffect,
    OriginalRequired,
    UnconfirmedColumn,
    VerificationFailed,
)
from crypsis.executors.dask import Dask
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.publication import kind_of, record_parts, table_parts
from crypsis.record_release import RecordPartsRelease
from crypsis.shards import ragged_sort, records
from crypsis.shards.records import shard_records
from crypsis.verifiers.counted_rows import CountedRows, count_rows
from crypsis.verifiers.set_parts import verify_set_parts
from crypsis.verifiers.trajectory_parts import verify_trajectory_parts
from tests.shards.cut_records import drawn_policy, drawn_utility
from tests.shards.cut_sets import random_cuts, random_sets
from tests.shards.cut_walks import random_walks

WALKS = {
    "seq-anon": crypsis.SeqAnon(k=3, m=2, on_infeasible="truncate"),
    "size-three": crypsis.SeqAnon(k=2, m=3, on_infeasible="truncate"),
    "sd-seq-anon": crypsis.SDSeqAnon(k=3, m=2, on_infeasible="truncate"),
    "u-seq-anon": crypsis.USeqAnon(k=3, m=2, delta=100.0),
    "kam-cut": crypsis.KAMCut(k=3),
    "kam-rec": crypsis.KAMRec(k=2, p=30),
    "strict-kam-rec": crypsis.KAMRec(k=2, p=30, strict=True),
    "bf-p2ka": crypsis.BFP2kA(k=3),
    "lm-anon": crypsis.LmAnon(k=3, l=2, m=2, on_infeasible="suppress"),
    "zga": crypsis.ZGA(k=2, l=2, m=2, clusters=3, on_infeasible="suppress"),
    "sga": crypsis.SGA(k=2, l=3, m=2, clusters=3, patterns=4, on_infeasible="suppress"),
}
DIVERSE = ("lm-anon", "zga", "sga")
BLOCKS = ("kam-rec", "strict-kam-rec", "bf-p2ka", *DIVERSE)
KINDS = crypsis.ItemHierarchy([(f"w{item:02d}", f"kind {item % 3}") for item in range(12)] + [
    (f"kind {kind}", "thing") for kind in range(3)
])  # fmt: skip
SETS = {
    "apriori": crypsis.Apriori(k=4, m=2),
    "declared": crypsis.Apriori(k=5, m=2, hierarchy=KINDS, max_suppressed_items=0.3),
    "by-frequency": crypsis.Apriori(k=4, m=3, hierarchy=crypsis.BalancedHierarchy(fanout=3, order="frequency")),
    "diverse": crypsis.Apriori(k=3, m=2, l=2),
    "lra": crypsis.LRA(k=3, m=2, partition_size=9),
    "local-declared": crypsis.LRA(k=3, m=2, hierarchy=KINDS, partition_size=12, max_suppressed_items=0.3),
    "vpa": crypsis.VPA(k=4, m=2, parts=3),
    "pcta": crypsis.PCTA(k=4, m=2),
    "coat": crypsis.COAT(k=4, m=2, max_suppressed=0.5),
    "policy": crypsis.PCTA(k=6),
}
METHODS = {**WALKS, **SETS}
FACTS = {
    "sets": ("steps", "cut", "partition", "accounting"),
    "walks": ("merges", "partition"),
    **dict.fromkeys(("kam-cut", *BLOCKS), ("accounting",)),
}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    monkeypatch.setattr(table_parts, "PART_ROWS", 16)
    monkeypatch.setattr(ragged_sort, "SAMPLE", 4)
    monkeypatch.setattr(trajectory_files, "LABELS_OF_GROUP", 40)


def write_walks(
    folder: Path, seed: int, n: int = 60, *, sensitive: bool = False
) -> tuple[crypsis.Trajectories, ScannedRecords]:
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
    places = places.marked(["p01", "p02"]) if sensitive else places
    read = crypsis.read_trajectories(whole, locations=places, each_row_is_a_person=True)
    return read, crypsis.scan_trajectories(folder / "*.csv", locations=places, each_row_is_a_person=True)


def write_sets(folder: Path, name: str, seed: int, n: int = 60) -> tuple[crypsis.Transactions, ScannedRecords, Any]:
    """The same sets in memory and in parts, and a method for them."""
    rng = np.random.default_rng(seed)
    drawn = random_sets(rng, n, 12, 2 if name == "diverse" else 0)
    lists = drawn.to_lists()
    sensitive = [drawn.vocabulary.labels[code] for code in np.flatnonzero(drawn.sensitive)] if name == "diverse" else []
    folder.mkdir(parents=True)
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, n), n])):
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lists[first:last]))
    method: crypsis.Method = SETS[name]
    if name == "policy":
        method = replace(method, privacy=drawn_policy(rng, drawn))
    if name == "coat":
        method = replace(method, utility=drawn_utility(rng, drawn))
    scanned = crypsis.scan_transactions(folder / "*.jsonl", sensitive=sensitive)
    return crypsis.Transactions.from_lists(lists, sensitive), scanned, method


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", METHODS)
def test_the_folder_is_that_of_records_in_memory(name: str, tmp_path: Path) -> None:
    compare(name, list(METHODS).index(name), tmp_path)


def compare(name: str, seed: int, folder: Path, make: Callable[[], Any] = Serial) -> None:
    """The folder of data in memory, written as parts, and the one of shards, worked on where `make` says."""
    if name in SETS:
        read, scanned, method = write_sets(folder / "parts", name, seed)
    else:
        (read, scanned), method = write_walks(folder / "parts", seed, sensitive=name in DIVERSE), WALKS[name]
    local = crypsis.anonymize(read, method)
    expected = local.write(folder / "local", format="parts")
    with make() as executor:
        few = 1 << 19 if name in BLOCKS else 1 << 14  # many ranges, or one
        executor.memory = few if seed % 2 else executor.memory
        release = crypsis.anonymize(scanned, method, executor=executor)
        assert isinstance(release, RecordPartsRelease)
        assert release.verify().to_dict() == local.verify().to_dict()
        assert release.figures() == local.figures()
        for fact in FACTS.get(name, FACTS["sets" if name in SETS else "walks"]):
            noted = local.context.private.get(fact)
            assert release.context.private.get(fact) == (noted.to_pairs() if hasattr(noted, "to_pairs") else noted)
        written = release.write(folder / "written", private_report=folder / "own.json")
        told_alone = told(partial(verify_release_parts, written, executor))
        assert told_alone == told(crypsis.read_release(expected).verify)
    ours, theirs = contents(written), contents(expected)
    assert set(ours) == set(theirs)
    for file in theirs:
        if file not in ("release.json", "report.html"):
            assert ours[file] == theirs[file], file
    manifest, other = json.loads(ours["release.json"]), json.loads(theirs["release.json"])
    assert {entry: manifest[entry] for entry in manifest if entry not in ("review", "files")} == {
        entry: other[entry] for entry in other if entry not in ("review", "files")
    }
    assert "not-measured-on-parts" in str(manifest["review"])
    back = crypsis.read_release(written)
    assert told(back.verify) == told_alone
    rows = pl.read_parquet(folder / "own.rows")
    expected_rows = local.context.private.get("published_input_rows", range(len(read)))
    assert sorted(rows["input_row"].to_list()) == list(expected_rows)


def told(verify: Callable[[], crypsis.Verdict]) -> Any:
    """The verdict, or why the files alone do not tell it."""
    try:
        return verify().to_dict()
    except OriginalRequired as error:
        return str(error.message)


@pytest.mark.parametrize("name", BLOCKS)
def test_several_blocks_are_published_in_parts_as_in_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, scanned = write_walks(tmp_path / "parts", 40, sensitive=name in DIVERSE)
    monkeypatch.setattr(ragged_sort, "BYTES_PER_VALUE", 1 << 24)  # several ranges, which blocks cross
    with crypsis.anonymize(scanned, WALKS[name], block_rows=25) as release:
        assert isinstance(release, RecordPartsRelease)
        verdict = release.verify().to_dict()
        written = contents(release.write(tmp_path / "written"))
        sizes = release.context.private["blocks"]
    monkeypatch.setattr(records, "WHOLE_RECORDS", 1000)
    whole = crypsis.anonymize(scanned, WALKS[name], block_rows=25)
    assert whole.verify().to_dict() == verdict
    assert [len(block) for block in whole.context.private["blocks"]] == sizes
    assert len(sizes) > 1
    expected = contents(whole.write(tmp_path / "expected", format="parts"))
    assert {file: one for file, one in written.items() if "part-" in file} == {
        file: one for file, one in expected.items() if "part-" in file
    }
    manifest, other = (json.loads(files["release.json"]) for files in (written, expected))
    assert all(manifest[entry] == other[entry] for entry in ("scaling", "data", "figures", "verdict", "guarantee"))


def test_where_no_block_can_be_done_the_method_says_why(tmp_path: Path) -> None:
    read, scanned = write_walks(tmp_path / "parts", 41)
    method = crypsis.KAMRec(k=1000)
    with pytest.raises(Infeasible) as expected:
        crypsis.anonymize(read, method)
    with pytest.raises(type(expected.value)) as found:
        crypsis.anonymize(scanned, method, block_rows=25)
    assert str(found.value) == str(expected.value)


@pytest.mark.long
def test_a_cluster_writes_the_folder_of_records_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trajectory_files, "LABELS_OF_GROUP", LABELS_OF_GROUP)  # workers have processes of their own
    for seed, name in enumerate(
        ("apriori", "diverse", "lra", "policy", "seq-anon", "kam-cut", "kam-rec", "bf-p2ka", *DIVERSE)
    ):
        compare(name, seed, tmp_path / name, partial(Dask, workers=2, memory="1GiB", scratch=tmp_path))


@pytest.mark.long
def test_many_folders_are_those_of_records_in_memory(tmp_path: Path) -> None:
    for seed in range(10, 34):
        name = list(METHODS)[seed % len(METHODS)]
        compare(name, seed, tmp_path / str(seed))


def test_a_broken_guarantee_has_the_witness_of_trajectories_in_memory(tmp_path: Path) -> None:
    for seed in range(20, 22):
        published = crypsis.anonymize(random_walks(np.random.default_rng(seed), 50, 6), crypsis.SeqAnon(k=1, m=1)).data
        with Serial() as executor:
            counted = counted_parts(published, tmp_path / str(seed), executor)
            for promised in (crypsis.KmAnonymity(k=6, m=3), crypsis.SequenceKAnonymity(k=5, strict=True)):
                expected = crypsis.verify(published, promised)
                assert not expected.holds
                assert verify_trajectory_parts(counted, promised, published).to_dict() == expected.to_dict()


def test_a_broken_sequence_guarantee_has_the_witness_of_the_original_in_memory(tmp_path: Path) -> None:
    for seed in range(30, 34):
        rng = np.random.default_rng(seed)
        data = random_walks(rng, 60, 7)
        published = crypsis.anonymize(data, crypsis.KAMCut(k=1)).data.take(np.arange(0, 60, 2))
        with Serial() as executor:
            counted = counted_parts(published, tmp_path / str(seed), executor)
            encoded = shard_records(data, executor, [0, *random_cuts(rng, 60), 60])
            promises: list[crypsis.Guarantee] = [
                crypsis.SequenceKAnonymity(k=k, strict=strict) for k in (1, 4) for strict in (True, False)
            ]
            for promised in (*promises, crypsis.PatternPreservingKAnonymity(k=4)):
                expected = crypsis.verify(published, promised, data)
                found = verify_trajectory_parts(counted, promised, published, data, encoded.shards)
                assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("seed", range(20, 26))
def test_a_broken_guarantee_has_the_witness_of_sets_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    data = random_sets(rng, 50, 8, 2)
    published = crypsis.anonymize(data, crypsis.Apriori(k=2, m=1)).data
    promises: list[crypsis.Guarantee] = [
        crypsis.ItemsetDiversity(k=k, l=least, m=2) for k, least in product((1, 2, 5), (2, 9))
    ]
    promises += [crypsis.ItemsetKmAnonymity(k=6, m=3), crypsis.PolicyAnonymity(k=9, policy=drawn_policy(rng, data))]
    overlapping = crypsis.anonymize(random_sets(rng, 50, 8), crypsis.LRA(k=2, m=1)).data
    with Serial() as executor:
        for number, shown in enumerate((published, overlapping)):
            counted = counted_parts(shown, tmp_path / str(number) / "transactions", executor)
            for promised in promises:
                expected = crypsis.verify(replace(shown, suppressed=None), promised)
                assert verify_set_parts(counted, promised, shown.sensitive).to_dict() == expected.to_dict()


def counted_parts(published: Any, folder: Path, executor: Serial) -> CountedRows:
    """Published rows written in parts and counted there, in many ranges."""
    folder.mkdir(parents=True)
    executor.memory = 1 << 14
    kind = kind_of(published)
    record_parts.write_parts(kind, published, folder)
    kind.write_beside_parts(folder.parent, published)
    read: Any = read_set_part if isinstance(published, crypsis.PublishedTransactions) else read_published_trajectories
    return count_rows(sorted(str(path) for path in folder.iterdir()), read, executor)


def test_rows_that_were_changed_on_the_way_are_noticed(tmp_path: Path) -> None:
    _, scanned = write_walks(tmp_path / "parts", 1)
    with crypsis.anonymize(scanned, METHODS["seq-anon"]) as release:
        part = Path(release.data.files[0])
        frame = pl.read_parquet(part)
        pl.concat([frame.head(1), frame.head(len(frame) - 1)]).write_parquet(part)
        with pytest.raises(VerificationFailed, match="do not hold"):
            release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", DIVERSE)
def test_rows_that_are_not_their_own_originals_recoded_are_noticed(name: str, tmp_path: Path) -> None:
    read, _ = write_walks(tmp_path / "parts", 3, sensitive=True)
    published = crypsis.anonymize(read, WALKS[name]).data
    kind = kind_of(published)
    assert kind.problem_of_rows(published, read) is None
    swapped = published.take(np.roll(np.arange(len(read)), 1))
    assert "not the trajectory that it was made of" in str(kind.problem_of_rows(swapped, read))
    complete = replace(published, lacks_sensitive=False)
    assert (kind.problem_of_rows(complete, read) is None) == (published.visits == read.visits)
    assert "are published for 1 original" in str(kind.problem_of_rows(published, read.take(np.arange(1))))


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


def test_a_release_with_times_is_not_verified_without_them(tmp_path: Path) -> None:
    visits = [(row, f"2024-01-01T{8 + place:02d}:00:00", "abc"[place]) for row in range(20) for place in range(3)]
    pl.DataFrame(visits, ["id", "time", "location"], orient="row").write_csv(tmp_path / "timed.csv")
    places = {"a": (0, 0), "b": (1, 1), "c": (2, 2)}
    read = crypsis.read_trajectories(
        tmp_path / "timed.csv", id="id", enter="time", locations=places, times="merge", each_row_is_a_person=True
    )
    written = crypsis.anonymize(read, crypsis.SeqAnon(k=3, m=2)).write(tmp_path / "out", format="parts")
    assert crypsis.read_release(written).verify().holds
    with Serial() as executor, pytest.raises(NotApplicable, match="Times are not compared on parts"):
        verify_release_parts(written, executor)


def test_a_recipe_that_needs_all_records_is_carried_out_in_memory(tmp_path: Path) -> None:
    read, scanned, _ = write_sets(tmp_path / "parts", "pcta", 3)
    for method in (
        crypsis.COAT(k=3, utility=crypsis.UtilityPolicy.from_text("cooccurrence:2"), max_suppressed=0.9),
        crypsis.PCTA(k=3, privacy=crypsis.PrivacyPolicy.from_text("rare:4:2")),
    ):
        release = crypsis.anonymize(scanned, method)
        assert not isinstance(release, RecordPartsRelease)
        assert release.data == crypsis.anonymize(read, method).data


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
