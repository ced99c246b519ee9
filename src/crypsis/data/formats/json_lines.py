"""JSON Lines: an object per line (a table), or an array per line (trajectories or transactions, raw or published).

Arrays are cut into their elements by regular expressions over the whole column, and only the distinct
elements are parsed as JSON: a million rows hold few distinct labels or symbols.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.formats.by_record import ByRecord, Sets, content_by_record, frame_of, lines_by_record, sets_of
from crypsis.data.formats.columns import with_plain_columns
from crypsis.data.formats.compression import read_beginning, read_bytes, readable_file
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.format import SEQUENCE, TABLE, Format, Sequences
from crypsis.data.formats.lines import BYTE_ORDER_MARK, read_lines, without_blank_end
from crypsis.data.formats.source import Source, line_place
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, BadParameter, BadRow, UnreadableFile
from crypsis.strict_json import nested_deeper, parse_json

MEMORY_PER_BYTE = 6.0
DEEPEST_ROW = 20
TEXT = r'"(?:[^"\\]|\\.)*"'
LIST = rf"\[\s*{TEXT}(?:\s*,\s*{TEXT})*\s*\]"
ELEMENT = f"(?:{TEXT}|{LIST})"
ROW = rf"^\s*\[\s*(?:{ELEMENT}(?:\s*,\s*{ELEMENT})*)?\s*\]\s*$"


class JsonLinesSource(Source):
    """A file of JSON objects; blank lines between them are no rows, so lines are looked up in the file."""

    def line_of(self, row: int) -> int:
        lines, _ = read_lines(str(self), MEMORY_PER_BYTE)
        said = (lines.str.strip_chars() != "").arg_true()
        return int(said[row]) + 1 if row < len(said) else row + 1


@dataclass(frozen=True)
class Arrays:
    """Rows of arrays: row r holds the elements `codes[offsets[r]:offsets[r + 1]]`, each a distinct JSON value."""

    offsets: Int64s
    codes: Int32s
    elements: list[Any]
    source: Source

    def line_with(self, element: int) -> int:
        """The line on which an element occurs first."""
        visit = int(np.flatnonzero(self.codes == element)[0])
        return self.source.line_of(int(np.searchsorted(self.offsets, visit, side="right")) - 1)


@dataclass(frozen=True, kw_only=True)
class JsonLines(Format):
    """A JSON value on each line: objects are a table, arrays are records."""

    name, label = "jsonl", "JSON Lines: an object or array per line"
    suffixes = (".jsonl", ".ndjson")
    holds = frozenset({TABLE, SEQUENCE})

    @classmethod
    def sniff(cls, beginning: bytes) -> bool:
        lines = beginning.removeprefix(BYTE_ORDER_MARK).lstrip().splitlines()[:2]
        return len(lines) == 2 and all(
            line.startswith((b"{", b"[")) and line.rstrip().endswith((b"}", b"]")) for line in lines
        )

    def is_table(self, file: Path) -> bool:
        return holds_objects(file)

    def is_ordered(self, file: Path) -> bool:
        return True

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        return read_frame(file)

    def read_sequences(self, file: Path) -> Sequences:
        offsets, labels, source = read_sequences(file)
        return Sequences(offsets, labels, source)

    def names_by_record(self, file: Path) -> None:
        return None

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        lines, bad = lines_by_record(content_by_record(file))
        return rows_of_objects((parse_as_written(line) for line in lines if line.strip()), columns, lists, bad)

    def read_sets(self, file: Path) -> Sets:
        lines, bad = lines_by_record(content_by_record(file))
        return sets_of_values((parse_as_written(line) for line in lines if line.strip()), bad)


def rows_of_objects(
    values: Iterable[Any], columns: Sequence[str] | None, lists: Collection[str], left_out: int = 0
) -> tuple[pl.DataFrame, ByRecord]:
    """The rows of JSON objects as texts; a value that is no object is left out."""
    if columns is None:
        raise BadParameter(
            "JSON has no header, and under differential privacy columns are not taken from the records; "
            "name every column that is used.",
            parameter="columns",
        )
    wanted = list(dict.fromkeys(columns))
    rows: list[list[Any]] = []
    for value in values:
        if isinstance(value, dict):
            rows.append([_labels(value.get(name)) if name in lists else _cell(value.get(name)) for name in wanted])
        else:
            left_out += 1
    return frame_of(wanted, rows, lists), ByRecord(left_out)


def sets_of_values(values: Iterable[Any], left_out: int = 0) -> Sets:
    """An array of items is a record; an object with an id and an item is a row of one. Each value tells by itself."""
    records: list[list[str]] = []
    united: dict[str, list[str]] = {}
    for value in values:
        labels = [_said(element) for element in value] if isinstance(value, list) else []
        if isinstance(value, list) and all(labels):
            records.append([label for label in labels if label is not None])
        elif isinstance(value, dict) and (name := _said(value.get("id"))) and (label := _said(value.get("item"))):
            united.setdefault(name, []).append(label)
        else:
            left_out += 1
    return sets_of(records, left_out, united)


def _labels(value: Any) -> list[str | None]:
    """A list of labels, null where an element is none; a value that is no list is one label."""
    if value is None:
        return []
    return [_said(element) for element in (value if isinstance(value, list) else [value])]


def parse_as_written(line: str) -> Any:
    """The JSON value of a line, its numbers as they are written; None where it is none."""
    try:
        return json.loads(line, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _cell(value: Any) -> str | None:
    """A value as text: a number as written, a flag in a word; null where it is none, or no Unicode text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair
        return None
    return value


def _said(value: Any) -> str | None:
    text = _cell(value)
    return text if text is not None and text.strip() else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def holds_objects(path: str | Path) -> bool:
    """Whether the first line with anything on it begins an object."""
    beginning = read_beginning(readable_file(path)).removeprefix(BYTE_ORDER_MARK)
    return beginning.lstrip().startswith(b"{")


def read_frame(path: str | Path) -> tuple[pl.DataFrame, Source]:
    """One row per object; a key that an object lacks is null."""
    file = readable_file(path)
    content = read_bytes(file, MEMORY_PER_BYTE).removeprefix(BYTE_ORDER_MARK)
    source = JsonLinesSource(str(file), 1)
    if not content or content.isspace():
        raise UnreadableFile(f"{file} is empty; one JSON object per line is expected.", where=str(file))
    if nested_deeper(content, DEEPEST_ROW):  # the time of polars grows with the cube of the depth
        _find_bad_object(file, content)
    try:
        return with_plain_columns(pl.read_ndjson(content, infer_schema_length=None)), source
    except POLARS_FAILURES as error:
        _find_bad_object(file, content)
        raise UnreadableFile(
            f"{file} cannot be read as a table: {error}. Give every key values of one type.", where=str(file)
        ) from error


def read_arrays(path: str | Path) -> Arrays:
    """One row per line: an array of labels, or of symbols (a label or a list of labels)."""
    lines, source = read_lines(path, MEMORY_PER_BYTE)
    lines = without_blank_end(lines)
    bad = ~lines.str.contains(ROW)
    if bad.any():
        row = int(bad.arg_true()[0])
        _refuse_row(lines[row], source, row)
    # Without its opening bracket a row cannot be mistaken for a symbol; the closing one alone matches nothing.
    parts = lines.str.strip_chars_start().str.slice(1).str.extract_all(ELEMENT)
    lengths = parts.list.len().to_numpy().astype(np.int64)
    texts = parts.explode(empty_as_null=False)
    distinct = texts.unique(maintain_order=True)
    offsets = offsets_of(lengths)
    elements: list[Any] = []
    arrays = Arrays(offsets, Vocabulary(distinct).encode(texts), elements, source)
    for code, text in enumerate(distinct.to_list()):
        try:
            elements.append(parse_json(text))
        except ValueError as error:
            line = arrays.line_with(code)
            raise BadRow(f"{text} is no JSON text ({error}).", **line_place(source, line)) from error
    return arrays


def read_sequences(path: str | Path) -> tuple[Int64s, pl.Series, Source]:
    """Offsets and labels of rows that are arrays of labels."""
    arrays = read_arrays(path)
    for code, element in enumerate(arrays.elements):
        if not isinstance(element, str):
            raise BadLabel(
                f"A label must be a text, got {json.dumps(element)}; generalized labels are read from published data.",
                **line_place(arrays.source, arrays.line_with(code)),
            )
        if not element.strip():
            raise BadLabel(
                "A label is empty; give every element a name.",
                **line_place(arrays.source, arrays.line_with(code)),
            )
    labels = pl.Series(arrays.elements, dtype=pl.String)
    return arrays.offsets, labels.gather(pl.Series(arrays.codes)), arrays.source


def _refuse_row(text: str, source: Source, row: int) -> NoReturn:
    where = line_place(source, source.line_of(row))
    if not text.strip():
        raise BadRow("The line is blank; an empty row is written [].", **where)
    try:
        value = parse_json(text)
    except ValueError as error:
        raise BadRow(f"The line is no JSON array ({error}).", **where) from error
    if not isinstance(value, list):
        raise BadRow('A line must be an array of labels like ["a","b"], got another JSON value.', **where)
    for element in value:
        if not isinstance(element, str) and not (
            isinstance(element, list) and element and all(isinstance(label, str) for label in element)
        ):
            raise BadLabel(
                f"A label must be a text, a symbol a non-empty list of texts, got {json.dumps(element)}.", **where
            )
    raise BadRow("The line is no array of labels.", **where)


def _find_bad_object(file: Path, content: bytes) -> None:
    for number, raw in enumerate(content.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            value = parse_json(raw.decode("utf-8"), deepest=DEEPEST_ROW)
        except UnicodeDecodeError as error:
            raise BadRow(
                f"The text is not UTF-8: byte 0x{raw[error.start]:02x}. Save the file as UTF-8.",
                **line_place(str(file), number),
            ) from error
        except ValueError as error:
            raise BadRow(f"The line is no JSON object ({error}).", **line_place(str(file), number)) from error
        if not isinstance(value, dict):
            raise BadRow(
                "A line must be a JSON object like the first one, got another JSON value.",
                **line_place(str(file), number),
            )
