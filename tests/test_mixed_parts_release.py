"""Many records with sets are sorted, verified and written part by part: the folder of those put together in memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis._api import release_records
from crypsis.errors import CrypsisError, OptionWithoutEffect, UnconfirmedColumn, VerificationFailed
from crypsis.executors.dask import Dask
from crypsis.executors.executor import Executor
from crypsis.executors.serial import Serial
from crypsis.methods.scaling import BlockSize
from crypsis.mixed_release import MixedPartsRelease
from crypsis.parts_release import verify_release_parts
from crypsis.publication import mixed_parts, parts_sort, table_parts
from crypsis.run_context import RunContext
from crypsis.shards import records
from crypsis.shards.mixed import shard_mixed
from tests.shards.cut_mixed import METHODS, drawn
from tests.shards.cut_sets import random_cuts

DATASETS = int(os.environ.get("CRYPSIS_DATASETS", "60"))  # of each method


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "WHOLE_RECORDS", 3)
    monkeypatch.setattr(table_parts, "PART_ROWS", 16)
    monkeypatch.setattr(table_parts.write_table_parts, "__defaults__", (16,))
    monkeypatch.setattr(parts_sort, "PART_ROWS", 9)  # several ranges, which parts cross
    monkeypatch.setattr(parts_sort, "SAMPLE", 2)


def in_parts(data: crypsis.Mixed, method: Any, cuts: list[int], block_rows: int, executor: Executor) -> Any:
    """The release of data of which nothing is in memory."""
    encoded = replace(shard_mixed(data, executor, [0, *cuts, len(data)]), in_memory=None)
    return release_records(encoded, method, executor, BlockSize(block_rows), RunContext())


def put_together(data: crypsis.Mixed, method: Any, block_rows: int) -> Any:
    with Serial() as executor:
        encoded = shard_mixed(data, executor, [0, len(data)])
        return release_records(encoded, method, executor, BlockSize(block_rows), RunContext())


def compare(name: str, seed: int, folder: Path, executor: Executor) -> bool:
    """Equal files, and equal entries of the manifest; whether the release came in parts, from several blocks."""
    data, method, rng = drawn(name, seed)
    block_rows = int(rng.choice([12, 30, 500]))
    cuts = random_cuts(rng, len(data))
    try:
        whole = put_together(data, method, block_rows)
    except CrypsisError as error:
        with pytest.raises(type(error)) as found:
            in_parts(data, method, cuts, block_rows, executor)
        assert str(found.value) == str(error)
        return False
    release = in_parts(data, method, cuts, block_rows, executor)
    if not isinstance(release, MixedPartsRelease):
        assert len(data) <= 3 or not method.publishes_shards_here
        return False
    assert release.verify().to_dict() == whole.verify().to_dict()
    assert release.guarantee == whole.guarantee
    written, expected = release.write(folder / "written"), whole.write(folder / "expected", format="parts")
    assert contents(written) == contents(expected)
    manifest, other = (json.loads((path / "release.json").read_text()) for path in (written, expected))
    assert manifest.keys() == other.keys()
    told = set(manifest) - {"review", "files"}
    assert {entry: manifest[entry] for entry in told} == {entry: other[entry] for entry in told}
    described, alike = (json.loads((path / "datapackage.json").read_text()) for path in (written, expected))
    assert described == alike
    assert verify_release_parts(written, executor).holds
    assert crypsis.read_release(written).verify().holds
    return "scaling" in manifest


def contents(folder: Path) -> dict[str, bytes]:
    """The records, and what the names of items stand for."""
    files = [*(folder / "mixed").iterdir(), folder / "generalized_items.csv"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("name", METHODS)
def test_parts_are_those_of_records_put_together_in_memory(name: str, tmp_path: Path) -> None:
    with Serial() as executor:
        several = [compare(name, seed, tmp_path / str(seed), executor) for seed in range(30, 42)]
    assert any(several)


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_many_releases_are_those_of_records_put_together_in_memory(name: str, tmp_path: Path) -> None:
    with Serial() as executor:
        for seed in range(100, 100 + DATASETS):
            compare(name, seed, tmp_path / str(seed), executor)


@pytest.mark.long
def test_a_cluster_writes_the_same_parts(tmp_path: Path) -> None:
    with Dask(workers=2, memory="1GiB", scratch=tmp_path) as executor:
        for seed in range(200, 203):
            for name in METHODS:
                compare(name, seed, tmp_path / f"{name}-{seed}", executor)


def test_people_with_several_records_are_put_together_in_memory(tmp_path: Path) -> None:
    rows = [{"who": row % 30, "age": 20 + row % 7, "codes": ["c0"]} for row in range(60)]
    data = crypsis.Mixed.from_frame(pl.DataFrame(rows), {"age": "quasi"}, {"codes": None}, person="who")
    with Serial() as executor:
        release = in_parts(data, crypsis.RFirst(k=3, m=1), [20], 500, executor)
        assert not isinstance(release, MixedPartsRelease)
        assert release.verify().holds


@contextmanager
def one_release(**changed: Any) -> Iterator[MixedPartsRelease]:
    rows = range(60)
    frame = pl.DataFrame(
        {
            "age": [20 + row % 7 for row in rows],
            "ill": [f"i{row % 3}" for row in rows],
            "codes": [["c0", "c1"] if row % 7 < 3 else ["c2"] for row in rows],
        }
    ).with_columns(**changed)
    data = crypsis.Mixed.from_frame(frame, {"age": "quasi", "ill": "other"}, {"codes": None}, each_row_is_a_person=True)
    with Serial() as executor:
        yield in_parts(data, crypsis.RFirst(k=3, m=2), [20, 20, 50], 25, executor)


def test_rows_that_were_changed_on_the_way_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items of two rows are exchanged: columns and sets by themselves are as they were."""
    monkeypatch.setattr(table_parts, "PART_ROWS", 500)
    with one_release() as release:
        part = Path(release.data.files[0])
        frame = pl.read_parquet(part)
        pair = next(
            (one, other)
            for one in range(len(frame))
            for other in range(one)
            if frame["codes"][one] != frame["codes"][other] and frame["age"][one] != frame["age"][other]
        )
        order = np.arange(len(frame))
        order[list(pair)] = order[list(pair)[::-1]]
        frame.with_columns(frame["codes"].gather(order)).write_parquet(part)
        with pytest.raises(VerificationFailed, match="do not hold"):
            release.write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_records_that_are_not_recodings_of_their_own_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixed_parts, "recoding_problem", lambda *_: "row 3 shows what it is not")
    with pytest.raises(VerificationFailed, match="row 3 shows what it is not"), one_release():
        pass


def test_names_of_people_are_refused_in_cells_and_in_items(tmp_path: Path) -> None:
    rows = range(60)
    mails = pl.Series([f"anna{row % 3}@example.org" for row in rows])
    with one_release(ill=mails) as release, pytest.raises(UnconfirmedColumn) as refused:
        release.write(tmp_path / "cells")
    assert refused.value.details["columns"] == ["ill"]
    sets = pl.Series([[f"anna{row % 3}@example.org"] for row in rows])
    with one_release(codes=sets) as release:
        with pytest.raises(UnconfirmedColumn) as refused:
            release.write(tmp_path / "items")
        assert refused.value.details["columns"] == ["items"]
        assert release.write(tmp_path / "items", confirm="items").is_dir()


def test_only_parts_are_written_and_rows_of_the_input_are_told_beside_the_release(tmp_path: Path) -> None:
    with one_release() as release:
        for wrong in ({"format": "csv"}, {"order": "input"}, {"publish_figures": ["ncp_loss"]}):
            with pytest.raises(OptionWithoutEffect):
                release.write(tmp_path / "out", **wrong)
        release.write(tmp_path / "out", private_report=tmp_path / "private.json")
        told = pl.read_parquet(str(tmp_path / "private.rows" / "*.parquet"))
        assert sorted(told["input_row"].to_list()) == list(range(60))
        assert len(release.data) == 60 == release.data.scan().collect().height
