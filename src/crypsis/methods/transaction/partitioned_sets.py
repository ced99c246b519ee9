"""The records of noisy partitions: here, or in shards whose counts are added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.arrays.row_ranks import count_keys
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import load
from crypsis.kernels.set_partitions import child_masks
from crypsis.methods.summed_counts import sum_keys
from crypsis.methods.transaction.item_tree import ItemTree
from crypsis.shards.private import PrivateShard

MEMORY_PER_FILE_BYTE = 6  # of offsets and items, and of what is noted of each record in a step


class PartitionedSets(Protocol):
    """Sets of items, each in one partition. A partition is told apart by the children of a node that its sets touch."""

    sizes: Int64s  # by run: how many records with an item there are

    def occupied(self, nodes: Int64s, start: Int64s) -> tuple[Int64s, Int64s]:
        """The new partitions that hold a record, ascending, and how many each holds.

        Partition p is divided by `nodes[p]`, and is none any more where that is -1; its new partitions are numbered
        from `start[p]` on, by the set of children as bits, less 1.
        """
        ...

    def follow(self, alive: Int64s) -> None:
        """The partitions from now on are these of the new ones, which rise."""
        ...


class SetsHere:
    """Sets in this process. `offsets` and `items` are those of all records; partition p has `rows` from `starts[p]`."""

    def __init__(
        self, offsets: Int64s, items: Int32s, tree: ItemTree, *, roots: Int64s | None = None, n_roots: int = 1
    ) -> None:
        """With `roots`, which rise, for `n_roots` independent runs at once: the run of each record."""
        self.offsets, self.items = offsets, items
        self.low, self.high, self.first_child = tree.low, tree.high, tree.first_child
        self.rows = np.flatnonzero(np.diff(offsets) > 0)
        run_of = np.zeros(len(self.rows), np.int64) if roots is None else roots[self.rows]
        self.sizes = np.bincount(run_of, minlength=n_roots).astype(np.int64)
        self.starts = offsets_of(self.sizes)

    def occupied(self, nodes: Int64s, start: Int64s) -> tuple[Int64s, Int64s]:
        masks = child_masks(
            self.offsets, self.items, self.rows, self.starts, nodes, self.low, self.high, self.first_child
        )
        owner = np.repeat(np.arange(len(nodes)), np.diff(self.starts))
        moving = masks > 0
        self.rows, self.reached = self.rows[moving], start[owner[moving]] + masks[moving] - 1
        return count_keys(self.reached)

    def follow(self, alive: Int64s) -> None:
        slot = np.searchsorted(alive, self.reached)
        kept = slot < len(alive)
        kept[kept] = alive[slot[kept]] == self.reached[kept]
        rows, slot = self.rows[kept], slot[kept]
        self.starts = offsets_of(np.bincount(slot, minlength=len(alive)))
        self.rows = rows[np.argsort(slot, kind="stable")]


class SetShard(SetsHere):
    """The sets of a shard, which stay where they are."""

    def __init__(self, shard: PrivateShard, tree: ItemTree) -> None:
        offsets, items = load(shard.file)
        super().__init__(offsets, items, tree)

    def step(self, alive: Int64s | None, nodes: Int64s, start: Int64s) -> tuple[Int64s, Int64s]:
        """`follow` what lives on after the last step, if there was one, and take the next."""
        if alive is not None:
            self.follow(alive)
        return self.occupied(nodes, start)


class SetsInShards:
    """Sets in shards. Only whole numbers come to the driver, and are the same however the records are cut."""

    def __init__(self, shards: Sequence[PrivateShard], tree: ItemTree, executor: Executor) -> None:
        self.sizes = np.array([sum(shard.rows for shard in shards)], np.int64)
        self._resident = resident_nearby(executor, SetShard, shards, tree)
        self._alive: Int64s | None = None

    def occupied(self, nodes: Int64s, start: Int64s) -> tuple[Int64s, Int64s]:
        return sum_keys(self._resident.call("step", self._alive, nodes, start))

    def follow(self, alive: Int64s) -> None:
        self._alive = alive
