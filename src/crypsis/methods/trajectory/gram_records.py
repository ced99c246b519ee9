"""The records of noisy grams: here, or in shards whose counts are added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.row_ranks import count_keys
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import load
from crypsis.methods.summed_counts import sum_keys
from crypsis.shards.private import PrivateShard

MEMORY_PER_FILE_BYTE = 12  # of tokens, and of where each of their runs is in the tree
_MOST_DENSE = 1 << 22  # candidates that are counted in an array; more are sorted


@dataclass(frozen=True, eq=False)
class Sequences:
    """Record r has the tokens `tokens[offsets[r]:offsets[r + 1]]`, at most `longest`; `rising` if they always rise."""

    offsets: Int64s
    tokens: Int32s
    n_tokens: int
    longest: int
    rising: bool

    def with_ends(self) -> tuple[Int64s, Int64s]:
        """All records one after another, each with a beginning and an end; and where the beginnings stand."""
        lengths = np.diff(self.offsets)
        starts = self.offsets[:-1] + 2 * np.arange(len(lengths))
        text = np.empty(len(self.tokens) + 2 * len(lengths), np.int64)
        text[starts] = self.n_tokens + 1
        text[starts + lengths + 1] = self.n_tokens
        inner = np.ones(len(text), np.bool_)
        inner[starts] = inner[starts + lengths + 1] = False
        text[inner] = self.tokens
        return text, starts


class GramRecords(Protocol):
    """Sequences, and the runs of tokens in them that live on."""

    n_records: int

    def occupied(self, length: int, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        """The grams of this length that occur, of `total` candidates, ascending, and how often each does.

        Those that continue node n are numbered from `start[n]` on, by their last token less `begin[n]`.
        """
        ...

    def follow(self, alive: Int64s, length: int) -> None:
        """The nodes from now on are these grams, which rise; after the first length also the beginnings, as node 0."""
        ...


class GramsHere:
    """Sequences in this process: the run that begins at `at[i]` is at node `node[i]`."""

    def __init__(self, sequences: Sequences) -> None:
        self.text, self.starts = sequences.with_ends()
        self.n_records = len(self.starts)
        self.at = np.flatnonzero(self.text <= sequences.n_tokens)
        self.node = np.zeros(len(self.at), np.int64)

    def occupied(self, length: int, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        self.reached = start[self.node] + self.text[self.at + length - 1] - begin[self.node]
        if total > _MOST_DENSE:
            return count_keys(self.reached)
        counts = np.bincount(self.reached, minlength=total)
        keys = np.flatnonzero(counts)
        return keys, counts[keys]

    def follow(self, alive: Int64s, length: int) -> None:
        slot = np.searchsorted(alive, self.reached)
        lives = slot < len(alive)
        lives[lives] = alive[slot[lives]] == self.reached[lives]
        self.at, self.node = self.at[lives], slot[lives]
        if length == 1:
            self.at = np.concatenate([self.starts, self.at])
            self.node = np.concatenate([np.zeros(len(self.starts), np.int64), self.node + 1])


class GramShard(GramsHere):
    """The sequences of a shard, which stay where they are."""

    def __init__(self, shard: PrivateShard) -> None:
        super().__init__(load(shard.file))

    def step(
        self, alive: Int64s | None, length: int, begin: Int64s, start: Int64s, total: int
    ) -> tuple[Int64s, Int64s]:
        """`follow` what lives on of the length before, if there was one, and count the next."""
        if alive is not None:
            self.follow(alive, length - 1)
        return self.occupied(length, begin, start, total)


class GramsInShards:
    """Sequences in shards. Only whole numbers come to the driver, and are the same however the records are cut."""

    def __init__(self, shards: Sequence[PrivateShard], executor: Executor) -> None:
        self.n_records = sum(shard.rows for shard in shards)
        self._resident = resident_nearby(executor, GramShard, shards)
        self._alive: Int64s | None = None

    def occupied(self, length: int, begin: Int64s, start: Int64s, total: int) -> tuple[Int64s, Int64s]:
        return sum_keys(self._resident.call("step", self._alive, length, begin, start, total))

    def follow(self, alive: Int64s, length: int) -> None:
        self._alive = alive
