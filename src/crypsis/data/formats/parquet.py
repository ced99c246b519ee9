"""Parquet: typed columns. The footer tells how much memory the wanted columns need before any of them is read.

The footer is read here; everything behind it is decoded in a process with limits (`limited_reader`).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.coded_texts import with_coded_texts
from crypsis.data.formats import limited_reader
from crypsis.data.formats.by_record import ByRecord, as_texts
from crypsis.data.formats.columns import dates_in_calendar, unknown_column, with_plain_columns
from crypsis.data.formats.compression import is_compressed, read_bytes, readable_file
from crypsis.data.formats.format import TABLE, Format
from crypsis.data.formats.memory import check_fits
from crypsis.errors import UnreadableFile

MAGIC = b"PAR1"
COPIES = 2.0  # a column while it is decoded, and the arrays made of it
TEXTS = "texts"
WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 16, 7: 16}  # bytes per value in memory, by physical type


@dataclass(frozen=True, kw_only=True)
class Parquet(Format):
    """Columns with types, packed."""

    name, label = "parquet", "Parquet"
    suffixes = (".parquet", ".pq")
    signatures = (MAGIC,)
    holds = frozenset({TABLE})

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        frame, source = read_frame(file, columns=columns)
        return with_plain_columns(frame), source

    def read_coded_frame(self, file: Path) -> tuple[pl.DataFrame, pl.Schema, str]:
        frame, beside = _read(file, None, texts_as_codes=True)
        frame = with_plain_columns(frame)
        types = {**frame.schema, **dict.fromkeys(beside[TEXTS], pl.String())}
        return dates_in_calendar(frame, str(file)), pl.Schema(types), str(file)

    def names_by_record(self, file: Path) -> list[str]:
        return column_names(file)

    def read_records(
        self, file: Path, columns: Sequence[str] | None, lists: Collection[str] = ()
    ) -> tuple[pl.DataFrame, ByRecord]:
        frame = dates_in_calendar(_read(file, columns)[0], str(file), by_record=True)
        return as_texts(frame, lists), ByRecord()


def read_frame(path: str | Path, *, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
    """The wanted columns, or all, with the types of the file."""
    file = readable_file(path)
    return dates_in_calendar(_read(file, columns)[0], str(file)), str(file)


def read_slice(
    file: Path, first: int, rows: int, *, columns: Sequence[str] | None = None, by_record: bool = False
) -> pl.DataFrame:
    """Some rows of a file, without reading the others; `by_record` as for `dates_in_calendar`."""
    whole = max(n_rows(file), 1)
    declared = content_size(file, columns) * min(rows, whole) // whole
    check_fits(int(declared * COPIES), str(file))
    wanted = None if columns is None else list(dict.fromkeys(columns))
    with file.open("rb") as source:
        frame, _ = limited_reader.read_limited(
            source,
            f"{__name__}:decode_slice",
            {"columns": wanted, "first": first, "rows": rows},
            file=str(file),
            label=Parquet.label,
            declared=declared,
        )
    return dates_in_calendar(frame, str(file), by_record=by_record)


def decode_slice(source: Any, columns: list[str] | None, first: int, rows: int) -> tuple[pl.DataFrame, dict[str, str]]:
    """Some rows; run in the process with limits. An open file is found again by its handle, and is not copied."""
    handle = Path(f"/proc/self/fd/{source.fileno()}")
    whole = pl.scan_parquet(handle if handle.exists() else source, glob=False)
    chosen = whole if columns is None else whole.select(columns)
    return chosen.slice(first, rows).collect(), {}


def n_rows(file: Path) -> int:
    """The number of rows, as the footer tells it."""
    return max(0, int(_footer(file).get(3, 0)))


def slices(file: Path, column: str, most_rows: int, most_values: int) -> Iterator[tuple[int, int]]:
    """First row and number of rows of slices with so many rows and values of a column at most; a file without rows is
    one empty slice. Whole row groups stay together where they can; one that is too large is cut as if all of its rows
    held as much."""
    first = rows = values = 0
    for own_rows, own_values in _row_groups(file, column):
        if rows and (rows + own_rows > most_rows or values + own_values > most_values):
            yield first, rows
            first, rows, values = first + rows, 0, 0
        rows, values = rows + own_rows, values + own_values
        if rows > most_rows or values > most_values:
            n_slices = max(-(-rows // most_rows), min(-(-values // most_values), rows))
            at_once = -(-rows // n_slices)
            end = first + rows
            for start in range(first, end, at_once):
                yield start, min(at_once, end - start)
            first, rows, values = end, 0, 0
    if rows or not first:
        yield first, rows


def _row_groups(file: Path, column: str) -> list[tuple[int, int]]:
    """Of each row group the rows, and the values of a column."""
    footer = _footer(file)
    try:
        groups = [
            (
                int(group[3]),
                sum(
                    int(chunk[3][5]) for chunk in group[1] if chunk[3][3][0].decode("utf-8", errors="replace") == column
                ),
            )
            for group in footer.get(4, [])
        ]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unreadable(file, "its footer is damaged") from error
    if any(rows < 0 or values < 0 for rows, values in groups) or sum(rows for rows, _ in groups) != footer.get(3):
        raise _unreadable(file, "its footer is damaged")
    return groups


def read_frame_and_metadata(path: str | Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """All columns, and the texts that stand in the footer by their names."""
    return _read(readable_file(path), None)


def _read(
    file: Path, columns: Sequence[str] | None, *, texts_as_codes: bool = False
) -> tuple[pl.DataFrame, dict[str, Any]]:
    content = read_bytes(file, COPIES) if is_compressed(file) else None
    declared = content_size(content if content is not None else file, columns)
    check_fits(int(declared * COPIES), str(file))
    with file.open("rb") if content is None else limited_reader.unnamed_copy(content) as source:
        return limited_reader.read_limited(
            source,
            f"{__name__}:decode",
            {"columns": None if columns is None else list(dict.fromkeys(columns)), "texts_as_codes": texts_as_codes},
            file=str(file),
            label=Parquet.label,
            declared=declared,
        )


def decode(source: Any, columns: list[str] | None, texts_as_codes: bool = False) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The wanted columns and the texts of the metadata, or those behind codes; run in the process with limits."""
    known = pl.read_parquet_schema(source)
    for name in columns or ():
        if name not in known:
            raise unknown_column(name, list(known))
    source.seek(0)
    metadata = pl.read_parquet_metadata(source)
    source.seek(0)
    frame = pl.read_parquet(source, columns=columns, glob=False)
    if texts_as_codes:
        coded = with_coded_texts(frame)
        return coded, {TEXTS: [name for name in frame.columns if coded[name].dtype != frame[name].dtype]}
    return frame, {name: text for name, text in metadata.items() if name != "ARROW:schema"}


def column_names(path: str | Path) -> list[str]:
    """The names of the columns, as the footer tells them."""
    file = readable_file(path)
    content = read_bytes(file, COPIES) if is_compressed(file) else None
    schema = _footer(content if content is not None else file).get(2, [])
    names, at = [], 1
    try:
        for _ in range(int(schema[0].get(5, 0))):
            names.append(schema[at][4].decode("utf-8"))
            below = 1
            while below:  # what lies inside a list or structure is no column
                below += int(schema[at].get(5, 0)) - 1
                at += 1
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(file, "its footer is damaged") from error
    return names


def content_size(file: Path | bytes, columns: Sequence[str] | None = None) -> int:
    """Bytes of the wanted columns, or all, once they are unpacked."""
    wanted = None if columns is None else set(columns)
    footer = _footer(file)
    total = 0
    try:
        for row_group in footer.get(4, []):
            for chunk in row_group.get(1, []):
                details = chunk.get(3, {})
                top_level = details.get(3, [b""])[0].decode("utf-8", errors="replace")
                if wanted is None or top_level in wanted:
                    # A dictionary page is short where its column is long, so values count by their width, too.
                    width = WIDTHS.get(details.get(1, 6), 16)
                    total += max(0, int(details.get(5, 0))) * width + max(0, int(details.get(6, 0)))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _unreadable(file if isinstance(file, Path) else Path("parquet"), "its footer is damaged") from error
    return total


def _footer(file: Path | bytes) -> dict[int, Any]:
    if isinstance(file, bytes):
        return _parsed_footer(file[:4], file[-8:], lambda size: file[-8 - size : -8], Path("parquet"))
    size_of_file = file.stat().st_size
    with file.open("rb") as stream:
        head = stream.read(4)
        if size_of_file < 12:
            raise _unreadable(file, "it is too short")
        stream.seek(-8, io.SEEK_END)
        tail = stream.read(8)

        def before_tail(size: int) -> bytes:
            stream.seek(-8 - size, io.SEEK_END)
            return stream.read(size)

        if struct.unpack("<I", tail[:4])[0] > size_of_file - 12:
            raise _unreadable(file, "its footer is cut off")
        return _parsed_footer(head, tail, before_tail, file)


def _parsed_footer(head: bytes, tail: bytes, before_tail: Any, file: Path) -> dict[int, Any]:
    if head != MAGIC or tail[4:] != MAGIC:
        raise _unreadable(file, "it does not begin and end with PAR1")
    try:
        footer = _Thrift(before_tail(struct.unpack("<I", tail[:4])[0])).struct()
    except (IndexError, ValueError, struct.error, RecursionError) as error:
        raise _unreadable(file, "its footer is damaged") from error
    return footer


def _unreadable(file: Path, why: str) -> UnreadableFile:
    return limited_reader.unreadable(str(file), why)


class _Thrift:
    """Just enough of Thrift's compact protocol to read a Parquet footer into dicts by field number."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):  # more bytes than 64 bits need would only cost time
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise ValueError("a number without an end")

    def integer(self) -> int:
        coded = self.varint()
        return (coded >> 1) ^ -(coded & 1)

    def text(self) -> bytes:
        size = self.varint()
        self.at += size
        return self.content[self.at - size : self.at]

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while header := self.byte():
            number = number + (header >> 4) if header >> 4 else self.integer()
            fields[number] = self.value(header & 0x0F, in_list=False)
        return fields

    def value(self, kind: int, in_list: bool) -> Any:
        if kind in (1, 2):  # in a list a boolean takes a byte, in a struct it is the field's type itself
            return self.byte() == 1 if in_list else kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 7:
            self.at += 8
            self.content[self.at - 1]  # beyond the end: a list of ever more of them must end
            return None
        if kind == 8:
            return self.text()
        if kind in (9, 10):
            header = self.byte()
            size = header >> 4 if header >> 4 != 15 else self.varint()
            return [self.value(header & 0x0F, in_list=True) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"unknown thrift type {kind}")
