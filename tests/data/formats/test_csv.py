"""CSV: every malformed row is named with file, line and column, and no row is dropped."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.formats.csv import SEPARATORS, Csv, read_frame, sniff_separator
from crypsis.data.inspection import inspect_file
from crypsis.errors import BadParameter, BadRow, CrypsisError, MissingFile, TooLarge, UnreadableFile
from tests.data.drawn import any_text, awkward_text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.csv"


@pytest.mark.parametrize(
    ("content", "line", "column", "advice"),
    [
        (b"a,b,c\n1,2,3\n4,5\n6,7,8\n", 3, None, "3 fields"),
        (b"a,b,c\n1,2,3\n4,5,6,7\n", 3, None, "found 4 fields"),
        (b"a,b,c\n1,2,3,4\n5,6\n", 2, None, "found 4 fields"),
        (b"a,b\n1,2\n\n3,4\n", 3, None, "a blank line"),
        (b'a,b\n"x\ny",1\n2\n', 4, None, "found 1 field;"),
        (b'a,b\n1,"p,q"\n2\n', 3, None, "found 1 field;"),
        (b"a,b\n1,\xc3\xa9\n3,\xff\n", 3, None, "Save the file as UTF-8"),
        (b"a,b\n1,2\n3,\0\n", 3, None, "NUL byte"),
        (b'a,b\n1,"x\n2,3\n', 2, None, "close every quoted field"),
        (b'a,b\n1,"x"z\n', 2, None, "close every quoted field"),
        (b'a,"b\n1,2\n', 1, None, "close every quoted field"),
        (b'a,"b\n' + b"1,2\n" * 20_000, 1, None, "close every quoted field"),
        (b"\na,b\n1,2\n", 1, None, "column names are expected"),
    ],
)
def test_a_malformed_row_is_a_bad_row_with_its_place_and_what_to_do(
    file: Path, content: bytes, line: int, column: str | None, advice: str
) -> None:
    file.write_bytes(content)
    with pytest.raises(BadRow) as caught:
        read_frame(file)
    error = caught.value
    assert error.code == "bad-row"
    assert (error.details["file"], error.details["line"], error.details.get("column")) == (str(file), line, column)
    assert error.where is not None
    assert error.where.startswith(f"{file}, line {line}")
    assert advice in error.message


def test_a_name_may_be_longer_than_what_is_looked_at_first(file: Path) -> None:
    name = "long\n" * 20_000
    file.write_text(f'a,"{name}"\n1,2\n')
    assert read_frame(file)[0].to_dict(as_series=False) == {"a": ["1"], name: ["2"]}


def test_short_rows_that_long_ones_make_up_for_are_found(file: Path) -> None:
    file.write_bytes(b"a,b,c\n1,2\n1,2,3,4\n")
    with pytest.raises(BadRow) as caught:
        read_frame(file)
    assert caught.value.details["line"] == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \n"])
def test_an_empty_file_is_unreadable(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(UnreadableFile, match="is empty; a header line"):
        read_frame(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="check the path"):
        read_frame(tmp_path / "nothing.csv")


@pytest.mark.parametrize(
    "content",
    [b"\xef\xbb\xbfa,b\n1,2\n", b"a,b\r\n1,2\r\n", b"a,b\r1,2\r", b"a,b\n1,2", b"a,b\n1,2\n\n\n", b'"a","b"\n"1",2\n'],
)
def test_marks_line_ends_and_quotes_of_other_programs_are_understood(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    frame, _ = read_frame(file)
    assert frame.to_dict(as_series=False) == {"a": ["1"], "b": ["2"]}


def test_quotes_inside_a_field_are_kept(file: Path) -> None:
    file.write_bytes(b'a,b\n1,5" pipe\n2,3" pipe\n')
    assert read_frame(file)[0]["b"].to_list() == ['5" pipe', '3" pipe']


def test_every_cell_is_text_and_an_empty_one_is_empty(file: Path) -> None:
    file.write_bytes(b'a,b\n007,\n,""\n')
    frame, _ = read_frame(file)
    assert frame.schema == {"a": pl.String, "b": pl.String}
    assert frame.rows() == [("007", ""), ("", "")]


def test_a_table_without_a_header_gets_numbered_columns(file: Path) -> None:
    file.write_bytes(b"1,2\n3,4\n")
    frame, source = read_frame(file, header=False)
    assert (frame.columns, frame.rows()) == (["column_1", "column_2"], [("1", "2"), ("3", "4")])
    assert source.line_of(1) == 2
    assert read_frame(file)[0].height == 1


def test_lines_are_counted_through_quoted_line_breaks(file: Path) -> None:
    file.write_bytes(b'a,b\n"x\n\ny",1\n2,3\n')
    _, source = read_frame(file)
    assert [source.line_of(row) for row in range(2)] == [2, 5]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_the_separator_is_told_by_the_first_lines(file: Path, separator: str) -> None:
    file.write_text(separator.join("ab") + "\n" + separator.join(["x", "y"]) + "\n")
    assert read_frame(file)[0].rows() == [("x", "y")]
    assert sniff_separator(b"one column\n1,5\n") == ","
    assert sniff_separator(b"a;b\n1,5;2,5\n") == ";"


@pytest.mark.parametrize("separator", ["", "::", "é"])
def test_a_separator_is_one_character(file: Path, separator: str) -> None:
    file.write_text("a,b\n1,2\n")
    if separator:
        with pytest.raises(BadParameter, match="one ASCII character"):
            read_frame(file, separator=separator)
    else:
        assert read_frame(file, separator=None)[0].width == 2


tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.one_of(any_text, awkward_text), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@given(tables, st.sampled_from(SEPARATORS), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_whatever_the_csv_module_writes_is_read_back(
    folder: Path, rows: list[list[str]], separator: str, quoting: int
) -> None:
    file = folder / "data.csv"
    if any("\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL  # a lone CR outside quotes is a line end to some and a character to others
    names = [f"c{number}" for number in range(len(rows[0]))]
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n", quoting=quoting)
        writer.writerows([names, *rows])
    frame, source = read_frame(file, separator=separator)
    assert [list(row) for row in frame.rows()] == rows
    line = 2
    for number, row in enumerate(rows):
        assert source.line_of(number) == line
        line += 1 + sum(_line_breaks(cell) for cell in row)


def _line_breaks(text: str) -> int:
    return len(io.StringIO(text + "|", newline="").readlines()) - 1


@given(st.binary(max_size=60))
def test_garbage_is_a_table_or_an_error_of_ours(folder: Path, content: bytes) -> None:
    file = folder / "data.csv"
    file.write_bytes(content)
    try:
        read_frame(file)
    except CrypsisError as error:
        assert str(file) in str(error)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_usual_encodings_are_detected_and_told(file: Path, encoding: str) -> None:
    text = "name;Größe\nJosé;1\n" + ("\x81;2\n" if encoding == "latin-1" else "")
    file.write_bytes(text.encode(encoding))
    frame, source = read_frame(file)
    assert frame.columns == ["name", "Größe"]
    assert frame["name"][0] == "José"
    assert source.understood is not None
    assert source.understood.items["encoding"] == {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    assert source.understood.items["separator"] == "';'"


def test_a_declared_encoding_counts_and_an_unknown_one_is_refused(file: Path) -> None:
    file.write_bytes("a;b\nжук;1\n".encode("koi8-r"))
    assert Csv(encoding="koi8-r").read_frame(file)[0]["a"][0] == "жук"
    with pytest.raises(BadParameter, match="no text encoding 'wibble'"):
        Csv(encoding="wibble").read_frame(file)
    with pytest.raises(BadParameter, match="no text encoding 'hex'"):
        Csv(encoding="hex").read_frame(file)


def test_names_that_are_empty_or_repeat_are_made_unique_and_told(file: Path) -> None:
    file.write_text("a,,a,a_2\n1,2,3,4\n")
    frame, source = read_frame(file)
    assert frame.columns == ["a", "column_2", "a_3", "a_2"]
    assert source.understood is not None
    assert source.understood.notes == (
        "column 2 had no name; it is 'column_2' now",
        "column 3 was called 'a' like another; it is 'a_3' now",
    )
    assert Csv().names_by_record(file) == frame.columns


def test_lines_above_the_header_and_the_hint_of_excel_are_passed_over(file: Path) -> None:
    file.write_text("sep=|\na|b\n1,5|2\n")
    frame, source = read_frame(file)
    assert frame.rows() == [("1,5", "2")]
    assert source.line_of(0) == 3
    file.write_text("Export of today\n\na;b\n1;2\n3\n")
    with pytest.raises(BadRow) as caught:
        Csv(skip=2).read_frame(file)
    assert caught.value.details["line"] == 5


def test_declared_marks_of_numbers_are_rewritten_where_a_whole_column_has_them(file: Path) -> None:
    file.write_text("a;b;c\n1.234,5;1,5;x\n7;;2,5\n")
    frame, _ = Csv(decimal=",", thousands=".").read_frame(file)
    assert frame.rows() == [("1234.5", "1.5", "x"), ("7", "", "2,5")]
    rows, _ = Csv(decimal=",", thousands=".").read_records(file, None)
    assert rows.rows() == [("1234.5", "1.5", "x"), ("7", "", "2.5")]


def test_a_binary_file_is_called_so_and_not_blamed_for_its_header(file: Path) -> None:
    file.write_bytes(bytes(range(256)))
    with pytest.raises(BadRow, match="NUL byte"):
        read_frame(file)


def test_a_table_with_a_hundred_thousand_columns_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(",".join(f"c{number}" for number in range(100_000)) + "\n")
    with pytest.raises(TooLarge, match="100,000 columns; up to 2,000 are read"):
        inspect_file(file)
