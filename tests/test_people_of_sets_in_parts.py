"""Sets in parts, of people with several records: releases are those of memory, wherever records of a person lie."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import BadLabel, BadRow, OptionWithoutEffect, PersonNotSupported, TooLarge, UnknownColumn
from crypsis.executors.serial import Serial
from crypsis.shards import records
from crypsis.shards.people_of_records import cut_people
from crypsis.shards.records import encode_records, shard_records
from tests.shards.cut_records import RECODED, compare, release_cut, with_people
from tests.shards.cut_sets import random_cuts, random_sets

NAMES = ("lra", *RECODED)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", NAMES)
def test_sets_of_people_in_parts_are_published_as_in_memory(name: str, seed: int) -> None:
    with Serial() as executor:
        compare(name, seed, executor, people=True)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_sets_of_people_in_parts_are_published_as_in_memory(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + int(os.environ.get("CRYPSIS_DATASETS", "50"))):
            compare(name, seed, executor, people=True)


@pytest.mark.long
def test_workers_of_a_cluster_publish_sets_of_people_as_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.executors import near
    from crypsis.executors.dask import Dask

    monkeypatch.setattr(near, "MEMORY_PER_FILE_BYTE", 1 << 40)  # residents are in workers, however small
    with Dask(workers=2, memory="1GiB") as executor:
        for name in NAMES:
            for seed in range(50, 52):
                compare(name, seed, executor, people=True)


def test_each_person_is_whole_in_a_shard() -> None:
    rng = np.random.default_rng(2)
    data = with_people(rng, random_sets(rng, 70))
    assert data.person is not None
    pieces = cut_people(data.offsets, data.items, data.person, 4)
    held = [set(persons.tolist()) for _, _, persons in pieces]
    assert len(pieces) > 1
    assert sum(map(len, held)) == data.people
    with Serial() as executor:
        people = shard_records(data, executor, [0, 30, 30, 70]).person
        assert people is not None
        for shard in people.shards:
            offsets, _ = shard.read()
            assert len(offsets) - 1 == len(shard.persons()) == shard.rows
            assert (np.diff(shard.persons()) >= 0).all()
        filled = {person for person, one in zip(data.person.tolist(), data.to_lists(), strict=True) if one}
        assert people.filled == len(filled)
        assert people.holders.tolist() == data.unite_by_person().supports.tolist()


def test_a_set_that_one_person_has_in_many_records_is_rare() -> None:
    lists = [["a", "b"]] * 9 + [["a"], ["b"], ["a"], ["b"], ["a"], ["b"]]
    data = crypsis.Transactions.from_lists(lists, person=[0] * 9 + [1, 1, 2, 2, 3, 3])
    method = crypsis.PCTA(k=3, m=2)
    with Serial() as executor:
        people = release_cut(data, method, [4, 10], 100, executor)
        rows = release_cut(replace(data, person=None), method, [4, 10], 100, executor)
    assert rows.data.to_lists()[0] == ["a", "b"]
    assert people.data.to_lists()[0] == [["a", "b"]]
    assert people.guarantee.unit == "person"
    tampered = replace(people, data=replace(rows.data, person=people.data.person))
    assert not tampered.verify().holds
    assert people.verify().holds


# Files


def long_table(rng: np.random.Generator) -> pl.DataFrame:
    """A row for each item, in any order; names of people that are numbers of different length."""
    lists = [one for one in random_sets(rng, 60).to_lists() if one]
    people = rng.integers(0, 20, len(lists))
    rows = [
        (f"r{record}", f"{people[record]}", item)
        for record in rng.permutation(len(lists)).tolist()
        for item in lists[record]
    ]
    return pl.DataFrame(rows, schema=["visit", "uid", "drug"], orient="row")


OPTIONS = {"id": "visit", "item": "drug", "person": "uid"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("method", [crypsis.Apriori(k=3, m=2), crypsis.LRA(k=3), crypsis.PCTA(k=4)], ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_scanned_sets_of_people_are_those_in_memory(seed: int, method: crypsis.Method, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = long_table(rng)
    frame = frame[rng.permutation(frame.height)]  # rows of a record anywhere, too
    (tmp_path / "all").mkdir()
    frame.write_parquet(tmp_path / "all" / "one.parquet")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, frame.height), frame.height])):
        frame.slice(first, last - first).write_parquet(tmp_path / f"{number}.parquet")
    read = crypsis.read_transactions(tmp_path / "all" / "one.parquet", **OPTIONS)
    scanned = crypsis.scan_transactions(tmp_path / "*.parquet", **OPTIONS)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.ids.to_list() == read.ids.to_list()
        assert encoded.whole.person.tolist() == read.person.tolist()
    local = crypsis.anonymize(read, method)
    release = crypsis.anonymize(scanned, method)
    assert release.verify().to_dict() == local.verify().to_dict()
    assert release.guarantee.unit == "person"
    assert contents(release.write(tmp_path / "own")) == contents(local.write(tmp_path / "local"))


@pytest.mark.parametrize("seed", range(3))
def test_scanned_columns_of_sets_of_people_are_those_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "uid": [f"p{rng.integers(20)}" for _ in range(50)],
            "drugs": [" ".join(one) for one in random_sets(rng, 50).to_lists()],
        }
    )
    (tmp_path / "all").mkdir()
    frame.write_csv(tmp_path / "all" / "one.csv")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, 50), 50])):
        frame.slice(first, last - first).write_csv(tmp_path / f"{number}.csv")
    options = {"columns": {"drugs": {"type": "items", "separator": " "}}, "person": "uid"}
    read = crypsis.read_transactions(tmp_path / "all" / "one.csv", **options)
    scanned = crypsis.scan_transactions(tmp_path / "*.csv", **options)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.person.tolist() == read.person.tolist()
        assert encoded.holders.tolist() == read.unite_by_person().supports.tolist()
    for method in (crypsis.Apriori(k=3, m=2), crypsis.PCTA(k=4)):
        local, release = crypsis.anonymize(read, method), crypsis.anonymize(scanned, method)
        assert release.guarantee.unit == "person"
        assert release.verify().to_dict() == local.verify().to_dict()
        shown = [contents(one.write(tmp_path / f"{name}-{method.name()}")) for name, one in
                 {"own": release, "local": local}.items()]  # fmt: skip
        assert shown[0] == shown[1]


@pytest.mark.parametrize("wide", [False, True], ids=["rows of items", "columns of sets"])
@pytest.mark.parametrize("seed", range(4))
def test_records_of_a_person_are_united_as_in_memory(seed: int, wide: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 50).to_lists()
    people = [f"p{rng.integers(20)}" if seed else f"p{(7 * row) % 50}" for row in range(50)]  # once with no repeats
    if wide:
        frame = pl.DataFrame({"uid": people, "drugs": [" ".join(one) for one in sets]})
        options = {"columns": {"drugs": {"type": "items", "separator": " "}}, "person": "uid", "unite": "person"}
    else:
        rows = [(f"r{row}", people[row], item) for row in range(50) for item in sets[row]]
        frame = pl.DataFrame(rows, schema=["visit", "uid", "drug"], orient="row")[rng.permutation(len(rows))]
        options = {**OPTIONS, "unite": "person"}
    (tmp_path / "all").mkdir()
    frame.write_csv(tmp_path / "all" / "one.csv")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, frame.height), frame.height])):
        frame.slice(first, last - first).write_csv(tmp_path / f"{number}.csv")
    read = crypsis.read_transactions(tmp_path / "all" / "one.csv", **options)
    scanned = crypsis.scan_transactions(tmp_path / "*.csv", **options)
    with Serial() as executor:
        encoded = encode_records(scanned, executor)
        assert encoded.whole.to_lists() == read.to_lists()
        assert encoded.whole.collapsed == read.collapsed
        assert encoded.person is None
        assert encoded.supports.tolist() == read.supports.tolist()
    method = crypsis.Disassociation(k=3, refine="none")
    local, release = crypsis.anonymize(read, method), crypsis.anonymize(scanned, method)
    assert release.verify().to_dict() == local.verify().to_dict()
    assert contents(release.write(tmp_path / "own")) == contents(local.write(tmp_path / "local"))


def test_uniting_needs_a_person(tmp_path: Path) -> None:
    long_table(np.random.default_rng(1)).write_parquet(tmp_path / "0.parquet")
    with pytest.raises(OptionWithoutEffect, match="person"):
        crypsis.scan_transactions(tmp_path, id="visit", item="drug", unite="person")


def test_one_record_has_one_person(tmp_path: Path) -> None:
    frame = pl.DataFrame({"visit": ["r1", "r2", "r1"], "uid": ["p", "q", "q"], "drug": ["a", "b", "c"]})
    frame.write_csv(tmp_path / "one.csv")
    for number in range(3):
        frame.slice(number, 1).write_csv(tmp_path / f"part-{number}.csv")
    with pytest.raises(BadRow) as local:
        crypsis.read_transactions(tmp_path / "one.csv", **OPTIONS)
    scanned = crypsis.scan_transactions(tmp_path / "part-*.csv", **OPTIONS)
    with pytest.raises(BadRow) as refused:
        crypsis.anonymize(scanned, crypsis.Apriori(k=1))
    assert refused.value.sentence == local.value.sentence


def test_rows_without_a_person_are_refused_with_their_place(tmp_path: Path) -> None:
    frame = pl.DataFrame({"visit": ["r1", "r2"], "uid": ["p", None], "drug": ["a", "b"]})
    frame.head(1).write_parquet(tmp_path / "0.parquet")
    frame.tail(1).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(BadLabel, match=r"'uid' is empty.*1\.parquet"):
        crypsis.anonymize(crypsis.scan_transactions(tmp_path, **OPTIONS), crypsis.Apriori(k=1))
    with pytest.raises(UnknownColumn, match="whose"):
        crypsis.anonymize(crypsis.scan_transactions(tmp_path, **{**OPTIONS, "person": "whose"}), crypsis.Apriori(k=1))


def test_no_rows_are_no_people(tmp_path: Path) -> None:
    frame = pl.DataFrame({"visit": [], "uid": [], "drug": []}, schema=dict.fromkeys(OPTIONS.values(), pl.String))
    frame.write_parquet(tmp_path / "0.parquet")
    with Serial() as executor:
        encoded = encode_records(crypsis.scan_transactions(tmp_path, **OPTIONS), executor)
        assert len(encoded) == 0
        assert encoded.person is None


def test_what_is_not_counted_on_parts_is_refused(tmp_path: Path) -> None:
    frame = long_table(np.random.default_rng(1))
    frame.write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_transactions(tmp_path, **OPTIONS)
    with pytest.raises(PersonNotSupported, match="Methods that count people: Apriori"):
        crypsis.anonymize(scanned, crypsis.Disassociation(k=2))
    pl.DataFrame({"visit": [1], "uid": ["p"], "drug": [["a", "b"]]}).write_parquet(tmp_path / "lists.parquet")
    with pytest.raises(PersonNotSupported, match="here a row holds several"):
        crypsis.anonymize(crypsis.scan_transactions(tmp_path / "lists.parquet", **OPTIONS), crypsis.Apriori(k=1))


def test_many_records_of_people_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long_table(np.random.default_rng(1)).write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_transactions(tmp_path, **OPTIONS)
    monkeypatch.setattr(records, "WHOLE_RECORDS", 10)
    release = crypsis.anonymize(scanned, crypsis.Apriori(k=3, m=2))
    assert isinstance(release, crypsis.Release)
    assert release.verify().holds
    monkeypatch.setattr(records, "BYTES_PER_VALUE", 1 << 30)
    with pytest.raises(TooLarge, match="Give more"):
        crypsis.anonymize(scanned, crypsis.Apriori(k=3, m=2))
