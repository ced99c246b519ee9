"""Published trajectories as files: exact, deterministic and quick."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.data import (
    PublishedTrajectories,
    Symbols,
    Vocabulary,
    read_published_trajectories,
    write_published_trajectories,
)
from crypsis.data.formats import published as module
from crypsis.errors import BadLabel, BadRow, CrypsisError, UnknownColumn, UnknownFormat, UnreadableFile, WriteFailed
from tests.data.drawn import any_text, awkward_text

FORMATS = ("jsonl", "parquet")
labels = st.one_of(any_text, awkward_text).filter(bool)
symbols = st.one_of(labels, st.lists(labels, min_size=2, max_size=4, unique=True).map(sorted))
rows_of_symbols = st.lists(symbols, min_size=1, max_size=5).flatmap(
    lambda pool: st.lists(st.lists(st.sampled_from(pool), max_size=5), max_size=8)
)


@given(rows_of_symbols, st.sampled_from(FORMATS))
def test_what_is_written_is_read_back_row_by_row(folder: Path, rows: list[list[str | list[str]]], format: str) -> None:
    file = folder / f"data.{format}"
    data = PublishedTrajectories.from_lists(rows)
    write_published_trajectories(data, file, format=format)
    assert read_published_trajectories(file).to_lists() == rows
    if format == "jsonl":
        assert [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]] == rows
    again = file.with_name(f"again.{format}")
    write_published_trajectories(read_published_trajectories(file), again, format=format)
    assert again.read_bytes() == file.read_bytes()


@given(rows_of_symbols)
def test_both_formats_give_the_same_arrays(folder: Path, rows: list[list[str | list[str]]]) -> None:
    read = []
    for format in FORMATS:
        write_published_trajectories(PublishedTrajectories.from_lists(rows), folder / f"d.{format}", format=format)
        read.append(read_published_trajectories(folder / f"d.{format}"))
    one, other = read
    assert np.array_equal(one.offsets, other.offsets)
    assert np.array_equal(one.codes, other.codes)
    assert one.symbols.label_lists == other.symbols.label_lists


def test_json_lines_are_written_as_the_specification_shows(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    write_published_trajectories(PublishedTrajectories.from_lists([["d", ["b", "a"], "e"], [], ["é"]]), file)
    assert file.read_bytes() == '["d",["a","b"],"e"]\n[]\n["é"]\n'.encode()


def test_a_symbol_written_in_several_ways_is_one_symbol(tmp_path: Path) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text('[["a","b"],[ "b" , "a" ]]\n["\\u0061",["a"],"a"]\n')
    data = read_published_trajectories(file)
    assert data.to_lists() == [[["a", "b"], ["a", "b"]], ["a", "a", "a"]]
    assert len(data.symbols) == 2


def test_a_parquet_of_plain_lists_is_intact_throughout(tmp_path: Path) -> None:
    file = tmp_path / "data.parquet"
    pl.DataFrame({"trajectory": [["a", "b"], []]}).write_parquet(file)
    assert read_published_trajectories(file).to_lists() == [["a", "b"], []]


SMALL: list[list[str | list[str]]] = [["d", ["b", "c"]], [], ["a"], ["c", "d"], [], [["b", "c"], ["a", "e"]], ["é"]]


@pytest.mark.parametrize("labels", [1, 4, 100])
@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_rows_read_slice_by_slice_are_those_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int, labels: int
) -> None:
    file = tmp_path / "data.parquet"
    write_published_trajectories(PublishedTrajectories.from_lists(SMALL), file, format="parquet")
    whole = read_published_trajectories(file)
    monkeypatch.setattr(module, "ROWS_OF_GROUP", at_once)
    monkeypatch.setattr(module, "LABELS_OF_GROUP", labels)
    assert_same(read_published_trajectories(file), whole)
    assert whole.to_lists() == SMALL
    write_published_trajectories(whole, file, format="parquet")
    assert_same(read_published_trajectories(file), whole)


def assert_same(one: PublishedTrajectories, other: PublishedTrajectories) -> None:
    assert one.to_lists() == other.to_lists()
    assert one.symbols.vocabulary.labels == other.symbols.vocabulary.labels
    for name in ("offsets", "codes"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
        assert getattr(one, name).dtype == getattr(other, name).dtype
    assert np.array_equal(one.symbols.offsets, other.symbols.offsets)
    assert np.array_equal(one.symbols.members, other.symbols.members)


def test_the_files_of_a_folder_are_read_one_after_the_other(tmp_path: Path) -> None:
    data, parts, whole = PublishedTrajectories.from_lists(SMALL), tmp_path / "parts", tmp_path / "whole.parquet"
    parts.mkdir()
    write_published_trajectories(data, whole, format="parquet")
    for number, first in enumerate(range(0, len(SMALL), 3)):
        part = data.take(np.arange(first, min(first + 3, len(SMALL))))
        write_published_trajectories(part, parts / f"part-{number}.parquet", format="parquet")
    assert_same(read_published_trajectories(parts), read_published_trajectories(whole))


def groups_of(file: Path) -> list[tuple[int, int]]:
    """Rows and labels of each row group."""
    told = pyarrow.parquet.ParquetFile(file).metadata
    groups = [told.row_group(index) for index in range(told.num_row_groups)]
    return [(group.num_rows, group.column(0).num_values) for group in groups]


def test_row_groups_are_halved_until_none_lists_too_many_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data.parquet"
    merged = [f"p{number}" for number in range(10)]
    few: list[list[str | list[str]]] = [["a"]] * 20
    many: list[list[str | list[str]]] = [[merged, merged]] * 20
    monkeypatch.setattr(module, "ROWS_OF_GROUP", 16)
    monkeypatch.setattr(module, "LABELS_OF_GROUP", 100)
    for rows, expected in [
        (few, [(16, 16), (4, 4)]),
        (few + many, [(4, 4)] * 5 + [(4, 80)] * 5),
        (many[:3], [(3, 60)]),
        ([[merged] * 11, ["a"]], [(1, 110), (1, 1)]),  # a row stays whole
    ]:
        write_published_trajectories(PublishedTrajectories.from_lists(rows), file, format="parquet")
        assert groups_of(file) == expected
        assert read_published_trajectories(file).to_lists() == rows


def test_the_bytes_depend_on_the_rows_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the order of symbols in memory, on symbols without visits, or on the labels that only these have."""
    monkeypatch.setattr(module, "LABELS_OF_GROUP", 2_000)
    random = np.random.default_rng(3)
    labels = [f"a place whose name is longer than twelve letters, {number:03d}" for number in range(90)]
    sizes = np.repeat(3, 30)
    lengths = random.poisson(4.0, 700)
    codes = random.integers(0, 20, lengths.sum()).astype(np.int32)  # ten symbols have no visits
    written = []
    for order in (np.arange(30), random.permutation(30), np.arange(20)):
        members = (3 * order[:, None] + np.arange(3)).ravel().astype(np.int32)
        symbols = Symbols(Vocabulary(labels), offsets_of(sizes[: len(order)]), members)
        own = np.argsort(order).astype(np.int32)[codes]
        file = tmp_path / f"{len(written)}.parquet"
        write_published_trajectories(PublishedTrajectories(offsets_of(lengths), own, symbols), file, format="parquet")
        written.append(file.read_bytes())
    assert len(groups_of(file)) > 4
    assert written[0] == written[1] == written[2]


WRITE_AND_READ = """
import resource, sys
import numpy as np
from crypsis.arrays import offsets_of
from crypsis.data import PublishedTrajectories, Symbols, Vocabulary
from crypsis.data import read_published_trajectories, write_published_trajectories

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

random = np.random.default_rng(5)
lengths = random.geometric(1 / 4.7, int(sys.argv[2]))
places = Vocabulary([f"{number:05d}" for number in range(6000)])
symbols = Symbols(places, offsets_of(np.repeat(150, 40)), np.arange(6000, dtype=np.int32))
codes = random.integers(0, 40, lengths.sum()).astype(np.int32)
data = PublishedTrajectories(offsets_of(lengths), codes, symbols)
before = peak()
write_published_trajectories(data, sys.argv[1], format="parquet")
written = peak()
read = read_published_trajectories(sys.argv[1])
assert np.array_equal(read.offsets, data.offsets) and len(read.symbols) == 40
print(written - before, peak() - before)
"""


@pytest.mark.long
def test_memory_does_not_grow_with_the_labels_of_a_part(tmp_path: Path) -> None:
    """28 million labels of merged places took 1.7 GiB when all were in memory, and take 0.3 GiB in row groups."""
    files = []
    for threads in ("1", "4"):
        files.append(tmp_path / f"{threads}.parquet")
        done = subprocess.run(
            [sys.executable, "-c", WRITE_AND_READ, str(files[-1]), "40000"],
            env={**os.environ, "POLARS_MAX_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        wrote, read = map(int, done.stdout.split())
        assert wrote < 700, f"writing took {wrote} MiB"
        assert read < 700, f"reading took {read} MiB"
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("rows", "row", "part"),
    [
        ([[["a"]], [["a"], []]], 1, "A symbol is empty"),
        ([[["a"]], [["a", ""]]], 1, "empty label"),
        ([[["a"]], [[None]]], 1, "empty label"),
        ([[["a"]], [["b", "a", "b"]]], 1, "twice"),
        ([[["a"]], None], 1, "an empty one is an empty list"),
    ],
)
@pytest.mark.parametrize("at_once", [1, 2])
def test_a_bad_parquet_row_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[object], row: int, part: str, at_once: int
) -> None:
    monkeypatch.setattr(module, "ROWS_OF_GROUP", at_once)
    file = tmp_path / "data.parquet"
    pl.DataFrame({"trajectory": rows}, schema={"trajectory": pl.List(pl.List(pl.String))}).write_parquet(file)
    with pytest.raises(BadLabel) as caught:
        read_published_trajectories(file)
    assert caught.value.where == f"{file}, row {row}, column 'trajectory'"
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("line", "error", "part"),
    [
        ('["a",["b","b"]]', BadLabel, "list each once"),
        ('["a",""]', BadLabel, "give every label a name"),
        ('["a",["b",""]]', BadLabel, "give every label a name"),
        ('["a",7]', BadLabel, "got 7"),
        ('["a"', BadRow, "no JSON array"),
    ],
)
def test_a_bad_json_line_is_named(tmp_path: Path, line: str, error: type[CrypsisError], part: str) -> None:
    file = tmp_path / "data.jsonl"
    file.write_text(f'["x"]\n{line}\n')
    with pytest.raises(error) as caught:
        read_published_trajectories(file)
    assert caught.value.where == f"{file}, line 2"
    assert part in caught.value.message


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("a\n1\n")
    with pytest.raises(UnknownFormat, match="jsonl or parquet, not csv"):
        read_published_trajectories(file)
    with pytest.raises(UnknownFormat, match="jsonl or parquet, not 'csv'"):
        write_published_trajectories(PublishedTrajectories.from_lists([]), file, format="csv")
    table = tmp_path / "data.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(table)
    with pytest.raises(UnknownColumn, match="Column 'trajectory' is not in this table"):
        read_published_trajectories(table)
    pl.DataFrame({"trajectory": [1]}).write_parquet(table)
    with pytest.raises(BadRow, match="each a list of labels; it holds Int64"):
        read_published_trajectories(table)
    table.write_bytes(table.read_bytes()[:-9])
    with pytest.raises(UnreadableFile):
        read_published_trajectories(table)


@pytest.mark.parametrize("format", FORMATS)
def test_what_cannot_be_written_is_a_failed_write(tmp_path: Path, format: str) -> None:
    with pytest.raises(WriteFailed, match="choose another place") as caught:
        write_published_trajectories(PublishedTrajectories.from_lists([["a"]]), tmp_path / "no" / "d", format=format)
    assert caught.value.code == "write-failed"


def test_symbols_are_told_apart_even_if_their_hashes_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data.parquet"
    rows: list[list[str | list[str]]] = [["a", "b", ["a", "b"]], [["a", "c"], "c"]]
    write_published_trajectories(PublishedTrajectories.from_lists(rows), file, format="parquet")
    monkeypatch.setattr(module, "mixed_bits", lambda values: np.zeros(len(values), np.uint64))
    assert read_published_trajectories(file).to_lists() == rows


@pytest.mark.parametrize("format", FORMATS)
def test_two_hundred_thousand_rows_come_back(tmp_path: Path, format: str) -> None:
    random = np.random.default_rng(5)
    lengths = random.poisson(4.7, 200_000)
    sizes = random.integers(1, 5, 2000)
    names = Vocabulary([f"place_{number:05d}" for number in range(int(sizes.sum()))])
    drawn = Symbols(names, offsets_of(sizes), np.arange(sizes.sum(), dtype=np.int32))
    codes = random.integers(0, 2000, lengths.sum()).astype(np.int32)
    data = PublishedTrajectories(offsets_of(lengths), codes, drawn)
    file = tmp_path / f"data.{format}"
    write_published_trajectories(data, file, format=format)
    read = read_published_trajectories(file)
    assert np.array_equal(read.offsets, data.offsets)
    assert [read.symbols.label_lists[code] for code in read.codes[:1000]] == [
        drawn.label_lists[code] for code in codes[:1000]
    ]
