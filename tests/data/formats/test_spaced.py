"""FIMI and SPMF text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from crypsis.data.formats.spaced import read_sequences, refuse_itemsets
from crypsis.errors import BadLabel, BadRow
from tests.data.drawn import sequences, words


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.txt"


def rows_of(file: Path, **options: object) -> list[list[str]]:
    text = read_sequences(file, **options)  # type: ignore[arg-type]
    flat = text.labels.to_list()
    return [flat[start:end] for start, end in zip(text.offsets[:-1], text.offsets[1:], strict=True)]


@given(sequences(words))
def test_fimi_text_is_read_back_with_its_empty_records(folder: Path, rows: list[list[str]]) -> None:
    file = folder / "data.dat"
    file.write_text("".join(" ".join(row) + "\n" for row in rows))
    assert rows_of(file, spmf=False) == rows
    file.write_text("".join("  ".join(row) + " \r\n" for row in rows), newline="")
    assert rows_of(file, spmf=False) == rows


@given(sequences(words))
def test_spmf_text_is_read_back(folder: Path, rows: list[list[str]]) -> None:
    file = folder / "data.txt"
    file.write_text("".join("".join(f"{label} -1 " for label in row) + "-2\n" for row in rows))
    assert rows_of(file, spmf=True) == rows
    if rows:
        assert rows_of(file) == rows
    refuse_itemsets(read_sequences(file, spmf=True))


def test_items_may_hold_blanks_if_another_separator_is_named(file: Path) -> None:
    file.write_text("whole milk|rolls\n\n yogurt \n")
    assert rows_of(file, separator="|") == [["whole milk", "rolls"], [], ["yogurt"]]
    file.write_text("a|b\na||b\n")
    with pytest.raises(BadLabel, match="two separators") as caught:
        rows_of(file, separator="|")
    assert caught.value.where == f"{file}, line 2"


def test_names_and_comments_of_spmf_text_are_understood(file: Path) -> None:
    file.write_text("@CONVERTED_FROM_TEXT\n@ITEM=1=bread\n@ITEM=2=a=b\n% comment\n\n1 -1 2 3 -1 -2\n# more\n-2\n")
    assert rows_of(file) == [["bread", "a=b", "3"], []]


@pytest.mark.parametrize(
    ("text", "line", "advice"),
    [("1 -1 -2\n1 2\n", 2, "must end with -2"), ("# c\n\n1 -2 3 -2\n", 3, "before the end")],
)
def test_a_malformed_spmf_line_is_named(file: Path, text: str, line: int, advice: str) -> None:
    file.write_text(text)
    with pytest.raises(BadRow) as caught:
        read_sequences(file)
    assert caught.value.where == f"{file}, line {line}"
    assert advice in caught.value.message


def test_two_items_in_one_itemset_are_no_trajectory(file: Path) -> None:
    file.write_text("# c\n1 -1 2 -1 -2\n1 -1 2 3 -1 -2\n")
    with pytest.raises(BadRow, match="Read the file as transactions") as caught:
        refuse_itemsets(read_sequences(file))
    assert caught.value.where == f"{file}, line 3"


def test_negative_items_are_items_in_fimi_text(file: Path) -> None:
    file.write_text("-1 5\n-2\n")
    assert rows_of(file) == [["-1", "5"], ["-2"]]
    file.write_text("5 -1 -2\n")
    assert rows_of(file, spmf=False) == [["5", "-1", "-2"]]


def test_bytes_that_are_no_text_are_named_by_their_line(file: Path) -> None:
    file.write_bytes(b"1 2\n3 \xff\n")
    with pytest.raises(BadRow) as caught:
        read_sequences(file)
    assert caught.value.details["line"] == 2


def test_an_empty_file_has_no_records_and_old_line_ends_are_understood(file: Path) -> None:
    file.write_bytes(b"")
    assert rows_of(file) == []
    file.write_bytes(b"1 2\r3\r")
    assert rows_of(file) == [["1", "2"], ["3"]]
