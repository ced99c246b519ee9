"""Records whose rows lie in several parts: rows are exchanged by the hash of their id and read together.

A record then stands where its first row is, among the records of that part, and its rows are in the order of the input:
so numbers of records are those of the same files read into memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.declarations import Declarations
from crypsis.data.formats.columns import labels
from crypsis.data.scanned import Part
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.sources.data_source import DataFile
from crypsis.errors import PartsDiffer, PersonNotSupported
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.ragged_sort import take_rows

_HASH_SEED = 7
SOURCE = "rows of several parts"


@dataclass(frozen=True)
class GatheredFile(DataFile):
    """Rows that are no file any more, read as a table in one would be."""

    rows_of_parts: pl.DataFrame = field(default_factory=pl.DataFrame)

    @property
    def files(self) -> list[Path]:
        return [Path("gathered.parquet")]

    def frame(self, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        return self.rows_of_parts, SOURCE

    def points(self, holding: frozenset[str], *files: Path) -> list[tuple[pl.DataFrame, str]]:
        return [(self.rows_of_parts, SOURCE)]


def hash_ids(ids: pl.Series) -> pl.Series:
    """A number for each id, in every process the same."""
    return ids.cast(pl.String).hash(_HASH_SEED)


def gather_rows(scanned: ScannedRecords, parts: Sequence[Part], executor: Executor, folder: str) -> list[str]:
    """Files with whole records, as many as there are parts at most; where a column names the person, with all records
    of each."""
    pieces = executor.exchange(send_rows, list(enumerate(parts)), len(parts), scanned, len(parts))
    work = [(index, files) for index, files in enumerate(pieces) if files]
    gathered: list[str] = executor.map(read_gathered, work, folder, scanned, parts)
    return gathered


def send_rows(
    numbered: tuple[int, Part], scanned: ScannedRecords, targets: int
) -> Iterator[tuple[int, tuple[int, Int64s, pl.DataFrame]]]:
    """The rows of a part by the hash of their id or person, with their numbers."""
    number, part = numbered
    frame = scanned.read_rows(part)
    if scanned.person_column is not None:
        whole = _persons_of_rows(frame, scanned, part)
    else:
        whole = labels(frame, scanned.id_column, part.file) if scanned.on_grid else frame[scanned.id_column]
    target_of_row = (hash_ids(whole) % targets).to_numpy()
    for target in np.unique(target_of_row).tolist():
        rows = np.flatnonzero(target_of_row == target)
        yield target, (number, rows, frame[rows])


def _persons_of_rows(frame: pl.DataFrame, scanned: ScannedRecords, part: Part) -> pl.Series:
    """The names of the persons, of a part that is a table with a row for each item."""
    assert scanned.person_column is not None
    names = labels(frame, scanned.person_column, part.file)
    if any(isinstance(dtype, pl.List | pl.Array) for dtype in frame.dtypes):
        raise PersonNotSupported(
            "On parts people are counted where each row holds one item, and here a row holds several. Write a row for "
            "each item, or read the data into memory.",
            where=part.file,
        )
    return names


def read_gathered(work: tuple[int, Sequence[str]], folder: str, scanned: ScannedRecords, parts: Sequence[Part]) -> str:
    """A file with whole records: of each the part and the row of its first row, and its person where one is told."""
    number, files = work
    pieces = [load(file) for file in files]
    frame = _one_below_the_other([(parts[part], own) for part, _, own in pieces], scanned.id_column)
    scratch = Scratch.at(folder)
    gathered = GatheredFile("gathered.parquet", "parquet", rows_of_parts=frame)
    data = scanned.unmarked_source.load(gathered, Declarations())
    part_of_row = np.repeat([part for part, _, _ in pieces], [len(rows) for _, rows, _ in pieces])
    row = np.concatenate([rows for _, rows, _ in pieces])
    ids = frame[scanned.id_column].cast(pl.String).alias("id")
    first = ids.to_frame().with_row_index("first").group_by("id").agg(pl.col("first").min())
    known = ids.unique(maintain_order=True).gather(data.owners) if scanned.by_day else data.ids.cast(pl.String)
    own = known.alias("id").to_frame()
    first_row = own.join(first, on="id", how="left", maintain_order="left")["first"].to_numpy()
    names = None if scanned.person_column is None else labels(frame, scanned.person_column, SOURCE)[first_row]
    return scratch.save(f"gathered-{number:06d}", (data, part_of_row[first_row], row[first_row], names))


def _one_below_the_other(pieces: Sequence[tuple[Part, pl.DataFrame]], id_column: str) -> pl.DataFrame:
    """The rows of all pieces; columns must have the same names, and the same types but for numbers."""
    first = pieces[0][1]
    for part, frame in pieces[1:]:
        for name in (*first.columns, *frame.columns):
            here, there = frame.schema.get(name), first.schema.get(name)
            if here != there and not _are_numbers(here, there, whole=name == id_column):
                raise PartsDiffer(
                    f"Rows of one record lie in several parts, and column '{name}' holds {here or 'nothing'} in this "
                    f"part and {there or 'nothing'} in an earlier one; write them alike.",
                    where=part.file,
                    column=name,
                )
    return pl.concat([frame.select(first.columns) for _, frame in pieces], how="vertical_relaxed")


def _are_numbers(here: pl.DataType | None, there: pl.DataType | None, *, whole: bool) -> bool:
    """Numbers of either type are the same numbers; as names only whole ones are written alike."""
    types = [one for one in (here, there) if one is not None]
    return len(types) == 2 and all(one.is_integer() if whole else one.is_numeric() for one in types)


def arrange_records(
    shards: Sequence[tuple[RaggedShard, str, str]], n_parts: int, executor: Executor, folder: str
) -> list[dict[str, Any]]:
    """The records of shards in the order of their first rows, by the part in which each began. With each shard come a
    file that says where its records began and one with their ids."""
    pieces = executor.exchange(send_home, list(shards), n_parts)
    placed: list[dict[str, Any]] = executor.map(arrange_home, list(enumerate(pieces)), folder)
    return placed


def send_home(work: tuple[RaggedShard, str, str]) -> Iterator[tuple[int, tuple[Any, pl.Series | None]]]:
    """The records of a shard by the part in which each began."""
    shard, first, ids_file = work
    offsets, codes = shard.read()
    part, row = load(first)
    ids = load(ids_file) if ids_file else None
    for target in np.unique(part).tolist():
        chosen = np.flatnonzero(part == target)
        yield target, (take_rows((offsets, codes, row), chosen), None if ids is None else ids.gather(chosen))


def arrange_home(numbered: tuple[int, Sequence[str]], folder: str) -> dict[str, Any]:
    """The records that began in a part, by their first rows."""
    number, files = numbered
    pieces = [load(file) for file in files]
    offsets, codes = joined_rows([rows[:2] for rows, _ in pieces])
    row = np.concatenate([np.zeros(0, np.int64), *(rows[2] for rows, _ in pieces)])
    order = np.argsort(row, kind="stable")
    offsets, codes, _ = take_rows((offsets, codes, row), order)
    scratch = Scratch.at(folder)
    known = [own for _, own in pieces if own is not None]
    ids = pl.concat(known).gather(order) if known else None
    return {
        "file": scratch.save(f"shard-of-part-{number:06d}", (offsets, codes)),
        "ids": "" if ids is None else scratch.save(f"ids-of-part-{number:06d}", ids),
        "rows": len(row),
        "filled": int(np.count_nonzero(np.diff(offsets))),
    }
