"""From runs of disassociated records to sorted parts: an external sort of roots by their text.

Each run is published, compared with its records and put in canonical order. The driver picks splitters from every
`SAMPLE`-th text; each range between two of them is merged by itself, and parts are cut between roots.
"""

from __future__ import annotations

import secrets
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crypsis.arrays import Int64s, offsets_of, take_records
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import with_root_texts
from crypsis.data.forest_parts import join_forests, root_offsets, root_sizes, take_roots
from crypsis.errors import VerificationFailed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.guarantees import DisassociationAnonymity, Guarantee
from crypsis.methods.scaling import RecodedForests
from crypsis.publication.disassociated import DisassociatedKind, roots_of_parts
from crypsis.publication.table_parts import PARTS, part_name
from crypsis.run_context import RunContext
from crypsis.verifiers.counted_rows import added_checksums as added_row_checksums
from crypsis.verifiers.counted_rows import row_checksum
from crypsis.verifiers.disassociation import problem_of_run
from crypsis.verifiers.forest_parts import added_checksums, checksum_of

SAMPLE = 64
BYTES_PER_BYTE = 24  # of the text of a range while it is merged
Slice = list[tuple[str, int, int]]  # files of ranges, with the first root and the end in each


@dataclass(frozen=True, eq=False)
class SortedForests:
    """The files of the parts in order, and a file with the records of each part and the cluster of each. `symbols` is a
    forest without nodes that knows every term; `original` has all terms and how many records hold each."""

    files: tuple[str, ...]
    numbers: tuple[str, ...]
    n_records: int
    symbols: DisassociatedTransactions
    original: Any
    n_empty: int
    checksum: int  # of the texts of all roots, keyed by `seed`
    seed: bytes


class Roots(NamedTuple):
    """Roots in canonical order, the text of each, and the records of each node, by their numbers."""

    forest: DisassociatedTransactions
    texts: list[bytes]
    offsets: Int64s
    records: Int64s

    def take(self, chosen: Int64s) -> Roots:
        """Some of them, in the order given."""
        _, nodes = take_records(root_offsets(self.forest), chosen)
        offsets, positions = take_records(self.offsets, nodes)
        texts = [self.texts[root] for root in chosen.tolist()]
        return Roots(take_roots(self.forest, chosen), texts, offsets, self.records[positions])

    @classmethod
    def joined(cls, pieces: Sequence[Roots]) -> Roots:
        """One behind the other; there must be one."""
        return cls(
            join_forests([piece.forest for piece in pieces]),
            [text for piece in pieces for text in piece.texts],
            offsets_of(np.concatenate([np.diff(piece.offsets) for piece in pieces])),
            np.concatenate([piece.records for piece in pieces]),
        )


def sort_forests(
    recoded: RecodedForests, promised: Guarantee, executor: Executor, context: RunContext
) -> SortedForests:
    """Write the roots of all runs as sorted parts into scratch."""
    kind = DisassociatedKind()
    scratch = executor.scratch.below("published")
    folder = str(scratch.folder)
    (scratch.folder / kind.files[PARTS]).mkdir(mode=0o700)
    seed, row_seeds = secrets.token_bytes(16), tuple(secrets.randbits(63) for _ in range(2))
    with context.stage("publish"):
        work = list(enumerate(recoded.runs))
        runs = executor.map(publish_run, work, folder, recoded.publish, recoded.common, promised, seed, row_seeds)
        for run in runs:
            if run["problem"] is not None:
                raise VerificationFailed(f"Nothing was written: {run['problem']}.")
        originals = executor.map(checksum_of_shard, recoded.shards, row_seeds)
        if added_row_checksums(originals) != added_row_checksums([run["records"] for run in runs]):
            raise VerificationFailed("Nothing was written: the clusters do not hold the records of the data.")
    with context.stage("sort"):
        samples = sorted(text for run in runs for text in load(run["sample"]))
        in_all = sum(run["bytes"] for run in runs) * BYTES_PER_BYTE
        n_ranges = max(1, -(-in_all // executor.memory))
        inner = {samples[len(samples) * index // n_ranges] for index in range(1, n_ranges)} if samples else set()
        splitters = scratch.save("splitters", sorted(inner))
        pieces = executor.exchange(cut_run, [run["file"] for run in runs], len(inner) + 1, splitters)
        ranges = executor.map(merge_range, [(index, files) for index, files in enumerate(pieces) if files], folder)
        parts = _write_parts(ranges, recoded.n_empty, kind, executor, folder)
    return SortedForests(
        tuple(part["file"] for part in parts),
        tuple(part["numbers"] for part in parts),
        sum(int(one["sizes"].sum()) for one in ranges),
        runs[0]["symbols"],
        recoded.original,
        recoded.n_empty,
        added_checksums([run["checksum"] for run in runs]),
        seed,
    )


def _write_parts(
    ranges: Sequence[dict[str, Any]], n_empty: int, kind: DisassociatedKind, executor: Executor, folder: str
) -> list[dict[str, Any]]:
    """Parts of the roots of all ranges, each with the number of its first node."""
    starts = offsets_of(np.array([len(one["sizes"]) for one in ranges])).tolist()
    first_node = offsets_of(np.concatenate([one["nodes"] for one in ranges])).tolist()
    work = []
    for index, (first, last) in enumerate(roots_of_parts(np.concatenate([one["sizes"] for one in ranges]))):
        wanted: Slice = [
            (one["file"], max(first - start, 0), min(last, end) - start)
            for one, (start, end) in zip(ranges, pairwise(starts), strict=True)
            if start < last and end > first
        ] or [(ranges[0]["file"], 0, 0)]
        work.append((index, wanted, first_node[first]))
    parts: list[dict[str, Any]] = executor.map(write_sorted_part, work, folder, n_empty, kind)
    return parts


def publish_run(
    numbered: tuple[int, Any],
    folder: str,
    publish: Any,
    common: Sequence[Any],
    promised: Guarantee,
    seed: bytes,
    row_seeds: Sequence[int],
) -> dict[str, Any]:
    """Publish a run of clusters, compare it with its records and put its roots in order."""
    number, run = numbered
    published, original, records = publish(run, *common)
    assert isinstance(promised, DisassociationAnonymity)
    problem = problem_of_run(published, original, promised)
    ordered, texts = with_root_texts(published)
    leaf = ordered.leaf_of_record
    assert leaf is not None
    by_leaf = np.lexsort((records, leaf))
    held = offsets_of(np.bincount(leaf, minlength=ordered.n_nodes))
    scratch = Scratch.at(folder)
    roots = Roots(replace(ordered, leaf_of_record=None), texts, held, records[by_leaf])
    return {
        "problem": problem,
        "file": scratch.save(f"run-{number:06d}", roots),
        "sample": scratch.save(f"sample-{number:06d}", texts[SAMPLE // 2 :: SAMPLE]),
        "bytes": sum(map(len, texts)),
        "checksum": checksum_of(texts, seed),
        "records": row_checksum(original.offsets, original.items, row_seeds),
        "symbols": take_roots(replace(published, leaf_of_record=None), np.zeros(0, np.int64)),
    }


def checksum_of_shard(shard: Any, row_seeds: Sequence[int]) -> tuple[int, int]:
    """A keyed sum over the records of a shard that are not empty."""
    offsets, codes = shard.read()
    lengths = np.diff(offsets)
    return row_checksum(offsets_of(lengths[lengths > 0]), codes, row_seeds)


def cut_run(file: str, splitters: str) -> Iterator[tuple[int, Roots]]:
    """The roots of a run by ranges; equal roots are never divided."""
    run: Roots = load(file)
    inner = [bisect_right(run.texts, splitter) for splitter in load(splitters)]
    for target, (first, last) in enumerate(pairwise([0, *inner, len(run.texts)])):
        if first < last or target == 0:  # what is in no range still has a vocabulary
            yield target, run.take(np.arange(first, last))


def merge_range(numbered: tuple[int, Sequence[str]], folder: str) -> dict[str, Any]:
    """All roots between two splitters, sorted; equal ones in the order of the runs."""
    number, files = numbered
    roots = Roots.joined([load(file) for file in files])
    roots = roots.take(np.array(sorted(range(len(roots.texts)), key=roots.texts.__getitem__), np.int64))
    file = Scratch.at(folder).save(f"range-{number:06d}", roots)
    return {"file": file, "sizes": root_sizes(roots.forest), "nodes": np.diff(root_offsets(roots.forest))}


def write_sorted_part(
    work: tuple[int, Slice, int], folder: str, n_empty: int, kind: DisassociatedKind
) -> dict[str, Any]:
    """One part of the release, as it is published, and the records of its clusters."""
    number, wanted, first_node = work
    pieces: list[Roots] = [load(file).take(np.arange(first, last)) for file, first, last in wanted]
    roots = Roots.joined(pieces)
    scratch = Scratch.at(folder)
    target = scratch.folder / kind.files[PARTS] / part_name(number)
    partial = scratch.folder / f".{part_name(number)}-{secrets.token_hex(8)}"
    kind.write_part(replace(roots.forest, empty_records=0 if number else n_empty), partial)
    partial.rename(target)
    clusters = first_node + np.repeat(np.arange(roots.forest.n_nodes), np.diff(roots.offsets))
    return {"file": str(target), "numbers": scratch.save(f"numbers-{number:06d}", (roots.records, clusters))}
