"""Files read a record at a time, for methods under differential privacy: what one line says changes no other record.

A line that is no record is left out: too few or too many fields, a bad quote, bytes that are not UTF-8, no JSON, an
empty item. Nothing is guessed from lines below the header: cells are text as written, the separator follows from the
header, and a quoted field ends on its line. What is refused follows from the configuration, the header line, and the
file being one of its format. How many lines were left out is a count of the data and is told to nobody.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.formats.compression import read_bytes
from crypsis.errors import UnreadableFile

MEMORY_PER_BYTE = 8.0


@dataclass(frozen=True)
class ByRecord:
    """The mark of data that were read so. `left_out`, the lines that were no records, is for the publisher alone.

    `persons_told` says whether a column was declared to name the person, repeating or not; `typed` names the columns
    whose type was declared.
    """

    left_out: int = 0
    persons_told: bool = False
    typed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Sets:
    """Records of items: record r holds `labels[offsets[r]:offsets[r + 1]]`.

    `ids` names the last records, where rows with one id make up a record; those of another file may belong to it.
    """

    offsets: Int64s
    labels: pl.Series
    by_record: ByRecord
    ids: tuple[str, ...] = ()


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


def content_by_record(file: Path) -> bytes:
    """The bytes of a text without a mark; which encoding it is, is public."""
    content = read_bytes(file, MEMORY_PER_BYTE)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise UnreadableFile(f"{file} is UTF-16; save it as UTF-8.", where=str(file))
    return content.removeprefix(codecs.BOM_UTF8)


def lines_by_record(content: bytes, encoding: str = "utf-8") -> tuple[list[str], int]:
    """The lines that are such text, without their ends, and how many are not. Lines end with LF or CR LF, nowhere else.

    In the encoding a line feed is one byte.
    """
    if not content:
        return [], 0
    body = content.removesuffix(b"\n")
    try:
        lines, bad = body.decode(encoding).split("\n"), 0
    except UnicodeDecodeError:  # the same, line by line
        raw = body.split(b"\n")
        lines = [line.decode(encoding) for line in raw if _is_text(line, encoding)]
        bad = len(raw) - len(lines)
    return [line.removesuffix("\r") for line in lines] if b"\r" in body else lines, bad


def _is_text(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def sets_of(records: Sequence[Sequence[str]], left_out: int, named: Mapping[str, Sequence[str]] | None = None) -> Sets:
    """Records as one column of labels, those that have an id last."""
    every = [*records, *(named or {}).values()]
    lengths = np.fromiter(map(len, every), np.int64, len(every))
    labels = pl.Series([label for record in every for label in record], dtype=pl.String)
    return Sets(offsets_of(lengths), labels, ByRecord(left_out), tuple(named or ()))


def united_sets(parts: Sequence[Sets]) -> Sets:
    """The records of several files; rows with one id are one record, whichever files they are in."""
    if len(parts) == 1:
        return parts[0]
    named: dict[str, list[str]] = {}
    lengths, labels = [], []
    for part in parts:
        first = len(part.offsets) - 1 - len(part.ids)
        lengths.append(np.diff(part.offsets[: first + 1]))
        labels.append(part.labels[: int(part.offsets[first])])
        bounds = pairwise(part.offsets[first:].tolist())
        for id, (start, end) in zip(part.ids, bounds, strict=True):
            named.setdefault(id, []).extend(part.labels[start:end])
    last = sets_of([], 0, named)
    return Sets(
        offsets_of(np.concatenate([*lengths, np.diff(last.offsets)])),
        pl.concat([*labels, last.labels]),
        ByRecord(sum(part.by_record.left_out for part in parts)),
        last.ids,
    )


def frame_of(names: Sequence[str], rows: Sequence[Sequence[Any]], lists: Collection[str] = ()) -> pl.DataFrame:
    """Rows of texts as columns; those of `lists` hold lists of texts."""
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.DataFrame(
        {
            name: pl.Series(list(column), dtype=pl.List(pl.String) if name in lists else pl.String)
            for name, column in zip(names, cells, strict=True)
        }
    )
