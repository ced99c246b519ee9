"""JSON Lines: an object per line (a table), or an array per line (trajectories or transactions, raw or published).

Arrays are cut into their elements by regular expressions over the whole column, and only the distinct
elements are parsed as JSON: a million rows hold few distinct labels or symbols.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from crypsis.data.arrays import Int32s, Int64s, offsets_of
from crypsis.data.formats.compression import existing_file, read_beginning, read_bytes
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.lines import BYTE_ORDER_MARK, read_lines, without_blank_end
from crypsis.data.formats.source import Source, line_place
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, BadRow, UnreadableFile
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


def holds_objects(path: str | Path) -> bool:
    """Whether the first line with anything on it begins an object."""
    beginning = read_beginning(existing_file(path)).removeprefix(BYTE_ORDER_MARK)
    return beginning.lstrip().startswith(b"{")


def read_frame(path: str | Path) -> tuple[pl.DataFrame, Source]:
    """One row per object; a key that an object lacks is null."""
    file = existing_file(path)
    content = read_bytes(file, MEMORY_PER_BYTE).removeprefix(BYTE_ORDER_MARK)
    source = JsonLinesSource(str(file), 1)
    if not content or content.isspace():
        raise UnreadableFile(f"{file} is empty; one JSON object per line is expected.", where=str(file))
    if nested_deeper(content, DEEPEST_ROW):  # the time of polars grows with the cube of the depth
        _find_bad_object(file, content)
    try:
        return pl.read_ndjson(content, infer_schema_length=None), source
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
