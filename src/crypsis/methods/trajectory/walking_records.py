"""The records that walk down a noisy prefix tree: here, or in shards whose counts are added up.

The tree is public once its noise is drawn; which record is at which of its nodes is known where the records are. The
driver tells them how nodes are renumbered, split and joined, and asks which candidates they walk to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.row_ranks import count_keys
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import load
from crypsis.kernels.tree_growth import candidates, follow, tally
from crypsis.methods.summed_counts import sum_keys
from crypsis.shards.private import PrivateShard

MEMORY_PER_FILE_BYTE = 8  # of visits, and of where each record is
_MOST_DENSE = 1 << 22  # candidates that are counted in an array; more are sorted


@dataclass(frozen=True, eq=False)
class Visits:
    """Records as the tree reads them: record r has `locations[offsets[r]:offsets[r + 1]]` and `times` alike."""

    offsets: Int64s
    locations: Int32s
    times: Int32s
    n_locations: int
    n_times: int
    order: str

    def at(self, level: int, records: Int64s, what: str) -> Int32s:
        """The `locations` or `times` of the records at a level of the tree, or both as one number (`pairs`).

        Pairs are numbered in canonical order: by time, then by location.
        """
        where = self.offsets[:-1][records] + level
        if what == "pairs":
            pairs = self.times[where].astype(np.int64) * self.n_locations + self.locations[where]
            return pairs.astype(np.int32)
        return self.locations[where] if what == "locations" else self.times[where]


class WalkingRecords(Protocol):
    """Records at the nodes of a tree."""

    n_records: int

    def tell(self, command: str, *given: Any) -> None:
        """A change of the nodes, by the name of a method of `WalkersHere`."""
        ...

    def occupied(self, range_of: Int64s, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        """The candidates that records walk to, of `total`, ascending, and how many walk to each."""
        ...


class WalkersHere:
    """Records in this process: record `records[i]` is at node `nodes[i]` and has the value `values[i]`."""

    def __init__(self, visits: Visits, roots: Int64s | None = None) -> None:
        """With `roots` a forest: the tree of each record."""
        self.visits = visits
        self.n_records = len(visits.offsets) - 1
        self.records = np.arange(self.n_records)
        self.nodes = np.zeros(self.n_records, np.int64) if roots is None else roots
        self.values: Int32s = np.zeros(self.n_records, np.int32)
        self.waiting: list[tuple[Int64s, Int32s, Int64s]] = []

    def tell(self, command: str, *given: Any) -> None:
        getattr(self, command)(*given)

    def begin(self, level: int) -> None:
        """Records without a visit at this level are left behind."""
        longer = np.diff(self.visits.offsets)[self.records] > level
        self.records, self.nodes, self.values = self.records[longer], self.nodes[longer], self.values[longer]

    def look_at(self, level: int, what: str) -> None:
        """From now on the values are these of the visits at a level."""
        self.values = self.visits.at(level, self.records, what)

    def renumber(self, number: Int64s) -> None:
        """Node n becomes `number[n]`; records at nodes that get -1 are left behind."""
        self.nodes, self.values, self.records = follow(self.nodes, self.values, self.records, number)

    def split(self, leaving: Int64s, staying: Int64s) -> None:
        """Records at nodes that have a number in `leaving` wait under it, the others go on under that in `staying`."""
        self.waiting.append(follow(self.nodes, self.values, self.records, leaving))
        self.renumber(staying)

    def join(self, shifts: Sequence[int]) -> None:
        """Those that wait and those that went on are together again, each group behind the one before."""
        groups = [*self.waiting, (self.nodes, self.values, self.records)]
        self.nodes = np.concatenate([group[0] + shift for group, shift in zip(groups, shifts, strict=True)])
        self.values = np.concatenate([group[1] for group in groups])
        self.records = np.concatenate([group[2] for group in groups])
        self.waiting = []

    def rank(self, rank: Int64s) -> None:
        """Every node gets another number."""
        self.nodes = rank[self.nodes]

    def occupied(self, range_of: Int64s, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        self.reached = candidates(self.nodes, self.values, range_of, begin, start)
        if total > _MOST_DENSE:
            return count_keys(self.reached)
        counts = tally(self.reached, total)
        keys = np.flatnonzero(counts)
        return keys, counts[keys]

    def survive(self, survivors: Int64s, total: int) -> None:
        """The candidates that live on, which rise, are the nodes from now on; other records are left behind."""
        reached, slots = self.reached, total
        if total > _MOST_DENSE:
            slot = np.searchsorted(survivors, reached)
            hit = slot < len(survivors)
            hit[hit] = survivors[slot[hit]] == reached[hit]
            reached, slots = np.where(hit, slot, len(survivors)), len(survivors) + 1
            survivors = np.arange(len(survivors))
        slot_of = np.full(slots, -1, np.int64)
        slot_of[survivors] = np.arange(len(survivors))
        self.nodes, self.values, self.records = follow(reached, self.values, self.records, slot_of)


class WalkerShard(WalkersHere):
    """The records of a shard, which stay where they are."""

    def __init__(self, shard: PrivateShard) -> None:
        super().__init__(load(shard.file))

    def answer(
        self, told: Sequence[tuple[str, tuple[Any, ...]]], range_of: Int64s, begin: Int64s, start: Int64s, total: int
    ) -> tuple[Int64s, Int64s]:
        """`occupied`, after what was told since the last question."""
        for command, given in told:
            self.tell(command, *given)
        return self.occupied(range_of, begin, start, total)


class WalkersInShards:
    """Records in shards. Only whole numbers come to the driver, and are the same however the records are cut."""

    def __init__(self, shards: Sequence[PrivateShard], executor: Executor) -> None:
        self.n_records = sum(shard.rows for shard in shards)
        self._resident = resident_nearby(executor, WalkerShard, shards)
        self._told: list[tuple[str, tuple[Any, ...]]] = []

    def tell(self, command: str, *given: Any) -> None:
        self._told.append((command, given))

    def occupied(self, range_of: Int64s, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        told, self._told = self._told, []
        return sum_keys(self._resident.call("answer", told, range_of, begin, start, total))
