"""JSON: a whole document that is an array of objects (a table) or an array of arrays of labels (records).

The array may also be the only one among the members of an object, as web services answer: `{"count": 2, "data": […]}`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.formats.by_record import ByRecord, Sets
from crypsis.data.formats.columns import with_plain_columns
from crypsis.data.formats.compression import read_beginning, read_bytes
from crypsis.data.formats.encodings import as_utf8
from crypsis.data.formats.failures import POLARS_FAILURES
from crypsis.data.formats.format import SEQUENCE, TABLE, Format, Sequences
from crypsis.data.formats.json_lines import DEEPEST_ROW, parse_as_written, rows_of_objects, sets_of_values
from crypsis.data.formats.source import Document, Source, Understood
from crypsis.errors import BadLabel, UnreadableFile
from crypsis.strict_json import nested_deeper, parse_json

MEMORY_PER_BYTE = 15.0
_DEEPEST_ARRAY = 3


@dataclass(frozen=True, kw_only=True)
class Json(Format):
    """One JSON array in a file."""

    name, label = "json", "JSON: one array of objects or of arrays"
    suffixes = (".json",)
    holds = frozenset({TABLE, SEQUENCE})

    @classmethod
    def sniff(cls, beginning: bytes) -> bool:
        return beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")

    def is_table(self, file: Path) -> bool:
        begin = read_beginning(file).lstrip(b"\xef\xbb\xbf \t\r\n").removeprefix(b"[").lstrip()
        return not begin.startswith(b"[") or _begins_with_names(begin.decode("utf-8", "replace"))

    def is_ordered(self, file: Path) -> bool:
        return True

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        rows, member = _rows(file)
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                raise UnreadableFile(
                    f"Element {index} of {file} is no object; a table is an array of objects.", where=str(file)
                )
        content = b"\n".join(json.dumps(row).encode() for row in rows)
        if nested_deeper(content, DEEPEST_ROW):
            raise UnreadableFile(f"{file} is nested deeper than {DEEPEST_ROW} levels; flatten it.", where=str(file))
        try:
            frame = pl.read_ndjson(content, infer_schema_length=None) if rows else pl.DataFrame()
            return with_plain_columns(frame), _source(file, member)
        except POLARS_FAILURES as error:
            raise UnreadableFile(
                f"{file} cannot be read as a table: {error}. Give every key values of one type.", where=str(file)
            ) from error

    def read_sequences(self, file: Path) -> Sequences:
        rows, _ = _rows(file)
        for index, row in enumerate(rows):
            if not isinstance(row, list) or not all(isinstance(label, str) and label.strip() for label in row):
                raise BadLabel(f"Element {index} must be an array of texts.", where=str(file))
        labels = pl.Series([label for row in rows for label in row], dtype=pl.String)
        return Sequences(offsets_of(np.array([len(row) for row in rows], np.int64)), labels, Source(str(file), 1))

    def names_by_record(self, file: Path) -> None:
        return None

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        return rows_of_objects(_rows(file, as_written=True)[0], columns, lists)

    def read_sets(self, file: Path) -> Sets:
        return sets_of_values(_rows(file, as_written=True)[0])


def _rows(file: Path, as_written: bool = False) -> tuple[list[Any], str | None]:
    """The elements of the array, and the name of the member that holds it where the document is an object."""
    content = as_utf8(read_bytes(file, MEMORY_PER_BYTE), str(file))[0]
    if _one_value_a_line(content):
        content = b"[" + b",".join(line for line in content.split(b"\n") if line.strip()) + b"]"
    try:
        document = parse_json(content)
        if as_written:
            document = parse_as_written(content.decode())
    except ValueError as error:
        raise UnreadableFile(f"{file} is no JSON: {error}. JSON Lines end with .jsonl.", where=str(file)) from error
    if isinstance(document, list):
        return _below_header(document), None
    columns = _columns_side_by_side(document)
    if columns is not None:
        names, cells = columns
        return [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)], None
    arrays = dict(_arrays(document))
    if len(arrays) != 1:
        several = f" Save one of {', '.join(map(repr, arrays))} by itself." if arrays else ""
        raise UnreadableFile(
            f'{file} holds another JSON value; a table is an array of objects, [{{"age": 39}}, …].{several}',
            where=str(file),
        )
    member, rows = next(iter(arrays.items()))
    header = document.get("columns") if isinstance(document, dict) else None
    return _below_header([header, *rows] if isinstance(header, list) else rows), member


def _arrays(document: Any, path: str = "", depth: int = _DEEPEST_ARRAY) -> Iterator[tuple[str, list[Any]]]:
    """The arrays of rows that stand in objects inside objects, with the names that lead there."""
    for name, value in document.items() if isinstance(document, dict) else ():
        if _holds_rows(value):
            yield f"{path}{name}", value
        elif depth > 1:
            yield from _arrays(value, f"{path}{name}.", depth - 1)


def _below_header(rows: list[Any]) -> list[Any]:
    """Arrays of cells below one with the names of columns, as objects; other rows as they are."""
    names = rows[0] if len(rows) > 1 and isinstance(rows[0], list) else []
    if not names or not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        return rows
    below = rows[1:]
    if not all(isinstance(row, list) and len(row) == len(names) for row in below):
        return rows
    if all(isinstance(cell, (str, type(None))) for row in below for cell in row):
        return rows  # lists of labels
    return [dict(zip(names, row, strict=True)) for row in below]


def _begins_with_names(text: str) -> bool:
    """Whether the second of these arrays holds cells that are no texts, so that the first one may name columns."""
    decoder = json.JSONDecoder()
    try:
        first, end = decoder.raw_decode(text)
        second, _ = decoder.raw_decode(text[end:].lstrip().removeprefix(",").lstrip())
    except (ValueError, RecursionError):
        return False
    return isinstance(second, list) and isinstance(_below_header([first, second])[0], dict)


def _columns_side_by_side(document: Any) -> tuple[list[str], list[list[Any]]] | None:
    """Names and cells where each member is a column: an array, or cells by the same keys as pandas writes them."""
    if not isinstance(document, dict) or not document:
        return None
    members = list(document.values())
    if all(isinstance(one, dict) for one in members):
        keys = [*members[0]]
        if not keys or any([*one] != keys for one in members) or not all(key.isdecimal() for key in keys):
            return None
        members = [[*one.values()] for one in members]
    if not all(isinstance(one, list) and len(one) == len(members[0]) for one in members) or not members[0]:
        return None
    if len(members) == 1 or any(isinstance(cell, (dict, list)) for one in members for cell in one):
        return None
    return [*document], members


def _holds_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, (dict, list)) for row in value)


def _source(file: Path, member: str | None) -> Document:
    source = Document(file)
    if member is not None:
        source.understood = Understood({"format": "JSON"}, (f"the rows are those of the member {member!r}",))
    return source


def _one_value_a_line(content: bytes) -> bool:
    """Whether a file called .json holds JSON Lines: its first line is a whole object or array, and others follow."""
    first, _, rest = content.lstrip().partition(b"\n")
    if not rest.strip() or nested_deeper(first, DEEPEST_ROW):
        return False
    try:
        return isinstance(parse_json(first), (dict, list))
    except ValueError:
        return False
