"""Files read a record at a time, for methods under differential privacy: what one line says changes no other record.

A line that is no record is left out: too few or too many fields, a bad quote, bytes that are not UTF-8, no JSON, an
empty item. Nothing is guessed from lines below the header: cells are text as written, the separator follows from the
header, and a quoted field ends on its line. What is refused follows from the configuration, the header line, and the
file being one of its format. How many lines were left out is a count of the data and is told to nobody.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from crypsis.data.arrays import Int64s, offsets_of
from crypsis.data.formats import format_of, parquet
from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.compression import existing_file, read_beginning, read_bytes
from crypsis.data.formats.csv import SEPARATORS, raise_field_limit
from crypsis.data.formats.lines import BYTE_ORDER_MARK
from crypsis.errors import BadParameter, UnreadableFile

MEMORY_PER_BYTE = 8.0
TABLE = frozenset({"table"})
SEQUENCE = frozenset({"sequence"})
_END_OF_ITEMSET, _END_OF_SEQUENCE = "-1", "-2"


@dataclass(frozen=True)
class ByRecord:
    """The mark of data that were read so. `left_out`, the lines that were no records, is for the publisher alone.

    `persons_told` says whether a column was declared to name the person, repeating or not.
    """

    left_out: int = 0
    persons_told: bool = False


@dataclass(frozen=True)
class Sets:
    """Records of items: record r holds `labels[offsets[r]:offsets[r + 1]]`."""

    offsets: Int64s
    labels: pl.Series
    by_record: ByRecord


def read_rows(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    lists: Collection[str] = (),
    format: str | None = None,
    separator: str | None = None,
) -> tuple[pl.DataFrame, ByRecord]:
    """The named columns (or all of the header) of a table as text, null where a cell is none.

    Those of `lists` hold lists of labels where the format has such.
    """
    file = existing_file(path)
    chosen = format_of(file, format, holding=TABLE).name
    if chosen == "parquet":
        frame, _ = parquet.read_frame(file, columns=columns, by_record=True)
        return as_texts(frame, lists), ByRecord()
    if chosen == "jsonl":
        if columns is None:
            raise BadParameter(
                "JSON Lines have no header, and under differential privacy columns are not taken from the records; "
                "name every column that is used.",
                parameter="columns",
            )
        return _objects(_content(file), columns, lists)
    separator = separator or ("\t" if ".tsv" in [suffix.lower() for suffix in file.suffixes] else None)
    return _fields(_content(file), columns, separator, str(file))


def read_sets(path: str | Path, *, format: str | None = None, separator: str | None = None) -> Sets:
    """Records of items of text, of JSON arrays, or of JSON objects with an `id` and an `item`.

    Text is SPMF if its suffix or `format` says so, else FIMI: no record is looked at to tell.
    """
    file = existing_file(path)
    chosen = format_of(file, format, holding=SEQUENCE).name
    if chosen == "spmf":
        return _sequences(_content(file))
    return _spaced(_content(file), separator) if chosen == "fimi" else _arrays(_content(file))


def header_of(path: str | Path, *, format: str | None = None, separator: str | None = None) -> list[str] | None:
    """The names of the columns of a table, without a look at its records; None where only these would tell."""
    file = existing_file(path)
    chosen = format_of(file, format, holding=TABLE).name
    if chosen == "jsonl":
        return None
    if chosen == "parquet":
        return parquet.column_names(file)
    separator = separator or ("\t" if ".tsv" in [suffix.lower() for suffix in file.suffixes] else None)
    beginning = _sound_beginning(read_beginning(file), file)
    content = beginning if b"\n" in beginning else _content(file)
    return _header(content.partition(b"\n")[0], separator, str(file))[1]


def as_texts(frame: pl.DataFrame, lists: Collection[str] = ()) -> pl.DataFrame:
    """Every cell as text by itself, or as a list of texts; what cannot be the value of a column is null."""
    return pl.DataFrame([_list_of(frame[name]) if name in lists else _text_of(frame[name]) for name in frame.columns])


def _list_of(cells: pl.Series) -> pl.Series:
    """Lists of text or of numbers as lists of text; a column of anything else as text."""
    if not isinstance(cells.dtype, pl.List):
        return _text_of(cells)
    inner = cells.dtype.inner
    if isinstance(inner, (pl.List, pl.Array, pl.Struct)) or inner in (pl.Object, pl.Binary, pl.Duration):
        return pl.Series(cells.name, [None] * len(cells), dtype=pl.List(pl.String))
    return cells.cast(pl.List(pl.String), strict=False)


def _text_of(cells: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        return cells
    if cells.dtype == pl.Boolean:
        return cells.replace_strict({True: "true", False: "false"}, return_dtype=pl.String)
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Binary, pl.Duration, pl.Null):
        return pl.Series(cells.name, [None] * len(cells), dtype=pl.String)
    return cells.cast(pl.String, strict=False)


def _content(file: Path) -> bytes:
    return _sound_beginning(read_bytes(file, MEMORY_PER_BYTE), file)


def _sound_beginning(content: bytes, file: Path) -> bytes:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableFile(f"{file} is UTF-16; save it as UTF-8.", where=str(file))
    return content.removeprefix(BYTE_ORDER_MARK)


def _lines(content: bytes) -> tuple[list[str], int]:
    """The lines that are UTF-8, without their ends, and how many are not. Lines end with LF or CR LF, nowhere else."""
    if not content:
        return [], 0
    body = content.removesuffix(b"\n")
    try:
        lines, bad = body.decode("utf-8").split("\n"), 0
    except UnicodeDecodeError:  # the same, line by line
        raw = body.split(b"\n")
        lines = [line.decode("utf-8") for line in raw if _is_text(line)]
        bad = len(raw) - len(lines)
    return [line.removesuffix("\r") for line in lines] if b"\r" in body else lines, bad


def _is_text(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# CSV


def _fields(
    content: bytes, columns: Sequence[str] | None, separator: str | None, file: str
) -> tuple[pl.DataFrame, ByRecord]:
    header, _, body = content.partition(b"\n")
    separator, names = _header(header, separator, file)
    for name in columns or ():
        if name not in names:
            raise unknown_column(name, names, file)
    lines, bad = _lines(body)
    text = pl.Series("line", lines, dtype=pl.String)
    quoted = text.str.contains('"', literal=True)
    whole = ~quoted & (text.str.count_matches(separator, literal=True) == len(names) - 1)
    frame = _split(text.filter(whole), separator, names)
    if quoted.any():
        raise_field_limit(len(body))
        read = [(row, _quoted_fields(lines[row], separator)) for row in quoted.arg_true().to_list()]
        sound = [(row, fields) for row, fields in read if fields is not None and len(fields) == len(names)]
        places = np.concatenate([whole.arg_true().to_numpy(), np.array([row for row, _ in sound], np.int64)])
        frame = pl.concat([frame, _frame(names, [fields for _, fields in sound])])[np.argsort(places)]
    wanted = names if columns is None else list(dict.fromkeys(columns))
    return frame.select(wanted), ByRecord(bad + len(lines) - len(frame))


def _split(lines: pl.Series, separator: str, names: Sequence[str]) -> pl.DataFrame:
    if not len(lines):
        return _frame(names, [])
    parts = lines.str.split_exact(separator, len(names) - 1).struct.unnest()
    return parts.rename(dict(zip(parts.columns, names, strict=True)))


def _header(line: bytes, separator: str | None, file: str) -> tuple[str, list[str]]:
    """Separator and column names: public, so what is wrong with them is said."""
    if separator is not None and (len(separator) != 1 or not separator.isascii()):
        raise BadParameter(f"A CSV separator is one ASCII character, got {separator!r}.", parameter="separator")
    try:
        text = line.decode("utf-8").removesuffix("\r")
    except UnicodeDecodeError:
        raise UnreadableFile(f"The header line of {file} is not UTF-8; save it as UTF-8.", where=file) from None
    if not text.strip() or "\r" in text or "\0" in text:
        raise UnreadableFile(
            f"{file} needs a header line with column names, and lines that end with a line feed.", where=file
        )
    if separator is None:
        separator = max(SEPARATORS, key=lambda candidate: len(_quoted_fields(text, candidate) or ()))
    names = _quoted_fields(text, separator)
    if names is None:
        raise UnreadableFile(f"The quotes of the header line of {file} do not match.", where=file)
    for name in names:
        if not name.strip() or names.count(name) > 1:
            raise UnreadableFile(
                f"The header line of {file} must name every column once; column {name!r} is empty or named twice.",
                where=file,
            )
    return separator, names


def _quoted_fields(line: str, separator: str) -> list[str] | None:
    """The fields of one line; None where its quotes do not match, which also means: where a field would go on."""
    try:
        rows = list(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


# JSON Lines


def _objects(content: bytes, columns: Sequence[str], lists: Collection[str]) -> tuple[pl.DataFrame, ByRecord]:
    wanted = list(dict.fromkeys(columns))
    lines, left_out = _lines(content)
    rows: list[list[Any]] = []
    for line in lines:
        value = _parsed(line)
        if isinstance(value, dict):
            rows.append([_labels(value.get(name)) if name in lists else _cell(value.get(name)) for name in wanted])
        else:
            left_out += bool(line.strip())
    return _frame(wanted, rows, lists), ByRecord(left_out)


def _labels(value: Any) -> list[str | None]:
    """A list of labels, null where an element is none; a value that is no list is one label."""
    if value is None:
        return []
    return [_said(element) for element in (value if isinstance(value, list) else [value])]


def _arrays(content: bytes) -> Sets:
    """An array of items is a record; an object with an id and an item is a row of one. Each line tells by itself."""
    lines, left_out = _lines(content)
    records: list[list[str]] = []
    united: dict[str, list[str]] = {}
    for line in lines:
        value = _parsed(line)
        labels = [_said(element) for element in value] if isinstance(value, list) else []
        if isinstance(value, list) and all(labels):
            records.append([label for label in labels if label is not None])
        elif isinstance(value, dict) and (name := _said(value.get("id"))) and (label := _said(value.get("item"))):
            united.setdefault(name, []).append(label)
        else:
            left_out += bool(line.strip())
    return _sets([*records, *united.values()], left_out)


def _parsed(line: str) -> Any:
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


# Text with one record per line


def _spaced(content: bytes, separator: str | None) -> Sets:
    """FIMI: a blank line is an empty record."""
    lines, left_out = _lines(content)
    if separator is None:
        parts = pl.Series(lines, dtype=pl.String).str.extract_all(r"\S+")
        lengths = parts.list.len().to_numpy().astype(np.int64)
        return Sets(offsets_of(lengths), parts.explode(empty_as_null=False), ByRecord(left_out))
    records = [[part.strip() for part in line.split(separator)] if line.strip() else [] for line in lines]
    sound = [record for record in records if all(record)]
    return _sets(sound, left_out + len(records) - len(sound))


def _sequences(content: bytes) -> Sets:
    """SPMF: itemsets are united. Only the comments and names before the first record are a header."""
    lines, left_out = _lines(content)
    trimmed = [line.strip() for line in lines]
    first = next((row for row, line in enumerate(trimmed) if line and line[0] not in "#%@"), len(trimmed))
    names = dict(
        entry.removeprefix("@ITEM=").split("=", 1)
        for entry in trimmed[:first]
        if entry.startswith("@ITEM=") and entry.count("=") > 1
    )
    records = []
    for line in trimmed[first:]:
        tokens = line.split()
        if tokens and tokens[-1] == _END_OF_SEQUENCE and _END_OF_SEQUENCE not in tokens[:-1]:
            records.append([names.get(token, token) for token in tokens[:-1] if token != _END_OF_ITEMSET])
        else:
            left_out += bool(line)
    return _sets(records, left_out)


def _sets(records: Sequence[Sequence[str]], left_out: int) -> Sets:
    lengths = np.fromiter(map(len, records), np.int64, len(records))
    labels = pl.Series([label for record in records for label in record], dtype=pl.String)
    return Sets(offsets_of(lengths), labels, ByRecord(left_out))


def _frame(names: Sequence[str], rows: Sequence[Sequence[Any]], lists: Collection[str] = ()) -> pl.DataFrame:
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.DataFrame(
        {
            name: pl.Series(list(column), dtype=pl.List(pl.String) if name in lists else pl.String)
            for name, column in zip(names, cells, strict=True)
        }
    )
