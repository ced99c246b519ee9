"""Tables in parts, of people with several records: releases are those of memory, wherever records of a person lie."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis import parts_release, release_folder
from crypsis.data.relational import PublishedTable
from crypsis.errors import BadParameter, BadRow, CrypsisError, OriginalRequired, TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.serial import Serial
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness
from crypsis.methods.relational.split_blocks import deal_people
from crypsis.parts_release import verify_release_parts
from crypsis.publication import parts_sort, relational, table_parts
from crypsis.shards.people import persons_of_rows
from crypsis.shards.table import shard_table
from crypsis.verifiers import verify
from crypsis.verifiers.table_parts import PublishedColumns, RowsOfPeople, count_parts, verify_parts
from tests.shards.compared_tables import SETTINGS, compare_blocks, compare_people
from tests.shards.cut_tables import random_table, with_people

NAMES = [*SETTINGS, "cluster"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_release_of_people_in_parts_is_the_release_in_memory(name: str, seed: int) -> None:
    with Serial() as executor:
        compare_people(name, seed, executor)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_many_tables_of_people_are_released_alike_however_they_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + int(os.environ.get("CRYPSIS_TABLES", "60"))):
            compare_people(name, seed, executor)


@pytest.mark.long
def test_workers_of_a_cluster_release_people_as_memory_does() -> None:
    from crypsis.executors.dask import Dask

    with Dask(workers=2, memory="1GiB") as executor:
        for name in NAMES:
            for seed in range(50, 53):
                compare_people(name, seed, executor)


@pytest.mark.parametrize("seed", range(16))
def test_blocks_of_people_are_the_same_wherever_the_table_is_cut(seed: int, tmp_path: Path) -> None:
    with Serial() as executor:
        compare_blocks(seed, tmp_path, [executor], people=True)


def test_people_are_dealt_out_whole() -> None:
    rng = np.random.default_rng(2)
    persons = rng.integers(0, 30, 100)
    dealt = dict(deal_people(persons, rng.permutation(100), 4))
    held = [set(persons[rows].tolist()) for rows in dealt.values()]
    assert sum(map(len, held)) == len(set(persons.tolist()))
    assert sorted(np.concatenate([*dealt.values()]).tolist()) == list(range(100))
    sizes = [len(rows) for rows in dealt.values()]
    assert max(sizes) - min(sizes) <= np.bincount(persons).max()


def test_the_records_of_a_person_are_brought_together() -> None:
    rng = np.random.default_rng(4)
    table = with_people(rng, random_table(rng, 80))
    assert table.person is not None
    with Serial() as executor:
        encoded = shard_table(table, executor, [0, 20, 20, 45, 80])
        people = encoded.person
        assert people is not None
        seen = [shard.persons().tolist() for shard in people.shards]
        assert np.concatenate(seen).tolist() == sorted(table.person.tolist())
        assert all(not set(one) & set(other) for one, other in pairwise(seen))
        for shard in people.shards:
            assert shard.persons().tolist() == table.person[shard.numbers()].tolist()
            whole = np.concatenate([one.codes() for one in encoded.shards])
            assert np.array_equal(shard.codes(), whole[shard.numbers()])
        order = rng.permutation(80)
        files = [executor.scratch.save(f"some-{first}", order[first : first + 30]) for first in (0, 30, 60)]
        found = persons_of_rows(files, people, encoded.shards, executor)
        assert np.concatenate([np.load(file, allow_pickle=True) for file in found]).tolist() == (
            table.person[order].tolist()
        )


def test_somebody_with_more_records_than_a_worker_can_hold_is_refused() -> None:
    frame = pl.DataFrame({"age": [1] * 900_000, "uid": [1] * 600_000 + [2] * 300_000})
    table = crypsis.Table.from_frame(frame, {"age": "quasi"}, person="uid")
    with Serial(memory="64MiB") as executor, pytest.raises(TooLarge, match="more memory"):
        crypsis.anonymize(table, crypsis.Mondrian(k=2), executor=executor)


# Files


ROLES = {"uid": "identifier", "age": "quasi", "pay": "quasi", "ill": "sensitive", "note": "other"}


def write_visits(folder: Path) -> Path:
    """Visits of people, most of whom come in several files."""
    rng = np.random.default_rng(3)
    folder.mkdir()
    for number, rows in enumerate((40, 0, 83)):
        pl.DataFrame(
            {
                "uid": [f"u{one}" for one in rng.integers(0, 30, rows)],
                "age": rng.integers(0, 30, rows),
                "pay": rng.integers(0, 90, rows) / 2,
                "ill": [f"i{one}" for one in rng.integers(0, 4, rows)],
                "note": rng.integers(0, 3, rows),
            },
            schema_overrides={"uid": pl.String, "age": pl.Int64, "pay": pl.Float64, "ill": pl.String},
        ).write_parquet(folder / f"{number}.parquet")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("method", [crypsis.Mondrian(k=4, l=2), crypsis.TopDown(k=3, max_suppressed=0.2)], ids=str)
def test_the_folder_is_that_of_the_people_in_memory(method: crypsis.Method, tmp_path: Path) -> None:
    parts = write_visits(tmp_path / "visits")
    local = crypsis.anonymize(crypsis.read_table(parts, ROLES, person="uid"), method)
    assert local.guarantee.to_dict() != method.guarantee.to_dict()  # people, not records
    written = local.write(tmp_path / "local", format="parts")
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES, person="uid"), method, block_rows=30) as release:
        assert release.guarantee == local.guarantee
        own = release.write(tmp_path / "own", private_report=tmp_path / "own.json")
    assert contents(own) == contents(written)
    with Serial() as executor, pytest.raises(OriginalRequired, match="private report"):
        verify_release_parts(own, executor)


@pytest.mark.parametrize("asked", [{}, {"l": 2}, {"t": 0.6}, {"l": 2, "t": 0.7, "distance": "ordered"}], ids=str)
def test_many_records_of_people_are_counted_on_the_parts(
    asked: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, method = write_visits(tmp_path / "visits"), crypsis.Mondrian(k=3, **asked)  # type: ignore[arg-type]
    for module in (parts_sort, relational, table_parts, release_folder):
        monkeypatch.setattr(module, "PART_ROWS", 50, raising=False)
    monkeypatch.setattr(table_parts.write_table_parts, "__defaults__", (50,))
    local = crypsis.anonymize(crypsis.read_table(parts, ROLES, person="uid"), method)
    expected = contents(local.write(tmp_path / "local", format="parts"))
    monkeypatch.setattr(parts_release, "WHOLE_ROWS", 100)
    with crypsis.anonymize(crypsis.scan_table(parts, ROLES, person="uid"), method, block_rows=30) as release:
        assert nearly(release.verify().to_dict()) == nearly(local.verify().to_dict())
        ours = contents(release.write(tmp_path / "own"))
    assert {name for name in ours if "/" in name} == {f"table/part-0000{number}.parquet" for number in range(3)}
    for name in expected:
        if name not in ("release.json", "report.html"):
            assert ours[name] == expected[name], name
    manifest, told = json.loads(ours["release.json"]), json.loads(expected["release.json"])
    for entry in told:
        if entry not in ("review", "files"):
            assert manifest[entry] == told[entry], entry


def nearly(told: object) -> object:
    """Fractions to twelve digits: those of people are added up in another order."""
    if isinstance(told, dict):
        return {name: nearly(value) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return [nearly(value) for value in told]
    return float(f"{told:.11e}") if isinstance(told, float) else told


def test_a_record_of_nobody_is_refused_with_its_place(tmp_path: Path) -> None:
    for number, names in enumerate((["a", "b"], ["a", None, "c"])):
        frame = pl.DataFrame({"uid": names, "age": [1] * len(names)}, schema_overrides={"uid": pl.String})
        frame.write_parquet(tmp_path / f"{number}.parquet")
    scanned = crypsis.scan_table(tmp_path, {"age": "quasi"}, person="uid")
    with pytest.raises(BadRow, match=r"'uid' names the person and is empty in 1 row;.*1.parquet, row 1"):
        crypsis.anonymize(scanned, crypsis.Mondrian(k=1))


def test_a_trip_is_nobody(tmp_path: Path) -> None:
    rows = {"trip_id": ["t1", "t1", "t2", "t3"], "user_id": ["a", "a", "a", "b"], "age": [1, 2, 3, 4]}
    frame = pl.DataFrame(rows)
    frame.head(1).write_parquet(tmp_path / "0.parquet")
    frame.tail(3).write_parquet(tmp_path / "1.parquet")
    roles = {"trip_id": "identifier", "user_id": "identifier", "age": "quasi"}
    with pytest.raises(BadParameter) as local:
        crypsis.read_table(tmp_path, roles, person="trip_id")
    with pytest.raises(BadParameter) as refused:
        crypsis.anonymize(crypsis.scan_table(tmp_path, roles, person="trip_id"), crypsis.Mondrian(k=1))
    assert refused.value.sentence == local.value.sentence


def test_a_person_of_one_row_each_is_a_table_of_rows(tmp_path: Path) -> None:
    pl.DataFrame({"uid": ["a", "b", "c"], "age": [1, 2, 3]}).write_parquet(tmp_path / "0.parquet")
    scanned = crypsis.scan_table(tmp_path, {"age": "quasi"}, person="uid")
    with crypsis.anonymize(scanned, crypsis.Mondrian(k=1)) as release:
        assert release.guarantee == KAnonymity(k=1)


# Verdicts


COLUMN_ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive", "pay": "sensitive", "note": "other"}
TYPES = {"age": "int", "town": "category", "ill": "category", "pay": "int", "note": "category"}
COLUMNS = PublishedColumns(COLUMN_ROLES, TYPES, {"town": ["north"]})
PROMISES: tuple[Guarantee, ...] = (
    KAnonymity(k=2, unit="person"),
    LDiversity(l=2, unit="person"),
    LDiversity(l=2, form="entropy", unit="person"),
    LDiversity(l=2, form="recursive", c=1.5, unit="person"),
    TCloseness(t=0.4, unit="person"),
    TCloseness(t=0.3, distance="ordered", unit="person"),
    AllOf.of(KAnonymity(k=2, unit="person"), LDiversity(l=2, unit="person"), TCloseness(t=0.5, unit="person")),
)


def published_visits(rng: np.random.Generator, n: int) -> tuple[pl.DataFrame, np.ndarray]:  # type: ignore[type-arg]
    choices = {
        "age": ["[1:5]", "7", "?"],
        "town": ["north", "a"],
        "ill": ["flu", "cold", "?"],
        "pay": ["10", "9", "100", "?"],
        "note": ["x", "y"],
    }
    frame = pl.DataFrame({name: rng.choice(texts, n).tolist() for name, texts in choices.items()})
    gone = pl.Series(rng.random(n) < 0.1)
    shown = frame.select(pl.when(gone).then(pl.lit("~")).otherwise(pl.col(name)).alias(name) for name in COLUMN_ROLES)
    return shown, np.unique(rng.integers(0, max(n // 3, 1), n), return_inverse=True)[1].astype(np.int64)


def verdict_on_parts(
    frame: pl.DataFrame,
    persons: np.ndarray | None,  # type: ignore[type-arg]
    whole: PublishedTable,
    promised: Guarantee,
    folder: Path,
    executor: Executor,
    rng: np.random.Generator,
) -> crypsis.Verdict:
    """Of the rows in some parts; what the original held is taken to be what is published."""
    bounds = [0, *sorted(rng.integers(0, len(frame) + 1, 2).tolist()), len(frame)]
    files, owners = [], []
    for number, (first, last) in enumerate(pairwise(bounds)):
        files.append(str(folder / f"part-{number:05d}.parquet"))
        frame.slice(first, last - first).write_parquet(files[-1])
        if persons is not None:
            owners.append(executor.scratch.save(f"owners-{number}", persons[first:last]))
    originals, shares = {}, {}
    for column in whole.with_role("sensitive"):
        texts = frame[column.name].replace({"?": None, "~": None})
        values = texts.cast(pl.Int64) if column.name == "pay" else texts
        domain = values.drop_nulls().unique().sort()
        codes = np.array([-1 if one is None else domain.to_list().index(one) for one in values.to_list()])
        originals[column.name] = (domain, np.bincount(codes[codes >= 0], minlength=len(domain)))
        if persons is not None:
            share = 1 / np.bincount(persons)[persons]
            shares[column.name] = np.bincount(codes[codes >= 0], weights=share[codes >= 0], minlength=len(domain))
    owned = None if persons is None else RowsOfPeople(owners, shares)
    counted = count_parts(files, COLUMNS, promised, executor, originals, None, owned)
    return verify_parts(counted, COLUMNS, promised, original=True)


@pytest.mark.parametrize("promised", PROMISES, ids=str)
def test_the_verdict_on_people_in_parts_is_that_on_the_whole(promised: Guarantee, tmp_path: Path) -> None:
    outcomes = set()
    for seed in range(12):
        rng = np.random.default_rng(seed)
        frame, persons = published_visits(rng, int(rng.integers(3, 120)))
        if any(isinstance(one, TCloseness) for one in getattr(promised, "parts", [promised])):
            kept = (frame["age"] != "~").to_numpy()  # else the original were needed
            frame, persons = frame.filter(pl.Series(kept)), np.unique(persons[kept], return_inverse=True)[1]
        whole = PublishedTable.from_frame(frame, COLUMN_ROLES, TYPES, nodes={"town": ["north"]})
        owned = PublishedTable(whole.columns, person=persons)
        with Serial() as executor:
            executor.memory = 4096  # several tasks
            told = verdict_on_parts(frame, persons, whole, promised, tmp_path, executor, rng)
            expected = verify(owned, promised)
            assert nearly(told.to_dict()) == nearly(expected.to_dict())
            outcomes.add(told.holds)
            as_received = outcome(verify, whole, promised)
            on_parts = outcome(verdict_on_parts, frame, None, whole, promised, tmp_path, executor, rng)
            assert as_received == on_parts
    assert False in outcomes


def outcome(judge: Callable[..., crypsis.Verdict], *arguments: object) -> object:
    """The verdict, or the refusal."""
    try:
        return judge(*arguments).to_dict()
    except CrypsisError as error:
        return error.sentence


def test_rows_that_one_person_has_all_of_are_found(tmp_path: Path) -> None:
    """A class of many rows of one person: rows would do, people do not."""
    rng = np.random.default_rng(9)
    frame, persons = published_visits(rng, 60)
    frame = frame.filter(pl.col("age") != "~")
    persons = np.arange(len(frame))
    own = (frame["age"] == "7").to_numpy()
    persons[own] = persons[own][0]
    whole = PublishedTable.from_frame(frame, COLUMN_ROLES, TYPES, nodes={"town": ["north"]})
    with Serial() as executor:
        rows = verdict_on_parts(frame, None, whole, KAnonymity(k=3), tmp_path, executor, rng)
        people = verdict_on_parts(frame, persons, whole, KAnonymity(k=3, unit="person"), tmp_path, executor, rng)
    assert rows.holds
    assert not people.holds
    assert people.achieved == 1
    assert "belongs to 1 person, 3 are required" in str(people)
