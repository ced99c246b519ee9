"""The second step of disassociation: record chunks and a term chunk for each cluster (VERPART)."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.executors.threads import even_ranges, map_in_threads
from crypsis.kernels.grouping import grouped
from crypsis.kernels.subrecord_bags import subrecord_bags
from crypsis.kernels.vertical_partition import TERM_CHUNK, vertical_partition
from crypsis.methods.transaction.horizontal_partition import Clusters
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.run_context import RunContext

COMBINATIONS = 10**8  # that the chunks of one cluster may cost
_SHARDS = 16
_OCCURRENCES_OF_A_SHARD = 50_000


@dataclass(frozen=True)
class Placement:
    """Pair p: the cluster leaf[p] has the term term[p] in its records postings[starts[p]:starts[p + 1]].

    chunk[p] is the record chunk of the cluster that holds it, -1 for the term chunk. Pairs are by cluster and term.
    """

    leaf: Int32s
    term: Int32s
    starts: Int64s
    chunk: Int32s
    postings: Int32s

    @property
    def supports(self) -> Int64s:
        return np.diff(self.starts)


@dataclass(frozen=True)
class Bags:
    """Chunks with their distinct subrecords: entries of each chunk, then counts, lengths and terms of the entries."""

    chunk_offsets: Int64s
    counts: Int64s
    lengths: Int64s
    terms: Int32s

    @property
    def sizes(self) -> Int64s:
        """The number of subrecords of each chunk, repetitions counted."""
        return np.add.reduceat(self.counts, self.chunk_offsets[:-1]) if len(self.chunk_offsets) > 1 else self.counts[:0]


def partition_vertically(
    records: RankedRecords, clusters: Clusters, k: int, m: int, min_causes: int, workers: int, context: RunContext
) -> Placement:
    """Which chunk of its cluster each term belongs to; `min_causes` above 0 asks for safe placement."""
    ends = np.concatenate(([0], np.cumsum(records.lengths[clusters.records])))
    occurrences = np.diff(ends[clusters.offsets])

    def of_range(bounds: tuple[int, int]) -> tuple[Int64s, Int32s, Int64s, Int32s, Int32s, int]:
        return vertical_partition(
            records.offsets, records.terms, clusters.records, clusters.offsets, *bounds,
            records.sensitive, k, m, min_causes, COMBINATIONS,
        )  # fmt: skip

    ranges = even_ranges(occurrences, _SHARDS, _OCCURRENCES_OF_A_SHARD)
    parts = map_in_threads(of_range, ranges, workers, context.report_progress)
    for part in parts:
        if part[-1] >= 0:
            size = int(clusters.sizes[part[-1]])
            raise TooLarge(
                f"A cluster of {size} records has too many combinations of {m} terms to check. Lower m, or "
                "max_cluster_size.",
                cluster_size=size,
            )
    pairs_of = np.concatenate([part[0] for part in parts])
    starts = np.concatenate([np.diff(part[2]) for part in parts])
    return Placement(
        np.repeat(np.arange(len(clusters), dtype=np.int32), pairs_of),
        np.concatenate([part[1] for part in parts]),
        offsets_of(starts),
        np.concatenate([part[3] for part in parts]),
        np.concatenate([part[4] for part in parts]),
    )


def demoted_at_random(placement: Placement, probability: float) -> Placement:
    """Each term of a record chunk goes to the term chunk with this probability, drawn by the operating system."""
    placed = np.flatnonzero(placement.chunk != TERM_CHUNK)
    draws = np.frombuffer(secrets.token_bytes(8 * len(placed)), np.uint64) >> np.uint64(11)
    chunk = placement.chunk.copy()
    chunk[placed[draws < probability * 2.0**53]] = TERM_CHUNK
    return replace(placement, chunk=chunk)


def record_chunks(placement: Placement, n_records: int, workers: int, context: RunContext) -> tuple[Int64s, Bags]:
    """The cluster of each record chunk, and the chunks."""
    placed = np.flatnonzero(placement.chunk != TERM_CHUNK)
    leaf = placement.leaf[placed].astype(np.int64)
    width = int(placement.chunk.max(initial=0)) + 1
    numbered = leaf * width + placement.chunk[placed]
    # Demotions may have emptied chunks: those that are left are numbered again.
    used = np.zeros((int(leaf.max(initial=-1)) + 1) * width, np.bool_)
    used[numbered] = True
    number = np.cumsum(used) - 1
    owner = np.flatnonzero(used) // width
    return owner, bags(placement, placed, number[numbered], len(owner), n_records, workers, context)


def bags(
    placement: Placement,
    pairs: Int64s,
    chunk_of_pair: Int64s,
    n_chunks: int,
    n_records: int,
    workers: int,
    context: RunContext,
) -> Bags:
    """The chunks made of these pairs, of equal terms next to each other; chunk numbers from 0 without gaps."""
    order, offsets = grouped(chunk_of_pair, n_chunks)
    pairs = pairs[order]
    ends = np.concatenate(([0], np.cumsum(placement.supports[pairs])))
    occurrences = np.diff(ends[offsets])
    parts = map_in_threads(
        lambda bounds: subrecord_bags(
            pairs, offsets, *bounds, placement.term, placement.starts, placement.postings, n_records
        ),
        even_ranges(occurrences, _SHARDS, _OCCURRENCES_OF_A_SHARD),
        workers,
        context.report_progress,
    )
    if not parts:
        return Bags(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32))
    entries, counts, lengths, terms = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Bags(offsets_of(entries), counts, lengths, terms)
