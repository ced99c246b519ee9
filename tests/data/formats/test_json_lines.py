"""JSON Lines: objects as tables, arrays as sequences, and every bad line by its number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.formats.json_lines import holds_objects, read_arrays, read_frame, read_sequences
from crypsis.errors import BadLabel, BadRow, CrypsisError, UnreadableFile
from tests.data.drawn import any_text, labels, sequences

elements = st.one_of(any_text, st.lists(any_text, min_size=1, max_size=3))
blanks = st.sampled_from(["", " ", "\t", "  "])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.jsonl"


@given(st.lists(st.lists(elements, max_size=4), max_size=6), st.booleans(), blanks)
def test_arrays_are_read_as_json_reads_them(
    folder: Path, rows: list[list[object]], ascii_only: bool, blank: str
) -> None:
    file = folder / "data.jsonl"
    separators = (f"{blank},{blank}", f":{blank}")
    lines = [blank + json.dumps(row, ensure_ascii=ascii_only, separators=separators) + blank for row in rows]
    file.write_bytes("".join(line + "\n" for line in lines).encode())
    arrays = read_arrays(file)
    found = [
        [arrays.elements[code] for code in arrays.codes[start:end]]
        for start, end in zip(arrays.offsets[:-1], arrays.offsets[1:], strict=True)
    ]
    assert found == rows


@given(sequences(labels))
def test_sequences_of_labels_are_read_back(folder: Path, rows: list[list[str]]) -> None:
    file = folder / "data.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    offsets, flat, _ = read_sequences(file)
    assert flat.to_list() == [label for row in rows for label in row]
    assert offsets.tolist() == [sum(map(len, rows[:number])) for number in range(len(rows) + 1)]


@pytest.mark.parametrize(
    ("line", "error", "advice"),
    [
        ('["a" "b"]', BadRow, "no JSON array"),
        ('["a",]', BadRow, "no JSON array"),
        ('["a"', BadRow, "no JSON array"),
        ("", BadRow, "an empty row is written []"),
        ('{"a":1}', BadRow, "array of labels"),
        ('"a"', BadRow, "array of labels"),
        ('["a",1]', BadLabel, "got 1"),
        ('["a",null]', BadLabel, "got null"),
        ('["a",[]]', BadLabel, "got []"),
        ('["a",["b",["c"]]]', BadLabel, 'got ["b", ["c"]]'),
        ('["a\\q"]', BadRow, "no JSON text"),
        ('["\\ud800"]', BadRow, "no JSON text"),
        ('["a\tb"]', BadRow, "no JSON text"),
    ],
)
def test_a_bad_array_is_named_by_its_line(file: Path, line: str, error: type[CrypsisError], advice: str) -> None:
    file.write_text(f'["x"]\n{line}\n["x"]\n')
    with pytest.raises(error) as caught:
        read_arrays(file)
    assert caught.value.details["line"] == 2
    assert caught.value.where == f"{file}, line 2"
    assert advice in caught.value.message


def test_labels_are_texts_with_something_in_them(file: Path) -> None:
    file.write_text('["x"]\n["x",["a","b"]]\n')
    with pytest.raises(BadLabel, match="read from published data") as caught:
        read_sequences(file)
    assert caught.value.details["line"] == 2
    file.write_text('["x"]\n["x"]\n[" "]\n')
    with pytest.raises(BadLabel, match="give every element a name") as caught:
        read_sequences(file)
    assert caught.value.details["line"] == 3


def test_bytes_that_are_no_text_are_named_by_line_and_offset(file: Path) -> None:
    file.write_bytes(b'["x"]\n["\xff"]\n')
    with pytest.raises(BadRow, match="Save the file as UTF-8") as caught:
        read_arrays(file)
    assert (caught.value.details["line"], caught.value.details["offset"]) == (2, 8)


def test_marks_line_ends_and_blank_lines_at_the_end_do_not_matter(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf["x"]\r\n[]\r\n\r\n\n')
    assert read_arrays(file).offsets.tolist() == [0, 1, 1]
    file.write_bytes(b"")
    assert read_arrays(file).offsets.tolist() == [0]


def test_objects_are_rows_and_a_missing_key_is_null(file: Path) -> None:
    file.write_text('{"a":1,"b":"x"}\n\n{"a":2.5}\n')
    frame, source = read_frame(file)
    assert frame.rows() == [(1.0, "x"), (2.5, None)]
    assert source.line_of(1) == 3
    assert holds_objects(file)
    file.write_text('["a"]\n')
    assert not holds_objects(file)


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        (b'{"a":', "no JSON object"),
        (b'{"a":1}x', "no JSON object"),
        (b"[1]", "must be a JSON object"),
        (b'{"a":NaN}', "NaN is no JSON number"),
        (b'{"a":"\xff"}', "Save the file as UTF-8"),
    ],
)
def test_a_bad_object_is_named_by_its_line(file: Path, line: bytes, advice: str) -> None:
    file.write_bytes(b'{"a":1}\n' + line + b"\n")
    with pytest.raises(BadRow) as caught:
        read_frame(file)
    assert caught.value.where == f"{file}, line 2"
    assert advice in caught.value.message


def test_a_table_that_cannot_be_made_is_unreadable(file: Path) -> None:
    file.write_text('{"a":true}\n{"a":1}\n')
    with pytest.raises(UnreadableFile, match="values of one type"):
        read_frame(file)
    file.write_text("\n")
    with pytest.raises(UnreadableFile, match="is empty"):
        read_frame(file)


@given(st.binary(max_size=40))
def test_garbage_is_read_or_an_error_of_ours(folder: Path, content: bytes) -> None:
    file = folder / "data.jsonl"
    file.write_bytes(content)
    for reader in (read_arrays, read_frame):
        try:
            reader(file)
        except CrypsisError as error:
            assert str(file) in str(error)
