"""Published trajectories as files: exact, deterministic and quick."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
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


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_rows_read_slice_by_slice_are_those_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    rows: list[list[str | list[str]]] = [["d", ["b", "c"]], [], ["a"], ["c", "d"], [], [["b", "c"], ["a", "e"]], ["é"]]
    write_published_trajectories(PublishedTrajectories.from_lists(rows), tmp_path / "data.parquet", format="parquet")
    whole = read_published_trajectories(tmp_path)  # a folder is read at once
    monkeypatch.setattr(module, "ROWS_OF_GROUP", at_once)
    sliced = read_published_trajectories(tmp_path / "data.parquet")
    assert sliced.to_lists() == whole.to_lists() == rows
    assert sliced.symbols.vocabulary.labels == whole.symbols.vocabulary.labels
    for name in ("offsets", "codes"):
        assert np.array_equal(getattr(sliced, name), getattr(whole, name))
        assert getattr(sliced, name).dtype == getattr(whole, name).dtype
    assert np.array_equal(sliced.symbols.offsets, whole.symbols.offsets)
    assert np.array_equal(sliced.symbols.members, whole.symbols.members)


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
