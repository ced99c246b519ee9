"""An external sort of rows of different lengths: each shard sorts its own, ranges of all of them are merged.

A row is a list of numbers and the number of its record in the input; rows are ordered as lists, equal ones as in the
input. The driver picks splitters from every `SAMPLE`-th row; each range between two of them is merged by itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.kernels.row_order import sorted_rows
from crypsis.shards.ragged import joined_rows

SAMPLE = 1024
BYTES_PER_VALUE = 64  # of a range while it is merged
SHARE = 4  # a range takes a quarter of the memory of a worker: a part is cut from whole ranges
Rows = tuple[Int64s, Int32s, Int64s]  # offsets, values, numbers of the records
Slice = list[tuple[str, int, int]]  # files of ranges, with the first row and the end in each


@dataclass(frozen=True)
class Run:
    """The sorted rows of a shard in a file, and some of them."""

    file: str
    sample: str
    rows: int


def save_run(folder: str, number: int, offsets: Int64s, values: Int32s, records: Int64s) -> tuple[Run, Rows]:
    """Sort the rows of a shard and write them."""
    rows = _sorted((offsets, values, records))
    sample = take_rows(rows, np.arange(SAMPLE // 2, len(records), SAMPLE))
    scratch = Scratch.at(folder)
    run = Run(scratch.save(f"run-{number:06d}", rows), scratch.save(f"sample-{number:06d}", sample[:2]), len(records))
    return run, rows


def merge_runs(runs: Sequence[Run], executor: Executor, folder: str) -> list[tuple[str, int]]:
    """Files of ranges in order, each sorted, and how many rows each has."""
    splitters = _splitters([load(run.sample) for run in runs], sum(run.rows for run in runs), executor)
    pieces = executor.exchange(cut_run, [run.file for run in runs], len(splitters) + 1, splitters)
    return executor.map(merge_range, list(enumerate(pieces)), folder)


def slices_of(ranges: Sequence[tuple[str, int]], bounds: Sequence[tuple[int, int]]) -> list[Slice]:
    """Where the rows between each two bounds lie."""
    starts = np.concatenate([[0], np.cumsum([rows for _, rows in ranges])]).tolist()
    return [
        [
            (file, max(first - start, 0), min(last, end) - start)
            for (file, _), (start, end) in zip(ranges, pairwise(starts), strict=True)
            if start < last and end > first
        ]
        for first, last in bounds
    ]


def load_slice(wanted: Slice) -> Rows:
    """The rows of a slice."""
    pieces = [take_rows(load(file), np.arange(first, last)) for file, first, last in wanted]
    return _joined(pieces)


def take_rows(rows: Rows, chosen: Int64s) -> Rows:
    """Some of the rows, in the order given."""
    offsets, values, records = rows
    taken, positions = take_records(offsets, chosen)
    return taken, values[positions], records[chosen]


def _joined(pieces: Sequence[Rows]) -> Rows:
    records = np.concatenate([piece[2] for piece in pieces]) if pieces else np.zeros(0, np.int64)
    return *joined_rows([piece[:2] for piece in pieces]), records


def _splitters(samples: Sequence[tuple[Int64s, Int32s]], n_rows: int, executor: Executor) -> list[tuple[int, ...]]:
    """Rows that divide all others into ranges that a worker can hold; equal rows are never divided."""
    offsets, values = joined_rows(samples)
    n_sampled = len(offsets) - 1
    in_all = n_rows * (1 + len(values) // max(n_sampled, 1))
    n_ranges = -(-in_all * BYTES_PER_VALUE // (executor.memory // SHARE))
    if n_ranges < 2 or n_sampled < 2:
        return []
    chosen = sorted_rows(offsets, values)[np.arange(1, n_ranges) * n_sampled // n_ranges]
    return sorted({_row(offsets, values, int(row)) for row in chosen})


def _row(offsets: Int64s, values: Int32s, row: int) -> tuple[int, ...]:
    return tuple(values[offsets[row] : offsets[row + 1]].tolist())


def cut_run(file: str, splitters: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, Any]]:
    """A sorted run by ranges."""
    rows: Rows = load(file)
    every = range(len(rows[2]))
    inner = [bisect_right(every, splitter, key=lambda row: _row(rows[0], rows[1], row)) for splitter in splitters]
    for target, (first, last) in enumerate(pairwise([0, *inner, len(rows[2])])):
        if first < last:
            yield target, take_rows(rows, np.arange(first, last))


def merge_range(numbered: tuple[int, Sequence[str]], folder: str) -> tuple[str, int]:
    """All rows between two splitters, sorted; equal ones in the order of the input."""
    number, files = numbered
    merged = _sorted(_joined([load(file) for file in files]))
    return Scratch.at(folder).save(f"range-{number:06d}", merged), len(merged[2])


def _sorted(rows: Rows) -> Rows:
    in_order = take_rows(rows, np.argsort(rows[2], kind="stable"))
    return take_rows(in_order, sorted_rows(in_order[0], in_order[1]))
