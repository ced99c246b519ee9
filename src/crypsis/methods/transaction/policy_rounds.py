"""COAT and PCTA in rounds: shards count pairs and constraints, and what is merged is decided here from the sums.

Records are whole in a shard, so supports add up. Which constraint is next, the pair that is merged and every tie are
those of the kernel `merge_for_policy`, which works on data in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.data.privacy_policy import check_combinations_of
from crypsis.errors import TooLarge
from crypsis.executors.executor import Executor, Resident
from crypsis.executors.near import resident_nearby
from crypsis.kernels.itemsets import EACH_RECORD, NO_ITEMS, NO_OFFSETS, itemsets
from crypsis.kernels.policy_merging import cheapest_merge
from crypsis.kernels.rare_pairs import first_constraints, join_items, leave_out, rarest_of_each, worst_constraint
from crypsis.shards.people_of_records import count_persons
from crypsis.shards.ragged import RaggedShard

DRIVER_ROWS = 20_000_000
WORDS_AT_ONCE = 1 << 22
EVERY = np.iinfo(np.int64).max
SUPPRESSED = -1


class PolicyShard:
    """The records of a shard over items in the order of their labels; `label` is the generalized item of each."""

    def __init__(self, shard: RaggedShard, number_of_code: Int32s) -> None:
        offsets, codes = shard.read()
        self.n_records = len(offsets) - 1
        rows = np.repeat(np.arange(self.n_records), np.diff(offsets))
        items = number_of_code[codes]
        order = np.lexsort((items, rows))
        self._rows, self._items = rows[order], items[order]
        self._offsets = offsets
        persons = shard.persons()
        self._person = EACH_RECORD if persons is None else persons

    def sets_of(self, size: int, n_items: int) -> Int32s:
        """The sets of items that records hold."""
        sets, _ = itemsets(self._offsets, self._items, n_items, size, EVERY, NO_OFFSETS, NO_ITEMS, 0, 1, EACH_RECORD)
        return sets

    def pairs_of(self, n_items: int, by_person: bool) -> tuple[Int32s, Int64s]:
        """Items and pairs of items that records hold, and how many records, or people with one, do."""
        person = self._person if by_person else EACH_RECORD
        alone = self._count_holders(self._items, self._rows, n_items, by_person)
        items = np.flatnonzero(alone)
        pairs, counts = itemsets(self._offsets, self._items, n_items, 2, EVERY, NO_OFFSETS, NO_ITEMS, 0, 1, person)
        same = np.stack((items, items), axis=1).astype(np.int32)
        return np.concatenate((same, pairs)), np.concatenate((alone[items], counts))

    def row_of(self, kept: int, label: Int32s, by_person: bool) -> Int64s:
        """Records, or people with one, that hold a generalized item and each other one."""
        own = label[self._items]
        holds = np.zeros(self.n_records, np.bool_)
        holds[self._rows[own == kept]] = True
        stays = holds[self._rows] & (own >= 0)
        return self._count_holders(own[stays], self._rows[stays], len(label), by_person)

    def _count_holders(self, items: Int32s, rows: Int64s, n_items: int, by_person: bool) -> Int64s:
        """By item how many records hold it, or how many people have one that does."""
        whose = self._person[rows] if by_person and len(self._person) else rows
        keys = np.unique(whose * n_items + items)
        return np.bincount(keys % max(n_items, 1), minlength=n_items).astype(np.int64)

    def supports(self, images: Int32s, label: Int32s) -> Int64s:
        """Records, or people with one, that hold all generalized items of a row."""
        used, places = np.unique(images, return_inverse=True)
        places = places.reshape(images.shape)
        bits = np.stack([self._bits_of(label == one) for one in used.tolist()])
        counts = np.zeros(len(images), np.int64)
        words = WORDS_AT_ONCE // 64 if len(self._person) else WORDS_AT_ONCE
        step = max(words // max(bits.shape[1], 1), 1)
        for first in range(0, len(images), step):
            rows = places[first : first + step]
            together = bits[rows[:, 0]]
            for column in range(1, rows.shape[1]):
                together &= bits[rows[:, column]]
            if len(self._person):
                inside = np.unpackbits(together.view(np.uint8), axis=1, count=self.n_records).astype(np.bool_)
                counts[first : first + step] = count_persons(inside, self._person)
                continue
            counts[first : first + step] = np.bitwise_count(together).sum(axis=1)
        return counts

    def _bits_of(self, inside: Bools) -> Any:
        holds = np.zeros(self.n_records, np.bool_)
        holds[self._rows[inside[self._items]]] = True
        packed = np.packbits(holds)
        return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)


@dataclass(eq=False)
class PolicyRounds:
    """Items merged, or suppressed, until every constraint is satisfied, from counts of all shards.

    Where people are counted, constraints ask for them, and losses are those of records."""

    resident: Resident
    n_items: int
    by_person: bool = False
    label: Int32s = field(init=False, repr=False)
    _size: Int64s = field(init=False, repr=False)
    _alive: Bools = field(init=False, repr=False)
    _pairs: Int32s = field(init=False, repr=False)
    _people: Int32s = field(init=False, repr=False)

    @classmethod
    def of(
        cls,
        shards: Sequence[RaggedShard],
        number_of_code: Int32s,
        n_items: int,
        executor: Executor,
        *,
        by_person: bool = False,
    ) -> PolicyRounds:
        """`number_of_code` gives each item's place in the order of labels."""
        return cls(resident_nearby(executor, PolicyShard, shards, number_of_code), n_items, by_person)

    def occurring_sets(self, m: int, lengths: Int64s) -> tuple[Int64s, Int32s]:
        """All sets of up to m items that occur, by size and then in their items' order; `lengths` tells how many
        records have each length."""
        by_size = []
        for size in range(1, m + 1):
            if size > 2:
                check_combinations_of(np.arange(len(lengths)), lengths, size)
            names = [f"item {index}" for index in range(size)]
            sets = np.concatenate(self.resident.call("sets_of", size, self.n_items))
            if len(sets) > DRIVER_ROWS:
                raise TooLarge(
                    f"The records hold more than {DRIVER_ROWS:,} sets of {size} items, too many to protect one by one; "
                    "lower m, or use Disassociation."
                )
            by_size.append(pl.DataFrame(sets, schema=names, orient="row").unique().sort(names).to_numpy())
        sizes = np.repeat(np.arange(1, m + 1), [len(sets) for sets in by_size])
        return offsets_of(sizes), np.concatenate([sets.ravel() for sets in by_size]).astype(np.int32)

    def merge(
        self,
        constraints: tuple[Int64s, Int32s],
        k: int,
        *,
        utility: Int32s | None,
        every_item: bool,
        most_suppressed: int,
    ) -> tuple[bool, Int32s, Int32s]:
        """Whether all constraints are satisfied, the label of each item, and the steps, as `merge_for_policy` does."""
        self.label = np.arange(self.n_items, dtype=np.int32)
        self._size = np.ones(self.n_items, np.int64)
        self._alive = np.ones(self.n_items, np.bool_)
        self._pairs = self._count_pairs(by_person=False)
        self._people = self._count_pairs(by_person=True) if self.by_person else self._pairs
        waiting: _Pairs | _Sets = (
            _Pairs.of(constraints, self._people, k)
            if np.diff(constraints[0]).max(initial=1) <= 2
            else _Sets.of(constraints, self, k)
        )
        partners = np.zeros(self.n_items, np.int32) if utility is None else utility
        steps: list[tuple[int, int]] = []
        suppressed = 0
        while (worst := waiting.worst()) >= 0:
            offsets, items = constraints
            image = np.unique(self.label[items[offsets[worst] : offsets[worst + 1]]]).astype(np.int64)
            least = int(image[np.argmin(self._people[image, image])])
            candidates = image if every_item else np.array([least], np.int64)
            one, other = map(int, cheapest_merge(candidates, self._alive, partners, self._size, self._pairs))
            if one < 0:
                steps.append((least, SUPPRESSED))
                if utility is None or suppressed + int(self._size[least]) > most_suppressed:
                    return False, self.label, np.array(steps, np.int32)
                suppressed += int(self._size[least])
                self._alive[least] = False
                self.label[self.label == least] = SUPPRESSED
                waiting.leave_out(least)
                continue
            steps.append((one, other))
            kept, gone = min(one, other), max(one, other)
            self._alive[gone] = False
            self._size[kept] += self._size[gone]
            self.label[self.label == gone] = kept
            self._pairs[kept] = self._pairs[:, kept] = self._row_of(kept, by_person=False)
            if self.by_person:
                self._people[kept] = self._people[:, kept] = self._row_of(kept, by_person=True)
            waiting.join(kept, gone)
        return True, self.label, np.array(steps, np.int32).reshape(-1, 2)

    def count(self, images: Int32s) -> Int64s:
        """How many records hold all generalized items of each row."""
        if not len(images):
            return np.zeros(0, np.int64)
        total: Int64s = np.sum(self.resident.call("supports", images, self.label), axis=0)
        return total

    def close(self) -> None:
        """Let the shards go."""
        self.resident.close()

    def _row_of(self, kept: int, *, by_person: bool) -> Int64s:
        row: Int64s = np.sum(self.resident.call("row_of", kept, self.label, by_person), axis=0)
        return row

    def _count_pairs(self, *, by_person: bool) -> Int32s:
        pairs = np.zeros((self.n_items, self.n_items), np.int32)
        for sets, counts in self.resident.call("pairs_of", self.n_items, by_person):
            pairs[sets[:, 0], sets[:, 1]] += counts.astype(np.int32)
        upper = np.triu(pairs, 1)
        return pairs + upper.T


@dataclass(eq=False)
class _Pairs:
    """Constraints of one or two items: a matrix tells which is next."""

    first: Int64s
    pairs: Int32s
    rarest: Int64s
    k: int

    @classmethod
    def of(cls, constraints: tuple[Int64s, Int32s], pairs: Int32s, k: int) -> _Pairs:
        first = first_constraints(*constraints, len(pairs))
        return cls(first, pairs, rarest_of_each(first, pairs, k), k)

    def worst(self) -> int:
        return int(worst_constraint(self.rarest))

    def leave_out(self, gone: int) -> None:
        leave_out(gone, self.first, self.pairs, self.k, self.rarest)

    def join(self, kept: int, gone: int) -> None:
        join_items(kept, gone, self.first, self.pairs, self.k, self.rarest)


@dataclass(eq=False)
class _Sets:
    """Constraints of any size, each with its support; those satisfied for good are dropped."""

    items: Int32s  # a row for each constraint, its last item repeated to the longest
    numbers: Int64s
    supports: Int64s
    rounds: PolicyRounds
    k: int

    @classmethod
    def of(cls, constraints: tuple[Int64s, Int32s], rounds: PolicyRounds, k: int) -> _Sets:
        offsets, items = constraints
        lengths = np.diff(offsets)
        columns = np.minimum(np.arange(lengths.max(initial=1)), lengths[:, None] - 1)
        rows = items[offsets[:-1, None] + columns]
        records = cls(rows, np.arange(len(rows)), rounds.count(rows), rounds, k)
        records._keep(records.supports < k)
        return records

    def worst(self) -> int:
        """The first of the constraints with the largest support below k; -1 if there is none."""
        open_supports = np.where((self.supports > 0) & (self.supports < self.k), self.supports, 0)
        if not open_supports.any():
            return -1
        return int(self.numbers[np.argmax(open_supports)])

    def leave_out(self, gone: int) -> None:
        self._keep(np.all(self.rounds.label[self.items] >= 0, axis=1))

    def join(self, kept: int, gone: int) -> None:
        """A support never falls, except to 0 for good when an item is suppressed."""
        images = self.rounds.label[self.items]
        touched = (images == kept).any(axis=1)
        self.supports[touched] = self.rounds.count(images[touched])
        self._keep(self.supports < self.k)

    def _keep(self, stays: Bools) -> None:
        self.items, self.numbers, self.supports = self.items[stays], self.numbers[stays], self.supports[stays]
