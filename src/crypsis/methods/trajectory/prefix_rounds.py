"""How long a beginning of each trajectory k share, on shards: beginnings are counted level by level and summed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crypsis.arrays import Int64s
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.shards.ragged import RaggedShard


class PrefixShard:
    """The trajectories of a shard, the beginning that each still shares with k, and how long it is."""

    def __init__(self, shard: RaggedShard, n_codes: int) -> None:
        self.offsets, self.codes = shard.read()
        self.n_codes = max(n_codes, 1)
        self.shared = np.zeros(shard.rows, np.int64)
        self.open = np.arange(shard.rows)  # trajectories that share all of their beginning so far
        self.node = np.zeros(shard.rows, np.int64)  # of those

    def count(self) -> tuple[Int64s, Int64s]:
        """The beginnings that are one visit longer, and how many trajectories have each."""
        longer = self.offsets[self.open] + self.shared[self.open] < self.offsets[self.open + 1]
        self.open, self.node = self.open[longer], self.node[longer]
        self.keys = self.node * self.n_codes + self.codes[self.offsets[self.open] + self.shared[self.open]]
        keys, counts = np.unique(self.keys, return_counts=True)
        return keys, counts.astype(np.int64)

    def advance(self, kept: Int64s) -> None:
        """Trajectories with a beginning that is kept go on; it is known by its place among them."""
        place = np.searchsorted(kept, self.keys)
        stays = kept[np.minimum(place, len(kept) - 1)] == self.keys if len(kept) else np.zeros(len(place), np.bool_)
        self.open, self.node = self.open[stays], place[stays]
        self.shared[self.open] += 1

    def lengths(self) -> Int64s:
        return self.shared


def shared_beginnings(shards: Sequence[RaggedShard], n_codes: int, k: int, executor: Executor) -> tuple[Int64s, int]:
    """Of each trajectory the visits of its longest beginning that k share, and how many beginnings these are."""
    resident = resident_nearby(executor, PrefixShard, shards, n_codes)
    n_kept = 0
    while True:
        counted = resident.call("count")
        keys, place = np.unique(np.concatenate([keys for keys, _ in counted]), return_inverse=True)
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, place, np.concatenate([counts for _, counts in counted]))
        kept = keys[counts >= k]
        n_kept += len(kept)
        resident.call("advance", kept)
        if not len(kept):
            break
    lengths: Int64s = np.concatenate(resident.call("lengths"))
    resident.close()
    return lengths, n_kept
