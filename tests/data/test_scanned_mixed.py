"""Mixed data in parts are understood as those in memory: types, domains, labels and codes are the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.declarations import Declarations
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.sources import DataFile, MixedSource
from crypsis.errors import (
    BadLabel,
    BadParameter,
    BadTimestamps,
    NotApplicable,
    PartChanged,
    TooLarge,
    UnknownColumn,
)
from crypsis.executors.serial import Serial
from crypsis.shards.mixed import encode_mixed
from crypsis.shards.table import encode_table
from tests.shards.cut_sets import random_cuts

ITEMS = ["flu", "cold", "burn", "cough", "ache"]
WHOLE: dict[str, Any] = {"rest": "other", "each_row_is_a_person": True}


def random_frame(rng: np.random.Generator, n: int) -> pl.DataFrame:
    """Cells as texts, some without a value, some sets empty, with one item twice or padded."""
    sets = [rng.choice(ITEMS, rng.integers(0, 4)).tolist() for _ in range(n)]
    return pl.DataFrame(
        {
            "age": [str(one) if one else "?" for one in rng.integers(0, 9, n)],
            "born": [f"{day:02d}/{month:02d}/2001" for day, month in rng.integers(1, 13, (n, 2))],
            "codes": [" ".join(one) for one in sets],
            "drugs": ["; ".join(one[:2]) for one in sets],
            "dx1": [one[0] if one else "" for one in sets],
            "dx2": [one[1] if len(one) > 1 else None for one in sets],
            "key": [f"r{row}" for row in range(n)],
        },
        schema=dict.fromkeys(("age", "born", "codes", "drugs", "dx1", "dx2", "key"), pl.String),
    )


def write_parts(frame: pl.DataFrame, folder: Path, cuts: list[int], name: str = "csv") -> str:
    folder.mkdir(exist_ok=True)
    for number, (first, last) in enumerate(pairwise([0, *cuts, len(frame)])):
        own = frame[first:last]
        target = folder / f"p{number}.{name}"
        if name == "csv":
            own.write_csv(target)
        elif name == "parquet":
            own.write_parquet(target)
        else:
            own.write_ndjson(target)
    return str(folder / f"p*.{name}")


def compare(source: MixedSource, pattern: str) -> None:
    """Read into memory and in parts."""
    whole = source.read(DataFile(pattern))
    with Serial() as executor:
        encoded = encode_mixed(ScannedMixed.of(source, DataFile(pattern)), Declarations(), executor)
        assert len(encoded) == len(whole)
        own = encoded.whole
        kept = tuple(column for column in whole.table.columns if column.role != "identifier")
        assert own.table.columns == kept
        assert own.transactions == whole.transactions
        assert own.transactions.collapsed == whole.transactions.collapsed
        assert (own.column, own.parts) == (whole.column, whole.parts)
        assert [column.guessed for column in own.table.columns] == [column.guessed for column in kept]
        assert [column.missing for column in encoded.table.columns] == [column.missing for column in kept]
        assert encoded.sets.supports.tolist() == whole.transactions.supports.tolist()
        assert encoded.person_like == whole.person_like


COLUMNS: dict[str, dict[str, Any]] = {
    "separated": {"codes": {"type": "items", "item_separator": " "}},
    "several": {
        "codes": {"type": "items", "item_separator": " ", "sensitive": ["flu"]},
        "drugs": {"type": "items", "item_separator": ";", "sensitive": ["cold"]},
        "key": {"role": "identifier"},
    },
    "wide": {"codes": {"role": "identifier"}, "ill": {"type": "items", "item_separator": "dx1..dx2"}},
    "typed": {"codes": {"type": "items", "item_separator": " "}, "age": {"type": "category", "role": "quasi"}},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", COLUMNS)
def test_parts_are_understood_as_data_in_memory(name: str, seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, int(rng.integers(15, 40)))
    pattern = write_parts(frame, tmp_path, random_cuts(rng, len(frame)))
    compare(MixedSource(columns=COLUMNS[name], **WHOLE), pattern)
    compare(MixedSource(columns=COLUMNS[name], time_format="%d/%m/%Y", **WHOLE), pattern)
    lenient = MixedSource(
        columns={**COLUMNS[name], "age": {"type": "int", "role": "quasi"}}, missing=("4",), as_missing=True, **WHOLE
    )
    compare(lenient, pattern)


@pytest.mark.parametrize("name", ["parquet", "jsonl"])
def test_lists_of_labels_are_sets(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    frame = random_frame(rng, 40).with_columns(
        pl.Series("codes", [rng.choice(ITEMS, size).tolist() for size in rng.integers(0, 4, 40)]),
        pl.Series("age", rng.integers(0, 9, 40)),
    )
    pattern = write_parts(frame, tmp_path, [11, 30], name)
    columns = {"codes": {"type": "items", "item_separator": None, "sensitive": ["burn"]}}
    compare(MixedSource(columns=columns, **WHOLE), pattern)


def test_a_large_parquet_file_is_read_by_ranges_of_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    frame = random_frame(rng, 30_000)
    frame.write_parquet(tmp_path / "one.parquet", row_group_size=4_000)
    scanned = crypsis.scan_mixed(tmp_path / "one.parquet", {"age": "quasi"}, {"codes": " "}, **WHOLE)
    with Serial() as executor:
        executor.memory = 1 << 20
        encoded = encode_mixed(scanned, Declarations(), executor)
        assert len(encoded.shards) > 3
        whole = crypsis.read_mixed(tmp_path / "one.parquet", {"age": "quasi"}, {"codes": " "}, **WHOLE)
        assert encoded.whole.transactions == whole.transactions
        assert encoded.whole.table.columns == whole.table.columns


def test_sets_of_another_file_are_joined_part_by_part(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    frame = random_frame(rng, 40)
    pattern = write_parts(frame, tmp_path / "parts", [7, 20])
    rows = [(f"r{row}", rng.choice(ITEMS)) for row in rng.integers(0, 45, 90)]
    beside = tmp_path / "long.csv"
    pl.DataFrame(rows, schema=["key", "item"], orient="row").write_csv(beside)
    sets = {"ill": {"path": str(beside), "id": "key", "item": "item", "sensitive": ["flu"]}}
    source = MixedSource(columns={"age": {"role": "quasi"}}, sets=sets, **WHOLE)
    compare(source, pattern)
    scanned = ScannedMixed.of(source, DataFile(pattern))
    with Serial() as executor:
        executor.memory = 64
        with pytest.raises(TooLarge, match="long.csv"):
            encode_mixed(scanned, Declarations(), executor)
    pl.read_csv(beside).head(3).write_csv(beside)
    with Serial() as executor, pytest.raises(PartChanged):
        encode_mixed(scanned, Declarations(), executor)


def test_tables_have_their_dates_read_as_declared_too(tmp_path: Path) -> None:
    frame = random_frame(np.random.default_rng(2), 30).select("age", "born")
    pattern = write_parts(frame, tmp_path, [4, 19])
    roles = {"age": "quasi", "born": "quasi"}
    for written in ("%d/%m/%Y", "born=%d/%m/%Y"):
        whole = crypsis.read_table(pattern, roles, time_format=written)
        with Serial() as executor:
            encoded = encode_table(crypsis.scan_table(pattern, roles, time_format=written), Declarations(), executor)
            assert encoded.whole == whole
            assert encoded.whole.column("born").type == "date"
    with Serial() as executor, pytest.raises(BadTimestamps, match="must hold times") as error:
        encode_table(crypsis.scan_table(pattern, roles, time_format="age=%d/%m/%Y"), Declarations(), executor)
    assert error.value.where is not None
    assert ".csv" in error.value.where
    with Serial() as executor, pytest.raises(BadTimestamps, match="No column"):
        encode_table(crypsis.scan_table(pattern, roles, time_format="%H:%M"), Declarations(), executor)


def test_what_cannot_be_mixed_data_is_refused(tmp_path: Path) -> None:
    pattern = write_parts(random_frame(np.random.default_rng(1), 12), tmp_path, [5])
    with pytest.raises(BadParameter, match="set-valued"):
        crypsis.scan_mixed(pattern, quasi="age", **WHOLE)
    with pytest.raises(UnknownColumn, match="nothing"):
        crypsis.scan_mixed(pattern, quasi="age", items={"nothing": " "}, **WHOLE)
    with Serial() as executor:
        unknown = crypsis.scan_mixed(pattern, quasi="age", items={"codes": " "}, sensitive={"codes": ["flue"]}, **WHOLE)
        with pytest.raises(BadLabel, match="Did you mean 'flu'"):
            encode_mixed(unknown, Declarations(), executor)
    pl.DataFrame({"codes": ["a b"]}).write_csv(tmp_path / "only.csv")
    with pytest.raises(NotApplicable, match="relational"):
        crypsis.scan_mixed(tmp_path / "only.csv", items={"codes": " "})
