"""The merging of nearby locations that the k^m methods share: a partition of locations, refined size by size.

Holds the partition, the distances between its symbols and the trajectories written in them, and drives the
kernels in steps short enough to tell progress and to be cancelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, take_records
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import InternalError, TooLarge
from crypsis.journal import Journal
from crypsis.kernels.nearest_merging import (
    NO_ROW_LEFT,
    ONE_SYMBOL_LEFT,
    STEP_DONE,
    Places,
    Records,
    merge_until_frequent,
    postings_of,
    roots_of,
)
from crypsis.kernels.subsequences import Scratch, count_of, count_subsequences, new_scratch, rare_subsequences

DENSE_ENTRIES = 1 << 27  # a dense table of at most 512 MB
SMALL_TABLE = 1 << 22
MERGES_PER_STEP = 64
INDIVIDUALS_PER_STEP = 1 << 17


@dataclass(frozen=True)
class Merges:
    """Merges in the order they were made: the representatives of the two symbols of each."""

    labels: tuple[str, ...]
    pairs: Int32s = field(repr=False)

    def __len__(self) -> int:
        return len(self.pairs)

    def to_lists(self) -> list[list[str]]:
        """The symbol that each merge made, as sorted labels."""
        symbols: dict[int, list[str]] = {}
        made: list[list[str]] = []
        for one, other in self.pairs.tolist():
            joined = sorted(symbols.pop(one, [self.labels[one]]) + symbols.pop(other, [self.labels[other]]))
            symbols[min(one, other)] = joined
            made.append(joined)
        return made

    def to_pairs(self) -> list[list[str]]:
        """The first label of each of the two symbols: short even after thousands of merges."""
        return [[self.labels[one], self.labels[other]] for one, other in self.pairs.tolist()]


class LocationPartition:
    """Locations as symbols, one for each at first, and the merges that made them."""

    def __init__(self, locations: Locations, occurs: Bools, x: Float64s, y: Float64s) -> None:
        n_locations = len(locations)
        self.locations = locations
        occurring = np.flatnonzero(occurs).astype(np.int32)
        place_in_alive = np.full(n_locations, -1, np.int32)
        place_in_alive[occurring] = np.arange(len(occurring), dtype=np.int32)
        rows = min(len(occurring) // 2 + 2, 1024)
        self._places = Places(
            x=np.ascontiguousarray(x),
            y=np.ascontiguousarray(y),
            height=np.zeros(n_locations) if locations.height is None else locations.height.copy(),
            occurring=occurring,
            parent=np.arange(n_locations, dtype=np.int32),
            size=np.ones(n_locations, np.int64),
            representative=np.arange(n_locations, dtype=np.int32),
            alive=occurring.copy(),
            place_in_alive=place_in_alive,
            n_alive=np.array([len(occurring)], np.int64),
            sums=np.empty((rows, n_locations)),
            row=np.full(n_locations, -1, np.int32),
            free_rows=np.arange(rows, dtype=np.int32),
            n_free_rows=np.array([rows], np.int64),
        )
        self._merges = np.empty((max(len(occurring) - 1, 0), 2), np.int32)
        self._n_merges = 0

    @property
    def merges(self) -> Merges:
        return Merges(self.locations.labels, self._merges[: self._n_merges].copy())

    def representatives(self) -> Int32s:
        """By location: the smallest code of its symbol, -1 where it does not occur."""
        places = self._places
        representative = np.full(len(self.locations), -1, np.int32)
        roots = roots_of(places.parent, places.occurring)
        representative[places.occurring] = places.representative[roots]
        return representative

    def _more_rows(self) -> None:
        sums, n_free = self._places.sums, int(self._places.n_free_rows[0])
        wider = np.empty((2 * len(sums), sums.shape[1]))
        wider[: len(sums)] = sums
        free = np.concatenate([self._places.free_rows[:n_free], np.arange(len(sums), len(wider))]).astype(np.int32)
        padded = np.zeros(len(wider), np.int32)
        padded[: len(free)] = free
        self._places = self._places._replace(sums=wider, free_rows=padded, n_free_rows=np.array([len(free)], np.int64))


class LocationMerging(LocationPartition):
    """The state of a k^m anonymization: merge what is rare with what is near."""

    def __init__(self, data: Trajectories, x: Float64s, y: Float64s, groups: Int32s) -> None:
        super().__init__(data.locations, data.occurring, x, y)
        # Trajectories of one individual stand together, so that an individual is a run of records.
        order = np.argsort(groups, kind="stable")
        self._offsets, positions = take_records(data.offsets, order)
        self._codes = data.codes[positions]
        counts = np.bincount(groups) if len(groups) else np.zeros(0, np.int64)
        self._bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def rare_of_size(self, size: int, k: int) -> list[tuple[tuple[int, ...], int]]:
        """Subsequences shared by 1 to k - 1 individuals, by representatives, with their support; for small data."""
        level = MergingLevel(self, size, Journal())
        rare = level.rare(k)
        return [(level.representatives_of(int(key)), level.count(int(key))) for key in rare]

    def make_frequent(self, size: int, k: int, journal: Journal) -> None:
        """Merge until every subsequence of this size is shared by k individuals or by none."""
        with journal.stage(f"count size {size}"):
            level = MergingLevel(self, size, journal)
            rare = level.rare(k)
        with journal.stage(f"merge size {size}"):
            level.merge(rare, k, journal)


@dataclass(frozen=True, eq=False)
class SymbolSlots:
    """Symbols numbered by representative, as the counts of subsequences need them."""

    distinct: Int32s
    slot_of_code: Int32s
    slot_of_root: Int32s
    roots: Int32s

    @property
    def base(self) -> int:
        return len(self.distinct)

    @classmethod
    def of(cls, state: LocationPartition) -> SymbolSlots:
        representative = state.representatives()
        occurs = representative >= 0
        distinct = np.unique(representative[occurs])
        slot_of_code = np.full(len(representative), -1, np.int32)
        slot_of_code[occurs] = np.searchsorted(distinct, representative[occurs])
        roots = roots_of(state._places.parent, distinct)
        slot_of_root = np.full(len(representative), -1, np.int32)
        slot_of_root[roots] = np.arange(len(roots), dtype=np.int32)
        return cls(distinct, slot_of_code, slot_of_root, roots)

    def records(self, state: LocationMerging) -> Records:
        """The trajectories written in slots, with the individuals that each occurs in."""
        return records_in_slots(state._offsets, self.slot_of_code[state._codes], state._bounds, self.base, self.roots)


def records_in_slots(offsets: Int64s, codes: Int32s, bounds: Int64s, n_slots: int, roots: Int32s) -> Records:
    """Trajectories that are written in slots, with the individuals that each occurs in."""
    base = max(n_slots, 1)
    posting_offsets, postings = postings_of(offsets, codes, bounds, base)
    posted = np.diff(posting_offsets)
    slots = np.arange(base, dtype=np.int32)
    return Records(
        offsets=offsets,
        codes=codes,
        bounds=bounds,
        posting_offsets=posting_offsets,
        postings=postings,
        next_posting=np.full(base, -1, np.int32),
        last_posting=slots.copy(),
        posted=posted.copy(),
        support=posted.copy(),
        image=slots.copy(),
        root=roots,
        mark=np.zeros(len(bounds), np.int32),
    )


class MergingLevel:
    """Subsequences of one size: symbols numbered in slots by representative, and the count of each subsequence."""

    def __init__(self, state: LocationMerging, size: int, journal: Journal) -> None:
        self.state, self.size = state, size
        slots = SymbolSlots.of(state)
        self.base = max(slots.base, 1)
        check_countable(self.base, size)
        self.distinct, self.slot_of_root = slots.distinct, slots.slot_of_root
        self.records = slots.records(state)
        self.scratch, self.keys, self.counts, self.used = count_records(self.records, size, self.base, journal)

    def rare(self, k: int) -> Int64s:
        return rare_subsequences(self.keys, self.counts, k)

    def count(self, key: int) -> int:
        return int(count_of(self.keys, self.counts, key))

    def representatives_of(self, key: int) -> tuple[int, ...]:
        digits = []
        for _ in range(self.size):
            key, slot = divmod(key, self.base)
            digits.append(int(self.distinct[slot]))
        return tuple(reversed(digits))

    def merge(self, rare: Int64s, k: int, journal: Journal) -> None:
        state, position = self.state, 0
        while position < len(rare):
            why, position, self.keys, self.counts, self.used, state._n_merges = merge_until_frequent(
                self.records,
                state._places,
                self.slot_of_root,
                rare,
                position,
                k,
                self.size,
                self.base,
                self.scratch,
                self.keys,
                self.counts,
                self.used,
                state._merges,
                state._n_merges,
                MERGES_PER_STEP,
            )
            if why == NO_ROW_LEFT:
                state._more_rows()
            elif why == ONE_SYMBOL_LEFT or (why == STEP_DONE and state._n_merges == len(state._merges)):
                raise InternalError("A feasible length ran out of symbols to merge. This is a bug; please report it.")
            journal.tell(position / len(rare))


def check_countable(base: int, size: int) -> None:
    """Refuse subsequences that do not fit a number."""
    if base**size >= 2**62:
        raise TooLarge(
            f"Subsequences of {size} out of {base} locations cannot be counted; lower m, "
            "or merge locations into a coarser table first."
        )


def count_records(records: Records, size: int, base: int, journal: Journal) -> tuple[Scratch, Int64s, Int32s, int]:
    """How many individuals share each subsequence: working space, and the table with its keys in use."""
    lengths = np.diff(records.offsets)
    scratch = new_scratch(size, int(lengths.max(initial=0)), base)
    expected = sum(int(rows) * math.comb(length, size) for length, rows in enumerate(np.bincount(lengths)))
    keys, counts = subsequence_table(base**size, expected)
    used = 0
    individuals = len(records.bounds) - 1
    for first in range(0, individuals, INDIVIDUALS_PER_STEP):
        last = min(first + INDIVIDUALS_PER_STEP, individuals)
        keys, counts, used = count_subsequences(
            records.offsets, records.codes, records.bounds, first, last, size, base, scratch, keys, counts, used
        )
        journal.tell(last / individuals)
    return scratch, keys, counts, used


def subsequence_table(possible: int, expected: int) -> tuple[Int64s, Int32s]:
    """An empty table of counts: dense where that is small or well filled, else open addressing."""
    if possible <= DENSE_ENTRIES and possible <= max(SMALL_TABLE, 16 * expected):
        return np.empty(0, np.int64), np.zeros(possible, np.int32)
    entries = 1 << max(10, min(possible, max(expected, 1) // 2, 1 << 22).bit_length() + 1)
    return np.full(entries, -1, np.int64), np.zeros(entries, np.int32)
