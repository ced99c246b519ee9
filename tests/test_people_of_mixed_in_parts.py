"""Mixed data in parts, of people with several records: all of a person are in one block, and people are counted."""

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
from crypsis.data.declarations import Declarations
from crypsis.errors import OriginalRequired
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.shards.mixed import encode_mixed, shard_mixed
from tests.shards.cut_mixed import METHODS, compare, random_mixed, release_cut, with_people
from tests.shards.cut_sets import random_cuts

DATASETS = int(os.environ.get("CRYPSIS_DATASETS", "30"))  # of each method


@pytest.mark.parametrize("name", METHODS)
def test_blocks_of_people_are_the_same_wherever_data_are_cut_and_keep_the_promise(name: str) -> None:
    with Serial() as executor:
        several = [compare(name, seed, [executor], people=True) for seed in range(2 * len(METHODS[name]))]
    assert any(several)


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_blocks_of_people_of_many_datasets_are_the_same_wherever_data_are_cut(name: str) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS):
            compare(name, seed, [executor], people=True)


@pytest.mark.long
def test_workers_of_a_cluster_publish_mixed_data_of_people_as_memory_does() -> None:
    from crypsis.executors.dask import Dask

    with Dask(workers=2, memory="1GiB") as executor, Serial() as serial:
        for name in METHODS:
            compare(name, 7, [executor, serial], people=True)


def test_sets_lie_beside_the_columns_of_their_record() -> None:
    rng = np.random.default_rng(3)
    data = with_people(rng, random_mixed(rng, 60))
    lists = data.transactions.to_lists()
    with Serial() as executor:
        encoded = shard_mixed(data, executor, [0, 20, 20, 60])
        assert encoded.person is not None
        seen: list[int] = []
        for shard in encoded.whole_people:
            numbers = shard.table.numbers()
            offsets, items = shard.sets.read()
            for index, (first, last) in enumerate(pairwise(offsets.tolist())):
                own = encoded.sets.vocabulary.decode(items[first:last]).to_list()
                assert sorted(own) == sorted(lists[int(numbers[index])])
            assert (data.person[numbers] == shard.table.persons()).all()
            seen += numbers.tolist()
        assert sorted(seen) == list(range(60))
        assert encoded.holders(executor).tolist() == data.transactions.unite_by_person().supports.tolist()


def test_records_of_one_person_are_no_crowd() -> None:
    frame = pl.DataFrame(
        {"uid": [0] * 6 + [1, 2, 3, 4], "age": [30] * 6 + [40] * 4, "codes": [["a", "b"]] * 6 + [["a"]] * 4}
    )
    people = crypsis.Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None}, person="uid")
    rows = replace(people, table=people.table.change(person=None))
    method = crypsis.RFirst(k=3, m=2)
    with Serial() as executor:
        of_rows = release_cut(rows, method, [4], 100, executor)
        of_people = release_cut(people, method, [4], 100, executor)
    assert ("30", '["a","b"]') in [(row["age"], row["codes"]) for row in of_rows.data.to_frame().to_dicts()]
    assert ("30", '["a","b"]') not in [(row["age"], row["codes"]) for row in of_people.data.to_frame().to_dicts()]
    assert of_people.guarantee.unit == "person"
    assert of_people.verify().holds
    shown = of_rows.data
    tampered = replace(shown, table=replace(shown.table, person=of_people.data.table.person))
    assert not replace(of_people, data=tampered).verify().holds


# Files

OPTIONS: dict[str, Any] = {"quasi": "age", "items": {"codes": " "}, "person": "uid"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("seed", range(2))
def test_scanned_mixed_data_of_people_are_those_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    codes = [" ".join(rng.choice(list("abcd"), rng.integers(0, 4), replace=False)) for _ in range(60)]
    frame = pl.DataFrame({"uid": rng.integers(0, 25, 60), "age": rng.integers(20, 60, 60), "codes": codes})
    (tmp_path / "all").mkdir()
    frame.write_csv(tmp_path / "all" / "one.csv")
    for number, (first, last) in enumerate(pairwise([0, *random_cuts(rng, 60), 60])):
        frame.slice(first, last - first).write_csv(tmp_path / f"{number}.csv")
    read = crypsis.read_mixed(tmp_path / "all" / "one.csv", {"age": "quasi"}, items={"codes": " "}, person="uid")
    scanned = crypsis.scan_mixed(tmp_path / "*.csv", **OPTIONS)
    with Serial() as executor:
        encoded = encode_mixed(scanned, Declarations(), executor)
        assert encoded.whole.transactions.to_lists() == read.transactions.to_lists()
        assert encoded.whole.person.tolist() == read.person.tolist()
    method = crypsis.RumBound(k=3, m=2)
    local, release = crypsis.anonymize(read, method), crypsis.anonymize(scanned, method)
    assert release.guarantee.unit == "person"
    assert contents(release.write(tmp_path / "own")) == contents(local.write(tmp_path / "local"))
    parts = release.write(tmp_path / "parts", format="parts")
    with Serial() as executor, pytest.raises(OriginalRequired):
        verify_release_parts(parts, executor)
