"""From published blocks to sorted parts: an external sort over all records, by the texts of their cells.

Each block is published and compared with its records, its texts are numbered among the texts of all blocks, and every
record becomes one key, whose order is that of the texts. Blocks sort their keys; the driver picks splitters from every
`SAMPLE`-th key; each range between two of them is merged by itself and cut where parts begin.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.published_types import as_type, told_type
from crypsis.data.relational import NodeLeaves
from crypsis.errors import VerificationFailed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.scaling import RecodedBlocks
from crypsis.publication.table_parts import PART_ROWS, part_name, part_rows, write_part
from crypsis.run_context import RunContext
from crypsis.verifiers.table_parts import rows_checksum
from crypsis.verifiers.table_recoding import untruthful

SAMPLE = 1024
LARGEST_KEY = 1 << 62
Keys = np.ndarray[tuple[int], np.dtype[Any]]


@dataclass(frozen=True)
class ColumnFacts:
    """A published column without its records: how it is described."""

    name: str
    role: Any
    type: Any
    guessed: bool
    hierarchy: NodeLeaves | None


@dataclass(frozen=True, eq=False)
class SortedParts:
    """The files of the parts in order, and a file with the input number of every row of each part."""

    files: tuple[str, ...]
    numbers: tuple[str, ...]
    checksum: tuple[int, int]  # of all rows, keyed by the seeds of the blocks


@dataclass(frozen=True, eq=False)
class PublishedBlocks:
    """Published blocks in scratch, in the types of the original; sorted once somebody asks for the parts."""

    blocks: tuple[str, ...]
    columns: tuple[ColumnFacts, ...]
    n_records: int
    seeds: tuple[int, ...]
    folder: Scratch
    executor: Executor = field(repr=False)
    context: RunContext = field(repr=False)

    @cached_property
    def _sorted(self) -> SortedParts:
        with self.context.stage("sort"):
            return sort_blocks(self)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the parts in order."""
        return self._sorted.files

    @property
    def numbers(self) -> tuple[str, ...]:
        """A file with the input number of every row of each part."""
        return self._sorted.numbers

    @property
    def checksum(self) -> tuple[int, int]:
        """Return the hashes of all rows, keyed by the seeds."""
        return self._sorted.checksum


def publish_blocks(
    recoded: RecodedBlocks, columns: Sequence[Any], executor: Executor, context: RunContext
) -> PublishedBlocks:
    """Publish every block, and compare it with its records."""
    folder = executor.scratch.below("published")
    with context.stage("publish"):
        blocks = list(enumerate(recoded.blocks))
        noted = executor.map(note_block, blocks, str(folder.folder), recoded.publish, recoded.common)
        for one in noted:
            if one["problem"] is not None:
                raise VerificationFailed(f"Nothing was written: {one['problem']}.")
        merged = tuple(merged_column(noted, index, column) for index, column in enumerate(columns))
    n_records = sum(note["rows"] for note in noted)
    seeds = tuple(secrets.randbits(63) for _ in range(2))
    return PublishedBlocks(tuple(note["file"] for note in noted), merged, n_records, seeds, folder, executor, context)


def sort_blocks(published: PublishedBlocks) -> SortedParts:
    """Write the published records as sorted parts into scratch."""
    columns, folder = published.columns, published.folder
    types = [column.type for column in columns]
    texts = published.executor.map(texts_of_block, published.blocks, str(folder.folder), types)
    order = sort_order([column.role for column in columns])
    names = [column.name for column in columns]
    return sort_texts(texts, order, published.n_records, published.seeds, folder, published.executor, as_columns, names)


def sort_texts(
    texts: Sequence[str],
    order: Sequence[int],
    n_records: int,
    seeds: Sequence[int],
    folder: Scratch,
    executor: Executor,
    frame_of: Callable[..., pl.DataFrame],
    *common: Any,
) -> SortedParts:
    """Sort records by the texts of their columns, in this order; `frame_of(columns, *common)` is what a part holds."""
    n_columns = len(order)
    dictionaries = [
        pl.concat([load(text)[index] for text in texts]).unique().sort() if texts else pl.Series([], dtype=pl.String)
        for index in range(n_columns)
    ]
    radix = [max(len(dictionaries[slot]), 1) for slot in order]
    dictionary = folder.save("dictionary", dictionaries)
    runs = executor.map(sort_run, texts, str(folder.folder), dictionary, order, radix, seeds)
    splitters = _splitters([load(run["sample"]) for run in runs], n_records, executor)
    pieces = executor.exchange(cut_run, [run["file"] for run in runs], len(splitters) + 1, splitters)
    ranges = executor.map(merge_range, list(enumerate(pieces)), str(folder.folder))
    starts = np.concatenate([[0], np.cumsum([one["rows"] for one in ranges])]).tolist()
    work = []
    for position, (first, last) in enumerate(part_rows(n_records)):
        wanted = [
            (one["file"], max(first - start, 0), last - start)
            for one, start, end in zip(ranges, starts[:-1], starts[1:], strict=True)
            if start < last and end > first
        ]
        work.append((position, wanted))
    parts = executor.map(write_sorted_part, work, str(folder.folder), dictionary, order, radix, frame_of, common)
    checksum = tuple(sum(run["checksum"][half] for run in runs) % (1 << 64) for half in range(2))
    return SortedParts(
        tuple(part["file"] for part in parts),
        tuple(part["numbers"] for part in parts),
        (checksum[0], checksum[1]),
    )


def note_block(numbered: tuple[int, Any], folder: str, publish: Any, common: Sequence[Any]) -> dict[str, Any]:
    """Publish a block; compare it, row by row, with what it was made of; tell what its columns hold."""
    number, block = numbered
    published, original, rows = publish(block, *common)
    problem = untruthful(published, original, in_order=True)
    content = {"rows": rows, "columns": [(column.codes, column.cells) for column in published.columns]}
    return {
        "file": Scratch.at(folder).save(f"noted-{number:06d}", content),
        "problem": problem,
        "rows": len(rows),
        "columns": [
            (column.cells.values, np.unique(column.cells.kinds), column.hierarchy) for column in published.columns
        ],
    }


def merged_column(noted: Sequence[Mapping[str, Any]], place: int, column: Any) -> ColumnFacts:
    """What all blocks together tell of a column; its type as the published values tell it."""
    held = [note["columns"][place] for note in noted]
    values = pl.concat([values for values, _, _ in held]).unique() if held else column.domain.clear()
    kinds = np.unique(np.concatenate([kinds for _, kinds, _ in held])) if held else np.zeros(0, np.int8)
    leaves = [hierarchy for _, _, hierarchy in held if hierarchy is not None]
    hierarchy = None
    if leaves:
        united = {name: below for leave in leaves for name, below in leave.leaves.items()}
        hierarchy = replace(leaves[0], leaves=united)
    told = told_type(column.type, values, kinds) if column.guessed else column.type
    return ColumnFacts(column.name, column.role, told, column.guessed, hierarchy)


def texts_of_block(file: str, folder: str, types: Sequence[Any]) -> str:
    """The texts of each column of a block, and every record's as their number."""
    content = load(file)
    columns, codes = texts_of_cells(content["columns"], types)
    return save_texts(file, folder, content["rows"], columns, codes)


def texts_of_cells(coded: Sequence[tuple[Any, Any]], types: Sequence[Any]) -> tuple[list[pl.Series], list[Int64s]]:
    """The sorted texts of each column, and every record's as their number."""
    columns, codes = [], []
    for (cell_of_record, cells), type in zip(coded, types, strict=True):
        words = as_type(cells, type).text_series
        distinct = words.gather(np.unique(cell_of_record)).unique().sort()
        columns.append(distinct)
        codes.append(_places(words, distinct)[cell_of_record])
    return columns, codes


def save_texts(file: str, folder: str, rows: Int64s, columns: Sequence[pl.Series], codes: Sequence[Int64s]) -> str:
    """Write the texts of a block for the sort; the file of its distinct texts is told."""
    name = Path(file).name
    scratch = Scratch.at(folder)
    scratch.save(f"{name}-texts", {"rows": rows, "codes": list(codes), "columns": list(columns)})
    return scratch.save(f"{name}-columns", list(columns))


def _places(words: pl.Series, sorted_words: pl.Series) -> Int64s:
    """Where each word stands among sorted ones; those that are not there stand anywhere."""
    if not len(sorted_words):
        return np.zeros(len(words), np.int64)
    places: Int64s = sorted_words.search_sorted(words).to_numpy().astype(np.int64)
    return np.minimum(places, len(sorted_words) - 1)


def as_columns(columns: Sequence[pl.Series], names: Sequence[str]) -> pl.DataFrame:
    """The texts of a part under the names of its columns."""
    return pl.DataFrame({name: column.alias(name) for name, column in zip(names, columns, strict=True)})


def sort_order(roles: Sequence[str]) -> list[int]:
    """Quasi-identifiers first, then the other columns."""
    return [
        *(index for index, role in enumerate(roles) if role == "quasi"),
        *(index for index, role in enumerate(roles) if role != "quasi"),
    ]


def sort_run(
    columns_file: str, folder: str, dictionary: str, order: Sequence[int], radix: Sequence[int], seeds: Sequence[int]
) -> dict[str, Any]:
    """The records of a block as sorted keys, with their input numbers; ties in the order of the input."""
    base = columns_file.removesuffix("-columns")
    content, words = load(f"{base}-texts"), load(dictionary)
    ranks = [_places(content["columns"][index], words[index])[content["codes"][index]] for index in order]
    keys, rows = joined_keys(ranks, radix, len(content["rows"])), content["rows"]
    sorted_places = sort_keys(keys, rows)
    keys, rows = keys[sorted_places], rows[sorted_places]
    scratch, name = Scratch.at(folder), Path(base).name
    return {
        "file": scratch.save(f"{name}-run", {"keys": keys, "rows": rows}),
        "sample": scratch.save(f"{name}-sample", keys[SAMPLE // 2 :: SAMPLE]),
        "rows": len(rows),
        "checksum": rows_checksum(list(zip(content["columns"], content["codes"], strict=True)), len(rows), seeds),
    }


def sort_keys(keys: Keys, rows: Int64s) -> Int64s:
    """Where keys stand in ascending order, equal ones in the order of the input. Rows mostly come in it."""
    order: Int64s = np.argsort(keys, kind="stable")
    keys, rows = keys[order], rows[order]
    equal = keys[1:] == keys[:-1]
    if (equal & (rows[1:] < rows[:-1])).any():
        order = order[np.lexsort((rows, np.append(0, np.cumsum(~equal))))]
    return order


def joined_keys(ranks: Sequence[Int64s], radix: Sequence[int], n_rows: int) -> Keys:
    """One key per record in the order of its ranks: a number where all fit, else bytes."""
    if _fit_a_number(radix):
        keys = np.zeros(n_rows, np.int64)
        for rank, base in zip(ranks, radix, strict=True):
            keys = keys * base + rank
        return keys
    wide = np.stack([rank.astype(">u4") for rank in ranks], axis=1)
    return np.ascontiguousarray(wide).view(f"S{4 * len(ranks)}").ravel()


def split_keys(keys: Keys, radix: Sequence[int]) -> list[Int64s]:
    """The ranks in each key."""
    ranks: list[Int64s] = []
    if _fit_a_number(radix):
        left = keys.astype(np.int64)
        for base in reversed(radix):
            ranks.insert(0, left % base)
            left = left // base
        return ranks
    wide = np.ascontiguousarray(keys).view(">u4").reshape(len(keys), len(radix))
    return [wide[:, index].astype(np.int64) for index in range(len(radix))]


def _fit_a_number(radix: Sequence[int]) -> bool:
    product = 1
    for base in radix:
        product *= base
    return product < LARGEST_KEY


def _splitters(samples: Sequence[Keys], n_records: int, executor: Executor) -> Keys:
    """Keys that divide all records into ranges that a worker can hold; equal keys are never divided."""
    per_range = max(min(PART_ROWS, executor.memory // 256), 1)
    n_ranges = -(-n_records // per_range)
    whole = np.sort(np.concatenate(samples)) if samples else np.zeros(0, np.int64)
    if n_ranges < 2 or len(whole) < 2:
        return whole[:0]
    return np.unique(whole[np.arange(1, n_ranges) * len(whole) // n_ranges])


def cut_run(file: str, splitters: Keys) -> Iterator[tuple[int, dict[str, Any]]]:
    """A sorted run by ranges."""
    run = load(file)
    cuts = [0, *np.searchsorted(run["keys"], splitters, side="right").tolist(), len(run["keys"])]
    for target, (first, last) in enumerate(pairwise(cuts)):
        if first < last:
            yield target, {"keys": run["keys"][first:last], "rows": run["rows"][first:last]}


def merge_range(numbered: tuple[int, Sequence[str]], folder: str) -> dict[str, Any]:
    """All records between two splitters, sorted."""
    number, files = numbered
    pieces = [load(file) for file in files]
    if not pieces:
        return {"file": "", "rows": 0}
    keys = np.concatenate([piece["keys"] for piece in pieces])
    rows = np.concatenate([piece["rows"] for piece in pieces])
    if len(pieces) > 1:
        places = sort_keys(keys, rows)
        keys, rows = keys[places], rows[places]
    return {"file": Scratch.at(folder).save(f"range-{number:06d}", {"keys": keys, "rows": rows}), "rows": len(rows)}


def write_sorted_part(
    work: tuple[int, Sequence[tuple[str, int, int]]],
    folder: str,
    dictionary: str,
    order: Sequence[int],
    radix: Sequence[int],
    frame_of: Callable[..., pl.DataFrame],
    common: Sequence[Any],
) -> dict[str, Any]:
    """One part of the release, as it is published, and the input numbers of its rows."""
    number, wanted = work
    words = load(dictionary)
    keys, rows = [], []
    for file, first, last in wanted:
        held = load(file)
        keys.append(held["keys"][first:last])
        rows.append(held["rows"][first:last])
    whole = np.concatenate(keys) if keys else np.zeros(0, np.int64)
    texts: dict[int, pl.Series] = {}
    if len(whole):
        for slot, rank in zip(order, split_keys(whole, radix), strict=True):
            texts[slot] = words[slot].gather(rank)
    else:
        texts = {slot: pl.Series([], dtype=pl.String) for slot in order}
    frame = frame_of([texts[index] for index in range(len(order))], *common)
    scratch = Scratch.at(folder)
    target = scratch.folder / part_name(number)
    partial = scratch.folder / f".{part_name(number)}-{secrets.token_hex(8)}"
    write_part(frame, partial)
    partial.rename(target)
    numbers = scratch.save(f"numbers-{number:06d}", np.concatenate(rows) if rows else np.zeros(0, np.int64))
    return {"file": str(target), "numbers": numbers}
