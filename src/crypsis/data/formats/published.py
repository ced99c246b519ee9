"""Published trajectories as files: JSON Lines with one array of symbols per line, or Parquet with lists of lists.

    ["d",["a","b"],"e"]        JSON Lines: an intact symbol is its label, a generalized one the list of its labels
    [["d"],["a","b"],["e"]]    Parquet, column 'trajectory': every symbol is the list of its labels

The same data give the same bytes. Rows are written in the order in which they come; whoever publishes sorts first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from crypsis.arrays import Int32s, Int64s, mixed_bits, offsets_of, take_records
from crypsis.data.formats import format_of, json_lines, parquet
from crypsis.data.formats.columns import refuse_other_columns, unknown_column
from crypsis.data.formats.compression import is_compressed, readable_file
from crypsis.data.formats.failures import writing
from crypsis.data.formats.source import line_place, place
from crypsis.data.formats.tabular import files_of, read_table_file
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, BadRow, UnknownFormat

COLUMN = "trajectory"
_LISTS = pl.List(pl.List(pl.String))
ROWS_AT_ONCE = 1 << 16
ROWS_OF_GROUP = 1 << 17  # of a Parquet file
LABELS_OF_GROUP = 1 << 22  # every visit to a merged symbol lists all of its labels, which take 16 bytes each or more


def read_published_trajectories(path: str | Path, format: str | None = None) -> PublishedTrajectories:
    """Published trajectories of a JSON Lines or Parquet file."""
    if Path(path).is_dir():
        return _read_parquet(Path(path))
    file = readable_file(path)
    chosen = format_of(file, format, holding=frozenset({"table", "sequence"})).name
    if chosen == "jsonl":
        return _read_json_lines(file)
    if chosen == "parquet":
        return _read_parquet(file)
    raise UnknownFormat(f"Published trajectories are read from jsonl or parquet, not {chosen}.", where=str(file))


def write_published_trajectories(data: PublishedTrajectories, path: str | Path, format: str = "jsonl") -> None:
    """Write `jsonl` or `parquet`, the rows in the order in which they come."""
    file = Path(path)
    if format not in ("jsonl", "parquet"):
        raise UnknownFormat(f"Published trajectories are written as jsonl or parquet, not {format!r}.", where=str(file))
    with writing(file):
        if format == "parquet":
            _write_parquet(data, file)
        else:
            _write_json_lines(data, file)


def _read_json_lines(file: Path) -> PublishedTrajectories:
    arrays = json_lines.read_arrays(file)
    names: list[tuple[str, ...]] = []
    for code, element in enumerate(arrays.elements):
        labels = [element] if isinstance(element, str) else sorted(element)
        problem = _problem_with(labels)
        if problem:
            raise BadLabel(problem, **line_place(arrays.source, arrays.line_with(code)))
        names.append(tuple(labels))
    symbols, symbol_of_element = _symbols_of(names)
    return PublishedTrajectories(arrays.offsets, symbol_of_element[arrays.codes], symbols)


def _symbols_of(names: Sequence[tuple[str, ...]]) -> tuple[Symbols, Int32s]:
    """Symbols in the order of their members, and the symbol of each name (one may be written in several ways)."""
    vocabulary = Vocabulary(sorted({label for labels in names for label in labels}))
    members = [tuple(vocabulary.code(label) for label in labels) for labels in names]
    distinct = sorted(set(members))
    number = {symbol: index for index, symbol in enumerate(distinct)}
    symbols = Symbols(
        vocabulary,
        offsets_of(np.array([len(symbol) for symbol in distinct], np.int64)),
        np.array([code for symbol in distinct for code in symbol], np.int32),
    )
    return symbols, np.array([number[symbol] for symbol in members], np.int32)


def _problem_with(labels: Sequence[str]) -> str | None:
    if any(not label for label in labels):
        return "A symbol has an empty label; give every label a name."
    if len(set(labels)) != len(labels):
        return f"A symbol lists a label twice: {json.dumps(list(labels))}; list each once."
    return None


def _read_parquet(path: Path) -> PublishedTrajectories:
    """Slice by slice: while a symbol is read every visit to it lists all of its labels."""
    lengths, codes = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    number_of: dict[tuple[str, ...], int] = {}
    for file in files_of(path) if path.is_dir() else [path]:
        for rows in _slices(file):
            own_lengths, own_codes, names = _decoded(rows)
            numbers = [number_of.setdefault(name, len(number_of)) for name in names]
            lengths.append(own_lengths)
            codes.append(np.array(numbers, np.int32)[own_codes])
    symbols, symbol_of_name = _symbols_of(list(number_of))
    return PublishedTrajectories(offsets_of(np.concatenate(lengths)), symbol_of_name[np.concatenate(codes)], symbols)


@dataclass(frozen=True)
class _Rows:
    """Rows of a file, of which the first has this number."""

    column: pl.Series
    source: str
    first: int = 0

    def place(self, row: int) -> dict[str, Any]:
        return place(self.source, self.first + row, COLUMN)


def _slices(file: Path) -> Iterator[_Rows]:
    if is_compressed(file):
        frame, source = read_table_file(file, format="parquet")
        refuse_other_columns(frame.columns, [COLUMN], source)
        yield _Rows(frame[COLUMN], source)
        return
    names = parquet.column_names(file)
    if COLUMN not in names:
        raise unknown_column(COLUMN, names, str(file))
    refuse_other_columns(names, [COLUMN], str(file))
    for first, rows in parquet.slices(file, COLUMN, ROWS_OF_GROUP, LABELS_OF_GROUP):
        yield _Rows(parquet.read_slice(file, first, rows, columns=[COLUMN])[COLUMN], str(file), first)


def _decoded(read: _Rows) -> tuple[Int64s, Int32s, list[tuple[str, ...]]]:
    """How many visits each row has, the number of the symbol of each, and the labels of each symbol, sorted."""
    rows = read.column.rechunk()
    if rows.dtype == pl.List(pl.String):  # plain sequences are intact throughout
        rows = rows.list.eval(pl.concat_list(pl.element()))
    if rows.dtype != _LISTS:
        raise BadRow(
            f"Column '{COLUMN}' must hold lists of symbols, each a list of labels; it holds {rows.dtype}.",
            where=f"{read.source}, column '{COLUMN}'",
        )
    _refuse(rows.is_null(), "A trajectory is missing; an empty one is an empty list.", read)
    offsets = offsets_of(rows.list.len().to_numpy().astype(np.int64))
    visits = rows.explode(empty_as_null=False)
    empty = visits.is_null() | (visits.list.len() == 0)
    _refuse(empty, "A symbol is empty; it lists its labels.", read, offsets)
    symbol_offsets = offsets_of(visits.list.len().to_numpy().astype(np.int64))
    labels = visits.explode(empty_as_null=False)
    _refuse(labels.is_null() | (labels == ""), "A symbol has an empty label.", read, symbol_offsets, offsets)
    vocabulary = Vocabulary.of(labels)
    codes, members = _distinct_sets(symbol_offsets, vocabulary.encode(labels))
    names = [[vocabulary[code] for code in symbol] for symbol in members]
    for symbol, listed in enumerate(names):
        problem = _problem_with(listed)
        if problem:
            visit = int(np.flatnonzero(codes == symbol)[0])
            raise BadLabel(problem, **read.place(_record_of(offsets, visit)))
    return np.diff(offsets), codes, [tuple(sorted(listed)) for listed in names]


def _refuse(bad: pl.Series, problem: str, read: _Rows, *containers: Int64s) -> None:
    """`BadLabel` at the row of the first bad value, found through the offsets of what contains it, innermost first."""
    if bad.any():
        row = int(bad.arg_true()[0])
        for offsets in containers:
            row = _record_of(offsets, row)
        raise BadLabel(problem, **read.place(row))


def _record_of(offsets: Int64s, value: int) -> int:
    return int(np.searchsorted(offsets, value, side="right")) - 1


def _distinct_sets(offsets: Int64s, codes: Int32s) -> tuple[Int32s, list[tuple[int, ...]]]:
    """The number of each record's list among the distinct lists, and these; found by hashing, then compared exactly."""
    lengths = np.diff(offsets)
    if not len(lengths):
        return np.zeros(0, np.int32), []
    places = np.arange(len(codes), dtype=np.uint64) - np.repeat(offsets[:-1], lengths).astype(np.uint64)
    keys = np.add.reduceat(mixed_bits(codes.astype(np.uint64) + (places << np.uint64(32))), offsets[:-1])
    numbered = pl.DataFrame({"key": keys}).with_row_index("visit")
    first = numbered.unique("key", keep="first", maintain_order=True).with_row_index("list")
    number = numbered.join(first, on="key", how="left", maintain_order="left")["list"].to_numpy().astype(np.int32)
    representative = first["visit"].to_numpy().astype(np.int64)
    taken, positions = take_records(offsets, representative[number])
    if not np.array_equal(taken, offsets) or not np.array_equal(codes[positions], codes):
        return _distinct_sets_slowly(offsets, codes)  # two lists share a key: one in 10^19, but then wrong
    bounds = zip(offsets[representative].tolist(), offsets[representative + 1].tolist(), strict=True)
    return number, [tuple(codes[start:end].tolist()) for start, end in bounds]


def _distinct_sets_slowly(offsets: Int64s, codes: Int32s) -> tuple[Int32s, list[tuple[int, ...]]]:
    seen: dict[tuple[int, ...], int] = {}
    bounds = offsets.tolist()
    listed = codes.tolist()
    numbers = [seen.setdefault(tuple(listed[start:end]), len(seen)) for start, end in pairwise(bounds)]
    return np.array(numbers, np.int32), list(seen)


def _write_parquet(data: PublishedTrajectories, file: Path) -> None:
    """Row group by row group: only the rows of a few are in memory with all labels of their symbols."""
    rows = _rows_of_group(data)
    groups = [(first, min(first + rows, len(data))) for first in range(0, max(len(data), 1), rows)]

    def frames(*_: object) -> Iterator[pl.DataFrame]:
        return (_published_frame(data, first, end) for first, end in groups)

    register_io_source(frames, schema={COLUMN: _LISTS}, is_pure=True).sink_parquet(
        file, compression="zstd", compression_level=3, row_group_size=rows, statistics=False
    )


def _rows_of_group(data: PublishedTrajectories) -> int:
    """How many rows each row group has: halved until none lists more than `LABELS_OF_GROUP` labels.

    This and all bytes of a group depend on the published rows alone.
    """
    labels = offsets_of(data.symbols.sizes[data.codes] if len(data.codes) else np.zeros(0, np.int64))[data.offsets]
    rows = ROWS_OF_GROUP
    while rows > 1:
        of_group = np.diff(labels[np.append(np.arange(0, len(data), rows), len(data))])
        if of_group.max(initial=0) <= LABELS_OF_GROUP:
            break
        rows //= 2
    return rows


def _published_frame(data: PublishedTrajectories, first: int, end: int) -> pl.DataFrame:
    """Some of the rows. Names are laid out in their order, whatever the order of the symbols in memory."""
    offsets = data.offsets[first : end + 1]
    codes = data.codes[offsets[0] : offsets[-1]]
    held = np.unique(codes)
    held = held[np.argsort(data.symbols.rank[held])]
    names = pl.Series([list(data.symbols.label_lists[code]) for code in held.tolist()], dtype=pl.List(pl.String))
    place = np.zeros(len(data.symbols), np.int32)
    place[held] = np.arange(len(held))
    rows = np.repeat(np.arange(end - first), np.diff(offsets))
    visits = pl.DataFrame({"row": rows, COLUMN: names.gather(pl.Series(place[codes]))})
    filled = visits.group_by("row", maintain_order=True).agg(COLUMN)
    return (
        pl.DataFrame({"row": np.arange(end - first)})
        .join(filled, on="row", how="left", maintain_order="left")
        .select(pl.col(COLUMN).fill_null(pl.lit([], dtype=_LISTS)))
        .rechunk()
    )


def _write_json_lines(data: PublishedTrajectories, file: Path) -> None:
    """Pieces of text are laid end to end as bytes: `[`, symbols with commas between, `]` and a line break."""
    texts = [json.dumps(text, ensure_ascii=False, separators=(",", ":")) for text in data.symbols.texts]
    opening, comma, closing = (len(texts) + index for index in range(3))
    pieces = [piece.encode() for piece in (*texts, "[", ",", "]\n")]
    piece_bytes = np.frombuffer(b"".join(pieces), np.uint8)
    piece_offsets = offsets_of(np.array([len(piece) for piece in pieces], np.int64))
    with file.open("wb") as stream:
        for start in range(0, len(data), ROWS_AT_ONCE):
            end = min(start + ROWS_AT_ONCE, len(data))
            offsets = data.offsets[start : end + 1] - data.offsets[start]
            lengths = np.diff(offsets)
            codes = data.codes[data.offsets[start] : data.offsets[end]].astype(np.int64)
            # A row of n symbols takes 2n + 1 pieces: one before and one after each symbol; an empty one takes 2.
            row_offsets = offsets_of(np.where(lengths > 0, 2 * lengths + 1, 2))
            laid = np.full(row_offsets[-1], comma, np.int64)
            within = np.arange(len(codes)) - np.repeat(offsets[:-1], lengths)
            laid[np.repeat(row_offsets[:-1], lengths) + 2 * within + 1] = codes
            laid[row_offsets[:-1]] = opening
            laid[row_offsets[1:] - 1] = closing
            _, positions = take_records(piece_offsets, laid)
            stream.write(piece_bytes[positions].tobytes())
