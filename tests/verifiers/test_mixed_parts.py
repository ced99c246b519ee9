"""Mixed data in parts are verified as in memory: the same verdict, witness and figures, in many tasks or in one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.errors import CrypsisError
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts
from crypsis.publication import kind_of, table_parts
from tests.shards.cut_mixed import METHODS, drawn, random_mixed, release_cut


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_parts, "PART_ROWS", 16)
    monkeypatch.setattr(table_parts.write_table_parts, "__defaults__", (16,))


@pytest.mark.parametrize("name", METHODS)
def test_a_release_in_parts_is_verified_as_the_release_in_memory(name: str, tmp_path: Path) -> None:
    done = 0
    with Serial() as executor:
        for seed in range(3 * len(METHODS[name])):
            data, method, _ = drawn(name, seed)
            try:
                release = release_cut(data, method, [], 30, executor)
            except CrypsisError:
                continue
            written = release.write(tmp_path / str(seed), format="parts", confirm=["note", "ill", "items"])
            executor.memory = 1 << 15 if seed % 2 else 2 << 30
            told = verify_release_parts(written, executor)
            back = crypsis.read_release(written)
            assert told.to_dict() == back.verify().to_dict()
            assert told.holds
            assert len(back.data) == len(data)
            done += 1
    assert done > 2


@pytest.mark.parametrize("seed", range(12))
def test_a_broken_promise_has_the_witness_of_data_in_memory(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    data = random_mixed(rng, 70, 2 if seed % 3 else 0, int(rng.integers(1, 6)))
    published = crypsis.anonymize(data, crypsis.TFirst(k=1 + seed % 2, m=1, seeds="first")).data
    promises: list[Any] = [crypsis.KKmAnonymity(k=k, m=2) for k in (1, 2, 4)]
    promises += [crypsis.KLmDiversity(k=1, l=2, m=2), crypsis.KKmAnonymity(k=1, m=1, ul=0.01 * seed)]
    tampered = [published, replace(published, scopes=rng.integers(0, 2, len(published)).astype(np.int32))]
    for number, made in enumerate(tampered):
        folder = tmp_path / str(number)
        kind = kind_of(made)
        shown = kind.as_written(made)
        folder.mkdir()
        kind.write(folder, shown, None, np.arange(len(shown)), "parts")
        described = kind.describe(shown)
        with Serial() as executor:
            for promised in promises:
                executor.memory = 1 << 15
                files = sorted(map(str, (folder / "mixed").iterdir()))
                rows, told = kind.verify_parts(files, described, promised, executor)
                assert rows == len(shown)
                assert told.to_dict() == crypsis.verify(shown, promised).to_dict()


def test_rows_that_are_suppressed_in_part_are_found_in_any_part(tmp_path: Path) -> None:
    data = random_mixed(np.random.default_rng(3), 60)
    shown = crypsis.anonymize(data, crypsis.TFirst(k=2, m=1)).data
    kind = kind_of(shown)
    kind.write(tmp_path, shown, None, np.arange(60), "parts")
    part = tmp_path / "mixed" / "part-00002.parquet"
    frame = pl.read_parquet(part)
    frame.with_columns(pl.Series("town", ["~", *frame["town"][1:]])).write_parquet(part)
    with Serial() as executor:
        files = sorted(map(str, (tmp_path / "mixed").iterdir()))
        _, told = kind.verify_parts(files, kind.describe(shown), crypsis.KKmAnonymity(k=2, m=1), executor)
    assert not told.holds
    assert "row 32 is suppressed but holds a value in column 'age'" in str(told)
