"""The merging of nearby locations that the k^m methods share: a partition of locations, refined size by size.

Holds the partition, the distances between its symbols and the trajectories written in them, and drives the
kernels in steps short enough to tell progress and to be cancelled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, Lists, offsets_of, take_records
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import InternalError, TooLarge, UtilityConstraintsUnsatisfied
from crypsis.hierarchy import Taxonomy
from crypsis.kernels.nearest_merging import (
    LIST_DONE,
    NO_ROW_LEFT,
    ONE_SYMBOL_LEFT,
    STEP_DONE,
    SYMBOL_SUPPRESSED,
    Guide,
    Places,
    Records,
    merge_until_safe,
    postings_of,
    roots_of,
)
from crypsis.kernels.subsequences import (
    Scratch,
    Sequences,
    Tally,
    count_of,
    count_subsequences,
    new_scratch,
    violating_subsequences,
)
from crypsis.run_context import RunContext

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


@dataclass(frozen=True, eq=False)
class Guidance:
    """What guides merging: a taxonomy says what is near in meaning, or groups say who may be merged at all.

    `delta` is how many percent of the locations may be suppressed because nothing is left to merge them with.
    """

    taxonomy: Taxonomy | None = None
    group_of_code: Int32s | None = None
    delta: float = 0.0

    def guide(self, locations: Locations, n_occurring: int) -> Guide:
        """The same in arrays by location, with the working space of the kernels."""
        n_locations, taxonomy, groups = len(locations), self.taxonomy, self.group_of_code
        return Guide(
            group=np.zeros(n_locations, np.int32) if groups is None else groups.astype(np.int32),
            node=np.empty(0, np.int32) if taxonomy is None else taxonomy.leaves_of(locations).copy(),
            parent=np.empty(0, np.int32) if taxonomy is None else taxonomy.parent.copy(),
            leaf_count=np.empty(0, np.int64) if taxonomy is None else taxonomy.leaf_count.copy(),
            value=np.empty(n_occurring),
            may_suppress=groups is not None,
            suppressed=np.zeros(n_locations, np.bool_),
            order=np.empty(n_occurring, np.int32),
            n_suppressed=np.zeros(2, np.int64),
        )


NO_GUIDANCE = Guidance()


class LocationPartition:
    """Locations as symbols, one for each at first, and the merges that made them."""

    def __init__(
        self, locations: Locations, occurs: Bools, x: Float64s, y: Float64s, guidance: Guidance = NO_GUIDANCE
    ) -> None:
        n_locations = len(locations)
        self.locations, self.guidance = locations, guidance
        occurring = np.flatnonzero(occurs).astype(np.int32)
        self._n_occurring = len(occurring)
        self._guide = guidance.guide(locations, len(occurring))
        index_in_alive = np.full(n_locations, -1, np.int32)
        index_in_alive[occurring] = np.arange(len(occurring), dtype=np.int32)
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
            index_in_alive=index_in_alive,
            n_alive=np.array([len(occurring)], np.int64),
            sums=np.empty((rows, n_locations)),
            row=np.full(n_locations, -1, np.int32),
            free_rows=np.arange(rows, dtype=np.int32),
            n_free_rows=np.array([rows], np.int64),
            merges=np.empty((max(len(occurring) - 1, 0), 2), np.int32),
            n_merges=np.zeros(1, np.int64),
        )

    @property
    def merges(self) -> Merges:
        return Merges(self.locations.labels, self._places.merges[: int(self._places.n_merges[0])].copy())

    @property
    def suppressed(self) -> list[list[str]]:
        """Suppressed symbols in order, each as sorted labels."""
        labels = self.locations.labels
        roots = roots_of(self._places.parent, np.arange(len(labels), dtype=np.int32))
        return [
            sorted(labels[code] for code in np.flatnonzero(roots == root).tolist())
            for root in self._guide.order[: int(self._guide.n_suppressed[0])].tolist()
        ]

    @property
    def suppressed_percent(self) -> float:
        """Suppressed locations as a percentage of those that occurred."""
        return 100 * int(self._guide.n_suppressed[1]) / max(self._n_occurring, 1)

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

    def _check_suppressed(self) -> None:
        """Refuse utility constraints that more locations have to be suppressed for than is allowed."""
        percent, delta = self.suppressed_percent, self.guidance.delta
        if percent <= delta + 1e-9:
            return
        labels = sorted(label for symbol in self.suppressed for label in symbol)
        shown = ", ".join(map(repr, labels[:5])) + (", …" if len(labels) > 5 else "")
        raise UtilityConstraintsUnsatisfied(
            f"The utility constraints cannot be kept: {len(labels)} of {self._n_occurring} locations "
            f"({percent:.4g} %) had to be suppressed so far, {delta:g} % are allowed: {shown}. "
            "Widen the constraints, raise delta, or lower k or m.",
            suppressed=labels,
            percent=percent,
        )

    def _drop_suppressed(self) -> Bools:
        """By location: it was suppressed. From now on it does not occur."""
        places = self._places
        gone = self._guide.suppressed[roots_of(places.parent, places.occurring)]
        hidden = np.zeros(len(self.locations), np.bool_)
        hidden[places.occurring[gone]] = True
        self._places = places._replace(occurring=places.occurring[~gone])
        return hidden


class LocationMerging(LocationPartition):
    """The state of a k^m anonymization: merge what is rare with what is near, suppress what has no partner.

    `held` are the sensitive locations of each trajectory, numbered from 1, of so many kinds: no subsequence may tell
    too much about one of them.
    """

    def __init__(
        self,
        data: Trajectories,
        x: Float64s,
        y: Float64s,
        groups: Int32s,
        guidance: Guidance = NO_GUIDANCE,
        *,
        held: Lists | None = None,
        kinds: int = 0,
    ) -> None:
        super().__init__(data.locations, data.occurring, x, y, guidance)
        # Trajectories of one individual stand together, so that an individual is a run of records.
        order = np.argsort(groups, kind="stable")
        offsets, positions = take_records(data.offsets, order)
        counts = np.bincount(groups) if len(groups) else np.zeros(0, np.int64)
        bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._sequences = sequences_of(offsets, data.codes[positions], bounds)
        if held is not None:
            held_offsets, entries = take_records(held.offsets, order)
            self._sequences = self._sequences._replace(
                held_offsets=held_offsets, held=held.values[entries], kinds=kinds
            )

    def rare_of_size(self, size: int, k: int) -> list[tuple[tuple[int, ...], int]]:
        """Subsequences shared by 1 to k - 1 individuals, by representatives, with their support; for small data."""
        level = MergingLevel(self, size, RunContext())
        return [(level.representatives_of(int(key)), level.count(int(key))) for key in level.violating(k)]

    def make_frequent(self, size: int, k: int, context: RunContext) -> None:
        """Merge and suppress until every subsequence of this size is shared by k individuals or by none."""
        if not self.make_diverse(size, k, 1, context):
            raise InternalError("A feasible length ran out of symbols to merge. This is a bug; please report it.")

    def make_diverse(self, size: int, k: int, diversity: int, context: RunContext) -> bool:
        """Merge until also at most one in `diversity` of those who share it hold the same sensitive location.

        False if one symbol is left and some subsequence still tells too much.
        """
        with context.stage(f"count size {size}"):
            level = MergingLevel(self, size, context)
            listed = level.violating(k, diversity)
        with context.stage(f"merge size {size}"):
            done = level.merge(listed, k, diversity, context)
            self._drop_visits(self._drop_suppressed())
        return done

    def _drop_visits(self, hidden: Bools) -> None:
        """Delete the visits to suppressed locations."""
        if not hidden.any():
            return
        offsets, codes = self._sequences.offsets, self._sequences.codes
        kept = ~hidden[codes]
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        self._sequences = self._sequences._replace(
            offsets=offsets_of(np.bincount(rows[kept], minlength=len(offsets) - 1)), codes=codes[kept]
        )


def sequences_of(offsets: Int64s, codes: Int32s, bounds: Int64s) -> Sequences:
    """Trajectories of individuals, without sensitive locations."""
    return Sequences(offsets, codes, bounds, np.zeros(len(offsets), np.int64), np.empty(0, np.int32), 0)


@dataclass(frozen=True, eq=False)
class SymbolSlots:
    """Symbols numbered by representative, as the counts of subsequences need them."""

    distinct: Int32s
    slot_of_code: Int32s
    slot_of_root: Int32s
    roots: Int32s

    @property
    def base(self) -> int:
        return max(len(self.distinct), 1)

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

    def records(self, sequences: Sequences) -> Records:
        """The trajectories written in slots, with the individuals that each occurs in."""
        codes = self.slot_of_code[sequences.codes]
        posting_offsets, postings = postings_of(sequences.offsets, codes, sequences.bounds, self.base)
        posted = np.diff(posting_offsets)
        slots = np.arange(self.base, dtype=np.int32)
        return Records(
            sequences=sequences._replace(codes=codes),
            posting_offsets=posting_offsets,
            postings=postings,
            next_posting=np.full(self.base, -1, np.int32),
            last_posting=slots.copy(),
            posted=posted.copy(),
            support=posted.copy(),
            image=slots.copy(),
            root=self.roots,
            slot_of_root=self.slot_of_root,
            mark=np.zeros(len(sequences.bounds), np.int32),
        )


class MergingLevel:
    """Subsequences of one size: symbols numbered in slots by representative, and the count of each subsequence."""

    def __init__(self, state: LocationMerging, size: int, context: RunContext) -> None:
        self.state, self.size = state, size
        slots = SymbolSlots.of(state)
        self.base, self.distinct = slots.base, slots.distinct
        self.kinds = state._sequences.kinds
        check_countable(self.base, size, self.kinds)
        self.records = slots.records(state._sequences)
        self.scratch, self.tally = count_records(self.records.sequences, size, self.base, context)

    def violating(self, k: int, diversity: int = 1) -> Int64s:
        """Subsequences that fewer than k individuals share or that tell too much, rarest first, then in order."""
        keys, supports = violating_subsequences(self.tally, self.scratch, self.kinds, k, diversity)
        if len(self.tally.keys):  # a dense table is gone through in order
            order = np.argsort(keys)
            keys, supports = keys[order], supports[order]
        return keys[np.argsort(supports, kind="stable")]

    def count(self, key: int) -> int:
        return int(count_of(self.tally, key))

    def representatives_of(self, key: int) -> tuple[int, ...]:
        digits = []
        for _ in range(self.size):
            key, slot = divmod(key, self.base)
            digits.append(int(self.distinct[slot]))
        return tuple(reversed(digits))

    def merge(self, listed: Int64s, k: int, diversity: int, context: RunContext) -> bool:
        """Repair what is listed; False if one symbol is left and that is not enough."""
        state, position, why = self.state, 0, STEP_DONE if len(listed) else LIST_DONE
        while why != LIST_DONE:
            why, position, self.tally = merge_until_safe(
                self.records,
                state._places,
                state._guide,
                listed,
                position,
                k,
                diversity,
                self.scratch,
                self.tally,
                MERGES_PER_STEP,
            )
            if why == ONE_SYMBOL_LEFT:
                return False
            if why == NO_ROW_LEFT:
                state._more_rows()
            elif why == SYMBOL_SUPPRESSED:
                state._check_suppressed()
            context.report_progress(position / len(listed))
        return True


def check_countable(base: int, size: int, kinds: int = 0) -> None:
    """Refuse subsequences that do not fit a number."""
    if base**size * (kinds + 1) >= 2**62:
        held = f" with {kinds} sensitive ones" if kinds else ""
        raise TooLarge(
            f"Subsequences of {size} out of {base} locations{held} cannot be counted; lower m, "
            "or merge locations into a coarser table first."
        )


def count_records(sequences: Sequences, size: int, base: int, context: RunContext) -> tuple[Scratch, Tally]:
    """How many individuals share each subsequence: working space, and the counts."""
    lengths = np.diff(sequences.offsets)
    scratch = new_scratch(size, int(lengths.max(initial=0)), base)
    expected = sum(int(rows) * math.comb(length, size) for length, rows in enumerate(np.bincount(lengths)))
    expected *= 1 + len(sequences.held) // max(len(lengths), 1)
    tally = new_tally(base**size * (sequences.kinds + 1), expected)
    individuals = len(sequences.bounds) - 1
    for first in range(0, individuals, INDIVIDUALS_PER_STEP):
        last = min(first + INDIVIDUALS_PER_STEP, individuals)
        tally = count_subsequences(sequences, first, last, scratch, tally)
        context.report_progress(last / individuals)
    return scratch, tally


def new_tally(possible: int, expected: int) -> Tally:
    """No counts yet: dense where that is small or well filled, else open addressing."""
    if possible <= DENSE_ENTRIES and possible <= max(SMALL_TABLE, 16 * expected):
        return Tally(np.empty(0, np.int64), np.zeros(possible, np.int32), np.zeros(1, np.int64))
    entries = 1 << max(10, min(possible, max(expected, 1) // 2, 1 << 22).bit_length() + 1)
    return Tally(np.full(entries, -1, np.int64), np.zeros(entries, np.int32), np.zeros(1, np.int64))
