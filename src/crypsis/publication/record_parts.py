"""From shards of sets or trajectories to sorted parts: an external sort over all rows, by their symbols.

Each shard is published, compared with its records and sorted; ranges of all are merged and cut where parts begin.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.symbols import Symbols
from crypsis.errors import VerificationFailed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch
from crypsis.methods.scaling import RecodedRecords
from crypsis.publication.kind import PublishedKind
from crypsis.publication.table_parts import PARTS, part_name, part_rows
from crypsis.run_context import RunContext
from crypsis.shards.ragged_sort import Slice, load_slice, merge_runs, save_run, slices_of
from crypsis.verifiers.counted_rows import added_checksums, row_checksum


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
            publish_run,
            list(enumerate(recoded.shards)),
            folder,
            recoded.publish,
            recoded.common,
            seeds,
            kind,
            recoded.truthful,
            recoded.apart,
        )
        for one in runs:
            if one["problem"] is not None:
                raise VerificationFailed(f"Nothing was written: {one['problem']}.")
        symbols = kind.settled(recoded.symbols, np.sum([run["occurrences"] for run in runs], axis=0))
        kind.write_beside_parts(scratch.folder, symbols)
    with context.stage("sort"):
        sorted_runs = [run["run"] for run in runs]
        n_records = sum(run.rows for run in sorted_runs)
        wanted = slices_of(merge_runs(sorted_runs, executor, folder), part_rows(n_records))
        parts = executor.map(write_sorted_part, list(enumerate(wanted)), folder, symbols, kind)
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
    truthful: bool,
    apart: bool,
) -> dict[str, Any]:
    """Publish a shard, compare it with what it was made of, and sort its rows; equal ones stay in the input's order."""
    number, shard = numbered
    published, original, rows = publish(shard, *common)
    run, sorted_run = save_run(folder, number, *kind.ranked_rows(published), rows)
    symbols = published.symbols
    ranks = sorted_run[1]
    compare = kind.problem_of_rows if apart else kind.problem_of_shard
    return {
        "problem": compare(published, original) if truthful else None,
        "run": run,
        "occurrences": np.bincount(published.codes, minlength=len(symbols)).astype(np.int64),
        "checksum": row_checksum(sorted_run[0], _number_of_rank(symbols)[ranks] if len(ranks) else ranks, seeds),
    }


def _number_of_rank(symbols: Symbols) -> Int32s:
    """By rank: the number of the symbol among all sets of labels; symbols with the same labels have one number."""
    names = [symbols.label_lists[code] for code in np.argsort(symbols.rank).tolist()]
    new = [index == 0 or name != names[index - 1] for index, name in enumerate(names)]
    return (np.cumsum(new) - 1).astype(np.int32)


def write_sorted_part(work: tuple[int, Slice], folder: str, symbols: Any, kind: PublishedKind) -> dict[str, Any]:
    """One part of the release, as it is published, and the input numbers of its rows."""
    number, wanted = work
    offsets, ranks, rows = load_slice(wanted)
    symbol_of_rank = np.argsort(symbols.symbols.rank).astype(np.int32)
    part = replace(symbols, offsets=offsets, codes=symbol_of_rank[ranks] if len(ranks) else ranks)
    scratch = Scratch.at(folder)
    target = scratch.folder / kind.files[PARTS] / part_name(number)
    partial = scratch.folder / f".{part_name(number)}-{secrets.token_hex(8)}"
    kind.write_part(part, partial)
    partial.rename(target)
    return {"file": str(target), "numbers": scratch.save(f"numbers-{number:06d}", rows)}


def write_parts(kind: PublishedKind, published: Any, folder: Path) -> None:
    """Sorted rows in memory as the same parts."""
    folder.mkdir(exist_ok=True)
    for index, (first, last) in enumerate(part_rows(len(published))):
        kind.write_part(published.take(np.arange(first, last)), folder / part_name(index))
