"""From shards of sets or trajectories to sorted parts: an external sort over all rows, by their symbols.

Each shard is published, compared with its records and sorted; the driver picks splitters from every `SAMPLE`-th row;
each range between two of them is merged by itself and cut where parts begin.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.data.symbols import Symbols
from crypsis.errors import VerificationFailed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.row_order import sorted_rows
from crypsis.methods.scaling import RecodedRecords
from crypsis.publication.kind import PublishedKind
from crypsis.publication.table_parts import PARTS, part_name, part_rows
from crypsis.run_context import RunContext
from crypsis.shards.ragged import joined_rows
from crypsis.verifiers.counted_rows import added_checksums, row_checksum

SAMPLE = 1024
BYTES_PER_VALUE = 64  # of a range while it is merged


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """The files of the parts in order, and a file with the input number of every row of each part.

    `symbols` is one row that shows every published symbol, `original` one that holds everything that occurs.
    """

    files: tuple[str, ...]
    numbers: tuple[str, ...]
    n_records: int
    symbols: Any
    original: Any
    checksum: tuple[int, int]
    seeds: tuple[int, ...]


def sort_records(
    recoded: RecodedRecords, kind: PublishedKind, executor: Executor, context: RunContext
) -> SortedRecords:
    """Write the published rows as sorted parts into scratch."""
    scratch = executor.scratch.below("published")
    folder = str(scratch.folder)
    (scratch.folder / kind.files[PARTS]).mkdir(mode=0o700)
    seeds = tuple(secrets.randbits(63) for _ in range(2))
    with context.stage("publish"):
        runs = executor.map(
            publish_run, list(enumerate(recoded.shards)), folder, recoded.publish, recoded.common, seeds, kind
        )
        for one in runs:
            if one["problem"] is not None:
                raise VerificationFailed(f"Nothing was written: {one['problem']}.")
        symbols = kind.settled(recoded.symbols, np.sum([run["occurrences"] for run in runs], axis=0))
        kind.write_beside_parts(scratch.folder, symbols)
    with context.stage("sort"):
        n_records = sum(run["rows"] for run in runs)
        files = [run["file"] for run in runs]
        splitters = _splitters([load(run["sample"]) for run in runs], n_records, executor)
        pieces = executor.exchange(cut_run, files, len(splitters) + 1, splitters)
        ranges = executor.map(merge_range, list(enumerate(pieces)), folder)
        starts = np.concatenate([[0], np.cumsum([one["rows"] for one in ranges])]).tolist()
        work = [
            (
                index,
                [
                    (one["file"], max(first - start, 0), min(last, end) - start)
                    for one, (start, end) in zip(ranges, pairwise(starts), strict=True)
                    if start < last and end > first
                ],
            )
            for index, (first, last) in enumerate(part_rows(n_records))
        ]
        parts = executor.map(write_sorted_part, work, folder, symbols, kind)
    return SortedRecords(
        tuple(part["file"] for part in parts),
        tuple(part["numbers"] for part in parts),
        n_records,
        symbols,
        recoded.original,
        added_checksums([run["checksum"] for run in runs]),
        seeds,
    )


def publish_run(
    numbered: tuple[int, Any],
    folder: str,
    publish: Any,
    common: Sequence[Any],
    seeds: Sequence[int],
    kind: PublishedKind,
) -> dict[str, Any]:
    """Publish a shard, compare it with what it was made of, and sort its rows; equal ones stay in the input's order."""
    number, shard = numbered
    published, original = publish(shard, *common)
    offsets, ranks = kind.ranked_rows(published)
    made_of = getattr(published, "input_rows", None)
    rows = shard.first + (np.arange(len(published)) if made_of is None else made_of)
    order = sorted_rows(offsets, ranks)
    run = _taken(offsets, ranks, rows, order)
    sample = _taken(*run, np.arange(SAMPLE // 2, len(order), SAMPLE))
    scratch = Scratch.at(folder)
    symbols = published.symbols
    return {
        "problem": kind.problem_of_shard(published, original),
        "file": scratch.save(f"run-{number:06d}", run),
        "sample": scratch.save(f"sample-{number:06d}", sample[:2]),
        "rows": len(order),
        "occurrences": np.bincount(published.codes, minlength=len(symbols)).astype(np.int64),
        "checksum": row_checksum(run[0], _number_of_rank(symbols)[run[1]] if len(run[1]) else run[1], seeds),
    }


def _number_of_rank(symbols: Symbols) -> Int32s:
    """By rank: the number of the symbol among all sets of labels; symbols with the same labels have one number."""
    names = [symbols.label_lists[code] for code in np.argsort(symbols.rank).tolist()]
    new = [index == 0 or name != names[index - 1] for index, name in enumerate(names)]
    return (np.cumsum(new) - 1).astype(np.int32)


def _taken(offsets: Int64s, ranks: Int32s, rows: Int64s, chosen: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    taken, positions = take_records(offsets, chosen)
    return taken, ranks[positions], rows[chosen]


def _splitters(samples: Sequence[tuple[Int64s, Int32s]], n_records: int, executor: Executor) -> list[tuple[int, ...]]:
    """Rows that divide all others into ranges that a worker can hold; equal rows are never divided."""
    offsets, ranks = joined_rows(samples)
    n_sampled = len(offsets) - 1
    values = n_records * (1 + len(ranks) // max(n_sampled, 1))
    n_ranges = -(-values * BYTES_PER_VALUE // executor.memory)
    if n_ranges < 2 or n_sampled < 2:
        return []
    chosen = sorted_rows(offsets, ranks)[np.arange(1, n_ranges) * n_sampled // n_ranges]
    return sorted({_row(offsets, ranks, int(row)) for row in chosen})


def _row(offsets: Int64s, ranks: Int32s, row: int) -> tuple[int, ...]:
    return tuple(ranks[offsets[row] : offsets[row + 1]].tolist())


def cut_run(file: str, splitters: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, Any]]:
    """A sorted run by ranges."""
    offsets, ranks, rows = load(file)
    every = range(len(rows))
    inner = [bisect_right(every, splitter, key=lambda row: _row(offsets, ranks, row)) for splitter in splitters]
    for target, (first, last) in enumerate(pairwise([0, *inner, len(rows)])):
        if first < last:
            yield target, _taken(offsets, ranks, rows, np.arange(first, last))


def merge_range(numbered: tuple[int, Sequence[str]], folder: str) -> dict[str, Any]:
    """All rows between two splitters, sorted; equal ones in the order of the input."""
    number, files = numbered
    pieces = [load(file) for file in files]
    offsets, ranks = joined_rows([piece[:2] for piece in pieces])
    rows = np.concatenate([piece[2] for piece in pieces]) if pieces else np.zeros(0, np.int64)
    merged = _taken(offsets, ranks, rows, sorted_rows(offsets, ranks))
    return {"file": Scratch.at(folder).save(f"range-{number:06d}", merged), "rows": len(rows)}


def write_sorted_part(
    work: tuple[int, Sequence[tuple[str, int, int]]], folder: str, symbols: Any, kind: PublishedKind
) -> dict[str, Any]:
    """One part of the release, as it is published, and the input numbers of its rows."""
    number, wanted = work
    pieces = []
    for file, first, last in wanted:
        held_offsets, held_ranks, held_rows = load(file)
        pieces.append(_taken(held_offsets, held_ranks, held_rows, np.arange(first, last)))
    offsets, ranks = joined_rows([piece[:2] for piece in pieces])
    symbol_of_rank = np.argsort(symbols.symbols.rank).astype(np.int32)
    part = replace(symbols, offsets=offsets, codes=symbol_of_rank[ranks] if len(ranks) else ranks)
    scratch = Scratch.at(folder)
    target = scratch.folder / kind.files[PARTS] / part_name(number)
    partial = scratch.folder / f".{part_name(number)}-{secrets.token_hex(8)}"
    kind.write_part(part, partial)
    partial.rename(target)
    rows = np.concatenate([piece[2] for piece in pieces]) if pieces else np.zeros(0, np.int64)
    return {"file": str(target), "numbers": scratch.save(f"numbers-{number:06d}", rows)}


def write_parts(kind: PublishedKind, published: Any, folder: Path) -> None:
    """Sorted rows in memory as the same parts."""
    folder.mkdir(exist_ok=True)
    for index, (first, last) in enumerate(part_rows(len(published))):
        kind.write_part(published.take(np.arange(first, last)), folder / part_name(index))
