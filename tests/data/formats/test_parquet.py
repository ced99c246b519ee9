"""Parquet: typed columns, damaged files, and what the footer tells about memory."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data import inspect_file
from crypsis.data.formats.memory import LIMIT_VARIABLE
from crypsis.data.formats.parquet import content_size, read_frame, slices
from crypsis.data.formats.tabular import read_rows
from crypsis.errors import BadRow, CrypsisError, TooLarge, UnknownColumn, UnreadableFile

FRAME = pl.DataFrame({"id": [1, 2, 3], "label": ["a", "b", None], "sets": [["x"], [], ["y", "z"]]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.parquet"
    FRAME.write_parquet(path)
    return path


def test_columns_keep_their_types_and_only_wanted_ones_are_read(file: Path) -> None:
    frame, source = read_frame(file)
    assert (source, frame.equals(FRAME)) == (str(file), True)
    assert read_frame(file, columns=["label", "id"])[0].equals(FRAME.select("label", "id"))


def test_an_unknown_column_is_named_with_those_there_are(file: Path) -> None:
    with pytest.raises(UnknownColumn, match="its columns are id, label, sets. Did you mean 'label'?"):
        read_frame(file, columns=["lable"])


def test_a_compressed_file_is_unpacked_first(file: Path) -> None:
    packed = file.with_suffix(".parquet.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read_frame(packed, columns=["id"])[0].equals(FRAME.select("id"))


@pytest.mark.parametrize("keep", [0, 3, 11, 12, 40, -1, -4, -8, -20])
def test_a_truncated_file_is_unreadable(file: Path, keep: int) -> None:
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(UnreadableFile) as caught:
        read_frame(file)
    assert caught.value.code == "unreadable-file"
    assert "write it again" in caught.value.message
    assert caught.value.where == str(file)


@given(st.binary(max_size=40), st.integers(0, 400), st.booleans())
def test_damaged_files_never_raise_anything_but_our_errors(
    folder: Path, garbage: bytes, at: int, wrapped: bool
) -> None:
    file = folder / "data.parquet"
    FRAME.write_parquet(file)
    content = file.read_bytes()
    at = at % len(content)
    damaged = b"PAR1" + garbage + len(garbage).to_bytes(4, "little") + b"PAR1"
    file.write_bytes(damaged if wrapped else content[:at] + garbage + content[at + len(garbage) :])
    try:
        read_frame(file)
    except CrypsisError as error:
        assert str(file) in str(error)


def test_the_footer_tells_the_values_of_every_column(file: Path) -> None:
    metadata = pyarrow.parquet.ParquetFile(file).metadata
    chunks = [metadata.row_group(0).column(number) for number in range(metadata.num_columns)]
    widths = {"INT64": 8, "BYTE_ARRAY": 16}
    expected = sum(chunk.num_values * widths[chunk.physical_type] + chunk.total_uncompressed_size for chunk in chunks)
    assert content_size(file) == expected
    first = chunks[0]
    assert content_size(file, ["id"]) == first.num_values * 8 + first.total_uncompressed_size


def test_a_small_file_of_many_rows_is_refused_before_it_is_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pl.DataFrame(
        {"id": pl.repeat("same", 2_000_000, eager=True), "n": pl.repeat(1, 2_000_000, eager=True)}
    ).write_parquet(file)
    assert file.stat().st_size < 100_000
    monkeypatch.setenv(LIMIT_VARIABLE, "20000000")
    monkeypatch.setattr(pl, "read_parquet", lambda *_, **__: pytest.fail("the file was read"))
    with pytest.raises(TooLarge, match=r"needs about .* of memory, 20.0 MB may be used") as caught:
        read_frame(file)
    assert (caught.value.code, caught.value.exit_code, caught.value.where) == ("too-large", 5, str(file))
    monkeypatch.undo()
    assert read_frame(file)[0].height == 2_000_000


def test_files_of_other_writers_are_understood(file: Path) -> None:
    table = pyarrow.table({"flag": [True, False], "x": [1.5, None], "tags": [["a"], None]})
    pyarrow.parquet.write_table(table, file, version="1.0", compression="gzip")
    assert content_size(file) > 0
    assert read_frame(file)[0].equals(pl.DataFrame(table))


@pytest.mark.parametrize(
    "footer",
    [
        b"\x49\xf7" + b"\xff" * 8 + b"\x01",  # a list of more numbers than the file has bytes
        b"\x18" + b"\x80" * 100_000,  # a length without an end
        b"\x49\x1c\x15\x02\x00\x00",  # a number where a list of columns belongs
    ],
)
def test_a_footer_that_would_never_end_or_is_of_another_form_is_refused(tmp_path, footer):
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(UnreadableFile, match="footer is damaged"):
        content_size(file)


@pytest.mark.parametrize("column", ["day", "when"])
def test_a_date_beyond_the_calendar_is_refused_with_its_row_by_every_road(tmp_path: Path, column: str) -> None:
    days = pl.Series("day", [0, 0, 21_769_000, -(2**31)], dtype=pl.Int32).cast(pl.Date)  # the year 61571
    moments = pl.Series("when", [0, 0, 2**62, -(2**62)], dtype=pl.Int64).cast(pl.Datetime("us"))
    file = tmp_path / "far.parquet"
    pl.DataFrame([pl.Series("id", ["a", "b", "c", "d"]), days, moments]).select("id", column).write_parquet(file)
    for read in (
        read_frame,
        inspect_file,
        lambda path: crypsis.read_table(path, {"id": "identifier", column: "quasi"}),
        lambda path: crypsis.read_trajectories(path, id="id", position=column, location="id"),
        lambda path: crypsis.read_transactions(path, id="id", item=column),
        lambda path: crypsis.read_events(path, id="id", location="id", t=column),
    ):
        with pytest.raises(BadRow, match="beyond the years 1 to 9999") as refused:
            read(file)
        assert "row 2" in str(refused.value)
    frame, _ = read_rows(file)  # one record costs no other
    assert frame[column].null_count() == 2


@pytest.mark.parametrize("path", [{}, {1: b"x"}, [], 7, [7]])
def test_a_footer_whose_columns_have_no_names_is_damaged(
    file: Path, path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crypsis.data.formats.parquet._footer", lambda file: {4: [{1: [{3: {3: path}}]}]})
    with pytest.raises(UnreadableFile, match="footer is damaged"):
        content_size(file)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([], [(0, 0)]),
        ([(0, 0)], [(0, 0)]),
        ([(3, 5), (3, 5), (3, 6), (1, 0)], [(0, 6), (6, 4)]),  # small row groups are read together
        ([(25, 0), (2, 0)], [(0, 9), (9, 9), (18, 7), (25, 2)]),  # too many rows
        ([(2, 1), (4, 21), (1, 1)], [(0, 2), (2, 2), (4, 2), (6, 1)]),  # too many values
        ([(1, 100), (2, 3)], [(0, 1), (1, 2)]),  # a row stays whole
    ],
)
def test_slices_hold_so_many_rows_and_values_at_most(
    file: Path, monkeypatch: pytest.MonkeyPatch, groups: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    told = [{1: [{3: {3: [b"x", b"list"], 5: values}}, {3: {3: [b"y"], 5: 1000}}], 3: rows} for rows, values in groups]
    footer = {3: sum(rows for rows, _ in groups), 4: told}
    monkeypatch.setattr("crypsis.data.formats.parquet._footer", lambda file: footer)
    assert list(slices(file, "x", 10, 12)) == expected


@pytest.mark.parametrize(
    "footer",
    [
        {3: 7, 4: [{1: [], 3: 6}]},
        {3: 1, 4: [{1: [], 3: 2}, {1: [], 3: -1}]},
        {3: 2, 4: [{1: []}]},
        {3: 2, 4: [{1: [{3: 7}], 3: 2}]},
        {3: 2, 4: 5},
        {3: b"2", 4: [{1: [], 3: 2}]},
    ],
)
def test_row_groups_that_do_not_add_up_are_damaged(
    file: Path, monkeypatch: pytest.MonkeyPatch, footer: dict[int, object]
) -> None:
    monkeypatch.setattr("crypsis.data.formats.parquet._footer", lambda file: footer)
    with pytest.raises(UnreadableFile, match="footer is damaged"):
        list(slices(file, "x", 10, 12))
