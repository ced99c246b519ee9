"""Merging on shards: each shard counts its own subsequences, and what is merged is decided here from the sums.

Individuals are whole in a shard, so supports and counts add up. Merges, their order and every rounding of distances are
those of data in memory: the places live here, and the kernels that join and compare them are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import InternalError, TooLarge
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_groups
from crypsis.kernels.nearest_merging import join_places, join_records, nearest_partner, suppress_symbol
from crypsis.kernels.subsequences import counts_of
from crypsis.methods.scaling import RecodedRecords
from crypsis.methods.trajectory.global_recoding import private_facts, published_recoding
from crypsis.methods.trajectory.merging import (
    NO_GUIDANCE,
    Guidance,
    LocationPartition,
    SymbolSlots,
    check_countable,
    count_records,
    sequences_of,
)
from crypsis.run_context import RunContext
from crypsis.shards.people_of_records import first_of_each
from crypsis.shards.ragged import RaggedShard, joined_rows
from crypsis.shards.records import EncodedTrajectories

ASKED_AT_ONCE = 256  # at least, and twice as many after each question that led to no merge
MOST_ASKED = 1 << 16
BYTES_OF_RARE = 20_000_000 * 16  # of the driver's list of rare subsequences
KEYS_PER_RANGE = 1 << 21


class MergingShards:
    """The trajectories of some shards, cut to `longest` visits, and how many share each subsequence of one size.

    One table of counts serves all of them: with ten thousand places it takes 400 MiB, however few trajectories."""

    def __init__(self, shards: Sequence[RaggedShard], longest: int | None) -> None:
        self.offsets, self.codes = joined_rows([shard.read() for shard in shards])
        self.bounds = bounds_of_individuals(shards)
        if longest is not None:
            self._keep(np.arange(len(self.codes)) - np.repeat(self.offsets[:-1], np.diff(self.offsets)) < longest)

    def _keep(self, stays: Bools) -> None:
        rows = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        self.offsets = offsets_of(np.bincount(rows[stays], minlength=len(self.offsets) - 1))
        self.codes = self.codes[stays]

    def occurs(self, n_locations: int) -> Bools:
        """Which locations are visited."""
        return np.bincount(self.codes, minlength=n_locations) > 0

    def begin(self, slots: SymbolSlots, size: int) -> tuple[Int64s, int]:
        """Count subsequences of one size; supports of slots, and how many subsequences there are."""
        self.stamp = 0
        self._keep(slots.slot_of_code[self.codes] >= 0)  # visits to what was suppressed are gone
        self.records = slots.records(sequences_of(self.offsets, self.codes, self.bounds))
        self.scratch, self.tally = count_records(self.records.sequences, size, slots.base, RunContext())
        self.found = self.pairs = np.empty((2, 1024), np.int64)
        return self.records.support.copy(), int(np.count_nonzero(self.tally.counts))

    def counts_between(self, low: int, high: int) -> tuple[Int64s, Int64s]:
        """The subsequences of a range, and how many individuals share each."""
        keys, counts, _ = self.tally
        if len(keys) == 0:
            in_range = low + np.flatnonzero(counts[low:high])
            return in_range, counts[in_range].astype(np.int64)
        entries = np.flatnonzero((keys >= low) & (keys < high) & (counts > 0))
        return keys[entries], counts[entries].astype(np.int64)

    def ask(self, merges: Sequence[tuple[int, int]], keys: Int64s) -> tuple[Int64s, Int64s]:
        """Make the merges of slots; then the counts of subsequences, and the supports of the merged slots."""
        for kept, gone in merges:
            self.stamp += 1
            self.tally, self.found, self.pairs = join_records(
                self.records, kept, gone, self.stamp, self.scratch, self.tally, self.found, self.pairs
            )
        return counts_of(self.tally, keys), self.records.support[[kept for kept, _ in merges]]


def bounds_of_individuals(shards: Sequence[RaggedShard]) -> Int64s:
    """Where the trajectories of each individual begin, one shard after another, and where the last ones end."""
    ends, passed = [np.zeros(1, np.int64)], 0
    for shard in shards:
        persons = shard.persons()
        own = np.arange(shard.rows) if persons is None else first_of_each(persons)
        ends.append(passed + np.append(own[1:], shard.rows) if shard.rows else own)
        passed += shard.rows
    return np.concatenate(ends)


def summed_counts(answers: Sequence[tuple[Int64s, Int64s]], low: int, high: int) -> tuple[Int64s, Int64s]:
    """Keys of a range, ascending, and their counts in all answers, in each of which a key stands once."""
    if high - low <= 16 * sum(len(keys) for keys, _ in answers):
        summed = np.zeros(high - low, np.int64)
        for keys, counts in answers:
            summed[keys - low] += counts
        held = np.flatnonzero(summed)
        return low + held, summed[held]
    every, place = np.unique(np.concatenate([keys for keys, _ in answers]), return_inverse=True)
    total = np.zeros(len(every), np.int64)
    np.add.at(total, place, np.concatenate([counts for _, counts in answers]))
    return every, total


def recode(
    data: Trajectories, representatives: Int32s, longest: int | None, suppressed: Sequence[str]
) -> PublishedTrajectories:
    """Trajectories in symbols."""
    kept = data if longest is None else data.truncated(longest)
    return published_recoding(kept, representatives, longest, suppressed)


def recode_shard(
    shard: RaggedShard, locations: Locations, *common: Any
) -> tuple[PublishedTrajectories, Trajectories, Int64s]:
    """The trajectories of a shard as they are published, as they were, and their numbers in the input."""
    original = Trajectories(*shard.read(), locations)
    return recode(original, *common), original, shard.first + np.arange(shard.rows)


class ShardMerging(LocationPartition):
    """Locations merged, and with groups suppressed, until subsequences are shared by k individuals of all shards."""

    def __init__(
        self,
        data: EncodedTrajectories,
        coordinates: tuple[Float64s, Float64s],
        executor: Executor,
        longest: int | None = None,
        guidance: Guidance = NO_GUIDANCE,
    ) -> None:
        self._resident = resident_groups(executor, MergingShards, data.whole_people, longest)
        occurs = data.occurring
        if longest is not None:  # what only lies behind the cut takes no part
            occurs = np.any(self._resident.call("occurs", len(data.locations)), axis=0)
        super().__init__(data.locations, occurs, *coordinates, guidance)

    def make_frequent(self, size: int, k: int, context: RunContext) -> None:
        """Merge until every subsequence of this size is shared by k individuals or by none."""
        with context.stage(f"count size {size}"):
            slots = SymbolSlots.of(self)
            check_countable(slots.base, size)
            self._resident.snapshot()
            begun = self._resident.call("begin", slots, size)
            support = np.sum([one for one, _ in begun], axis=0) if begun else np.zeros(slots.base, np.int64)
            rare = self._rare(slots.base**size, sum(held for _, held in begun), k)
        with context.stage(f"merge size {size}"):
            self._work_through(rare, slots, support, size, k, context)
            self._drop_suppressed()

    def published(
        self, data: EncodedTrajectories, longest: int | None, context: RunContext
    ) -> PublishedTrajectories | RecodedRecords:
        """The trajectories in the symbols that were made, of many the shards; what is told of them to the publisher
        alone is noted."""
        self._resident.close()
        suppressed = [label for symbol in self.suppressed for label in symbol]
        if data.is_large:
            representatives = self.representatives()
            shown = np.flatnonzero(representatives >= 0).astype(np.int32)
            every = replace(data.one_of_each, offsets=np.array([0, len(shown)], np.int64), codes=shown)
            symbols = published_recoding(every, representatives, longest, suppressed)
            common = (data.locations, representatives, longest, suppressed)
            context.private["merges"] = self.merges.to_pairs()
            context.private["partition"] = [list(names) for names in symbols.symbols.label_lists]
            return RecodedRecords(data.shards, recode_shard, symbols, data.one_of_each, common)
        with context.stage("publish"):
            published = recode(data.whole, self.representatives(), longest, suppressed)
            context.private.update(private_facts(data.whole, published, self.merges))
        return published

    def _rare(self, possible: int, held: int, k: int) -> np.ndarray[Any, Any]:
        """Subsequences of some, but fewer than k individuals: rarest first, equal ones in packed order."""
        n_ranges = max(-(-held // KEYS_PER_RANGE), 1)
        bounds = [possible * index // n_ranges for index in range(n_ranges + 1)]
        keys_type = np.uint32 if possible <= 1 << 32 else np.int64
        by_support: list[list[np.ndarray[Any, Any]]] = [[] for _ in range(k)]
        n_rare, most = 0, BYTES_OF_RARE // (np.dtype(keys_type).itemsize + 1)  # a byte says which are settled
        for low, high in pairwise(bounds):
            answers = self._resident.call("counts_between", low, high)
            keys, counts = summed_counts(answers, low, high) if answers else (np.zeros(0, np.int64),) * 2
            for support in range(1, k):
                found = keys[counts == support].astype(keys_type)
                by_support[support].append(found)
                n_rare += len(found)
            if n_rare > most:
                raise TooLarge(
                    f"More than {most:,} subsequences are rare, which is too many to look at; lower m or k, "
                    "or merge locations into a coarser table first."
                )
        listed = [found for support in by_support for found in support]
        return np.concatenate([*listed, np.zeros(0, keys_type)])

    def _work_through(
        self, rare: np.ndarray[Any, Any], slots: SymbolSlots, support: Int64s, size: int, k: int, context: RunContext
    ) -> None:
        base = slots.base
        image = np.arange(base)  # by slot: the slot it was merged into, or itself
        posted = support.copy()
        frequent = np.zeros(len(rare), np.bool_)
        powers = base ** np.arange(size - 1, -1, -1, dtype=np.int64)
        pending: list[tuple[int, int]] = []
        position, asked = 0, ASKED_AT_ONCE
        while position < len(rare):
            window = position + np.flatnonzero(~frequent[position : position + 16 * asked])[:asked]
            if not len(window):
                position += 16 * asked
                continue
            images = image[rare[window, None].astype(np.int64) // powers % base]
            answers = self._resident.call("ask", pending, images @ powers)
            counts = np.sum([one for one, _ in answers], axis=0)
            for index, (kept, _) in enumerate(pending):
                support[kept] = sum(int(supports[index]) for _, supports in answers)
            pending, asked = [], min(2 * asked, MOST_ASKED)
            frequent[window[counts >= k]] = True
            position = int(window[-1]) + 1
            for index in np.flatnonzero(counts < k).tolist():
                merge = self._mend(images[index], slots, support, posted)
                if merge is not None:
                    kept, gone = merge
                    image[image == gone] = kept
                    posted[kept] += posted[gone]
                    pending, position, asked = [merge], int(window[index]), ASKED_AT_ONCE
                    break
            context.report_progress(min(position / len(rare), 1.0))
        if pending:
            raise InternalError("A merge was not told to the shards. This is a bug; please report it.")

    def _mend(self, image: Int64s, slots: SymbolSlots, support: Int64s, posted: Int64s) -> tuple[int, int] | None:
        """Merge the rarest symbol of a rare subsequence: the slots that stay and go. None where it was suppressed."""
        roots, guide = slots.roots, self._guide
        if guide.suppressed[roots[image]].any():
            return None
        if self._places.n_free_rows[0] < 2:
            self._more_rows()
        places = self._places
        rarest = min(image.tolist(), key=lambda slot: (int(support[slot]), int(places.representative[roots[slot]])))
        root = int(roots[rarest])
        partner = int(nearest_partner(places, guide, root))
        if partner < 0:
            if not guide.may_suppress:
                raise InternalError("A feasible length ran out of symbols to merge. This is a bug; please report it.")
            suppress_symbol(places, guide, root)
            self._check_suppressed()
            return None
        kept, gone = rarest, int(slots.slot_of_root[partner])
        places.merges[int(places.n_merges[0])] = places.representative[[root, partner]]
        places.n_merges[0] += 1
        if posted[kept] < posted[gone]:
            kept, gone = gone, kept
        join_places(places, guide, int(roots[kept]), int(roots[gone]))
        return kept, gone
