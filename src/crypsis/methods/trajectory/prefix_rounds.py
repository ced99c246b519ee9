"""How long a beginning of each trajectory k share, on shards: beginnings are counted level by level and summed.

Whoever has several trajectories is whole in a shard, and counts once for each beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.summed_counts import sum_keys
from crypsis.shards.ragged import RaggedShard


class PrefixShard:
    """The trajectories of a shard, the beginning that each still shares with k, and how long it is."""

    def __init__(self, shard: RaggedShard, n_codes: int) -> None:
        self.shard = shard
        self.offsets, self.codes = shard.read()
        self.n_codes = max(n_codes, 1)
        self.persons = shard.persons()
        self.shared = np.zeros(shard.rows, np.int64)
        self.open = np.arange(shard.rows)  # trajectories that share all of their beginning so far
        self.node = np.zeros(shard.rows, np.int64)  # of those

    def count(self) -> tuple[Int64s, Int64s]:
        """The beginnings that are one visit longer, and how many individuals have each."""
        longer = self.offsets[self.open] + self.shared[self.open] < self.offsets[self.open + 1]
        self.open, self.node = self.open[longer], self.node[longer]
        self.keys = self.node * self.n_codes + self.codes[self.offsets[self.open] + self.shared[self.open]]
        if self.persons is None:
            keys, counts = np.unique(self.keys, return_counts=True)
            return keys, counts.astype(np.int64)
        keys, place = np.unique(self.keys, return_inverse=True)
        crowd = int(self.persons.max(initial=0)) + 1
        pairs = np.unique(place * crowd + self.persons[self.open])
        return keys, np.bincount(pairs // crowd, minlength=len(keys)).astype(np.int64)

    def advance(self, kept: Int64s) -> None:
        """Trajectories with a beginning that is kept go on; it is known by its place among them."""
        place = np.searchsorted(kept, self.keys)
        stays = kept[np.minimum(place, len(kept) - 1)] == self.keys if len(kept) else np.zeros(len(place), np.bool_)
        self.open, self.node = self.open[stays], place[stays]
        self.shared[self.open] += 1

    def save(self, folder: str) -> BeginningsOfShard:
        """Write how long the shared beginnings are."""
        lengths = np.diff(self.offsets)
        place = np.arange(len(self.codes)) - np.repeat(self.offsets[:-1], lengths)
        shown = self.codes[place < np.repeat(self.shared, lengths)]
        lost = np.flatnonzero((self.shared == 0) & (lengths > 0))
        return BeginningsOfShard(
            Scratch.at(folder).save(f"lengths-{Path(self.shard.file).name}", self.shared),
            cut=int(np.count_nonzero(self.shared < lengths)),
            lost=len(lost),
            occurring=np.unique(shown),
        )


@dataclass(frozen=True, eq=False)
class BeginningsOfShard:
    """A file with the length of each shared beginning; how many are shorter than their trajectories, how many
    trajectories have none, and which locations they visit."""

    file: str
    cut: int
    lost: int
    occurring: Int64s


@dataclass(frozen=True)
class CutShard(RaggedShard):
    """A shard, and a file with the length of the beginning that is published of each trajectory."""

    lengths: str = ""


def shared_beginnings(
    shards: Sequence[RaggedShard], n_codes: int, k: int, executor: Executor
) -> tuple[list[BeginningsOfShard], int]:
    """The longest beginnings that k share in each shard, and how many beginnings these are."""
    resident = resident_nearby(executor, PrefixShard, shards, n_codes)
    n_kept = 0
    while True:
        keys, counts = sum_keys(resident.call("count"))
        kept = keys[counts >= k]
        n_kept += len(kept)
        resident.call("advance", kept)
        if not len(kept):
            break
    saved: list[BeginningsOfShard] = resident.call("save", str(executor.scratch.below("beginnings").folder))
    resident.close()
    return saved, n_kept


def cut_shard(
    shard: CutShard, symbols: PublishedTrajectories, symbol_of_code: Int32s, locations: Locations
) -> tuple[PublishedTrajectories, Trajectories, Int64s]:
    """The beginnings of a shard as they are published, its trajectories, and the number of each beginning's in the
    input; those without a beginning are lost."""
    offsets, codes = shard.read()
    shared, lengths = load(shard.lengths), np.diff(offsets)
    rows = np.flatnonzero((shared > 0) | (lengths == 0))
    taken = offsets_of(shared[rows])
    positions = np.arange(taken[-1]) + np.repeat(offsets[:-1][rows] - taken[:-1], shared[rows])
    published = replace(symbols, offsets=taken, codes=symbol_of_code[codes[positions]], input_rows=rows)
    return published, Trajectories(offsets, codes, locations), shard.first + rows
