"""The noisy prefix tree of SafePath: grown level by level, all nodes of a level at once.

A node of the tree is a prefix of trajectories; its children are the pairs (location, time) that may come next. They are
found in one or more sublevels: locations first and then times, each down a taxonomy of ranges, or both at once without
one. Only what reaches its threshold after noise is looked at further.

Children that the order of visits forbids are public structural zeros. Under a given parent they always are the first
values of the domain, so what remains is told by one number, the first value allowed. Empty children that are allowed
get noise like all others, drawn in bulk (`Noise.passing_zeros`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.kernels.tree_growth import candidates, follow, tally
from crypsis.methods.trajectory.safe_path_budgets import Budgets
from crypsis.methods.trajectory.value_ranges import ValueRanges
from crypsis.noise import MeteredNoise

MOST_CANDIDATES = 1 << 34
_MOST_DENSE = 1 << 22  # candidates that are counted in an array; more are sorted
_NO_RANGES = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Visits:
    """Records as the tree reads them: record r has `locations[offsets[r]:offsets[r + 1]]` and `times` alike."""

    offsets: Int64s
    locations: Int32s
    times: Int32s
    n_locations: int
    n_times: int
    order: str


@dataclass(frozen=True, eq=False)
class TreeLevel:
    """The nodes of one level by parent, time and location; `parents` are numbers into the level above."""

    parents: Int64s
    locations: Int32s
    times: Int32s
    noisy: Int64s

    def __len__(self) -> int:
        return len(self.parents)


@dataclass(frozen=True)
class Sublevel:
    """One step from a node towards its children."""

    name: str
    ranges: ValueRanges
    budgets: Budgets


@dataclass(frozen=True, eq=False)
class _Survivors:
    """What one sublevel leaves: groups and values of the leaves, their noisy counts, and the records in them."""

    groups: Int64s
    values: Int64s
    noisy: Int64s
    nodes: Int64s
    records: Int64s


def grow(
    visits: Visits,
    height: int,
    sublevels: Sequence[Sublevel],
    noise: MeteredNoise,
    *,
    roots: Int64s | None = None,
    n_roots: int = 1,
) -> list[TreeLevel]:
    """The levels of the tree. With `roots`, of a forest of `n_roots` independent ones: the tree of each record."""
    levels: list[TreeLevel] = []
    lengths = np.diff(visits.offsets)
    records = np.arange(len(lengths))
    nodes = np.zeros(len(lengths), np.int64) if roots is None else roots
    none = np.full(n_roots, -1, np.int64)
    last = TreeLevel(none, none.astype(np.int32), none.astype(np.int32), none)
    for level in range(height):
        longer = lengths[records] > level
        records, nodes = records[longer], nodes[longer]
        with noise.scope(f"level {level + 1}"):
            if len(sublevels) == 1:
                grown, nodes, records = _pairs(visits, level, last, sublevels[0], nodes, records, noise)
            else:
                grown, nodes, records = _locations_then_times(visits, level, last, sublevels, nodes, records, noise)
        if not len(grown):
            break
        levels.append(grown)
        last = grown
    return levels


def _locations_then_times(
    visits: Visits,
    level: int,
    above: TreeLevel,
    sublevels: Sequence[Sublevel],
    nodes: Int64s,
    records: Int64s,
    noise: MeteredNoise,
) -> tuple[TreeLevel, Int64s, Int64s]:
    places, moments = sublevels
    first = np.where(_times_left(visits, above), 0, _first_location(visits, above))
    where = visits.offsets[:-1][records] + level
    found = _survivors(places, first, nodes, visits.locations[where], records, noise)

    # A place after the parent's own may be visited at the same time, where the order allows it.
    parents = found.groups
    first = _first_time(visits, above, parents, found.values)
    where = visits.offsets[:-1][found.records] + level
    timed = _survivors(moments, first, found.nodes, visits.times[where], found.records, noise)
    return _ordered(
        parents[timed.groups], found.values[timed.groups], timed.values, timed.noisy, timed.nodes, timed.records
    )


def _pairs(
    visits: Visits,
    level: int,
    above: TreeLevel,
    sublevel: Sublevel,
    nodes: Int64s,
    records: Int64s,
    noise: MeteredNoise,
) -> tuple[TreeLevel, Int64s, Int64s]:
    """Locations and times as one domain in canonical order: by time, then by location."""
    width = visits.n_locations
    where = visits.offsets[:-1][records] + level
    values = (visits.times[where].astype(np.int64) * width + visits.locations[where]).astype(np.int32)
    times, places = above.times.astype(np.int64), above.locations.astype(np.int64)
    after = places + 1 if visits.order == "canonical" else np.full(len(above), width * (visits.order == "strict"))
    first = np.where(times < 0, 0, times * width + after)
    found = _survivors(sublevel, first, nodes, values, records, noise)
    return _ordered(found.groups, found.values % width, found.values // width, found.noisy, found.nodes, found.records)


def _times_left(visits: Visits, above: TreeLevel) -> Bools:
    """Whether every location may still be visited under a node."""
    if visits.order == "nondecreasing":
        return np.ones(len(above), np.bool_)
    return np.less(above.times, visits.n_times - 1)


def _first_location(visits: Visits, above: TreeLevel) -> Int64s:
    """The first location that may be visited at the very last time."""
    if visits.order == "strict":
        return np.full(len(above), visits.n_locations, np.int64)
    return above.locations.astype(np.int64) + 1


def _first_time(visits: Visits, above: TreeLevel, parents: Int64s, places: Int64s) -> Int64s:
    """The first time at which these locations may be visited under these nodes."""
    times = above.times[parents].astype(np.int64)
    if visits.order == "canonical":
        first = times + (places <= above.locations[parents])
    else:
        first = times + (visits.order == "strict")
    return np.where(times < 0, 0, first)


def _ordered(
    parents: Int64s, places: Int64s, times: Int64s, noisy: Int64s, nodes: Int64s, records: Int64s
) -> tuple[TreeLevel, Int64s, Int64s]:
    order = np.lexsort((places, times, parents))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    grown = TreeLevel(parents[order], places[order].astype(np.int32), times[order].astype(np.int32), noisy[order])
    return grown, rank[nodes], records


def _survivors(
    sublevel: Sublevel, first: Int64s, groups: Int64s, values: Int32s, records: Int64s, noise: MeteredNoise
) -> _Survivors:
    """Walk down the ranges: general levels first, then each value of the ranges that are left.

    Group g may take the values from `first[g]` on; record i belongs to `groups[i]` and has `values[i]`.
    """
    ranges, budgets = sublevel.ranges, sublevel.budgets
    disjoint = f"a record has one value among the {sublevel.name} of a level"
    at = _Walk(
        np.flatnonzero(first < ranges.size), np.int64(0), np.int64(ranges.size), np.int64(0), groups, values, records
    )
    at.renumber(len(first))
    waiting: list[_Walk] = []
    for index, level in enumerate(ranges.levels):
        waiting.append(at.take_singles())
        begin = np.where(first[at.groups] > at.low, level.range_of[np.maximum(first[at.groups], at.low)], 0)
        begin = np.maximum(begin, level.first_child[at.ranges])
        sizes = level.first_child[at.ranges] + level.children[at.ranges] - begin
        survived, _ = at.step(
            level.range_of,
            begin,
            sizes,
            budgets.general[index],
            budgets.general_thresholds[index],
            f"{sublevel.name}, general level {index + 1}",
            disjoint,
            noise,
        )
        at.ranges, at.low, at.high = survived, level.low[survived], level.high[survived]
    at = _joined([*waiting, at])
    begin = np.maximum(at.low, first[at.groups])
    values_left, noisy = at.step(
        _NO_RANGES,
        begin,
        at.high - begin,
        budgets.leaf,
        budgets.leaf_threshold,
        f"{sublevel.name}, leaves",
        disjoint,
        noise,
    )
    return _Survivors(at.groups, values_left, noisy, at.nodes, at.records)


class _Walk:
    """Nodes on the way down, each a group and a range, and the records at them."""

    def __init__(
        self,
        groups: Int64s,
        low: Int64s | np.int64,
        high: Int64s | np.int64,
        ranges: Int64s | np.int64,
        nodes: Int64s,
        values: Int32s,
        records: Int64s,
    ) -> None:
        self.groups = groups
        self.low, self.high, self.ranges = (
            np.broadcast_to(part, len(groups)).astype(np.int64) for part in (low, high, ranges)
        )
        self.nodes, self.values, self.records = nodes, values, records

    def renumber(self, n_groups: int) -> None:
        """Records come with the number of their group; those of groups that may take no value are left behind."""
        number = np.full(n_groups, -1, np.int64)
        number[self.groups] = np.arange(len(self.groups))
        self._keep_records(number)

    def take_singles(self) -> _Walk:
        """Nodes of one value leave the walk: they wait for the leaves."""
        single = self.high - self.low == 1
        return self._split(single)

    def _split(self, leaving: Bools) -> _Walk:
        number = np.where(leaving, np.cumsum(leaving) - 1, -1)
        gone = _Walk(
            self.groups[leaving],
            self.low[leaving],
            self.high[leaving],
            self.ranges[leaving],
            self.nodes,
            self.values,
            self.records,
        )
        gone._keep_records(number)
        staying = ~leaving
        self._keep_records(np.where(staying, np.cumsum(staying) - 1, -1))
        self.groups, self.low, self.high, self.ranges = (
            part[staying] for part in (self.groups, self.low, self.high, self.ranges)
        )
        return gone

    def _keep_records(self, number: Int64s) -> None:
        self.nodes, self.values, self.records = follow(self.nodes, self.values, self.records, number)

    def step(
        self,
        range_of: Int64s,
        begin: Int64s,
        sizes: Int64s,
        epsilon: Fraction,
        threshold: int,
        name: str,
        disjoint_by: str,
        noise: MeteredNoise,
    ) -> tuple[Int64s, Int64s]:
        """Split every node into `sizes` candidates from `begin` on; keep those that pass, and return what they are."""
        start = offsets_of(sizes)
        total = int(start[-1])
        if total > MOST_CANDIDATES:
            raise TooLarge(
                f"{name}: {len(sizes):,} nodes passed their threshold, and {total:,} counts would come next (at most "
                f"{MOST_CANDIDATES:,}). Most of them are noise: raise the thresholds or epsilon, or lower the height."
            )
        found = candidates(self.nodes, self.values, range_of, begin, start)
        if total <= _MOST_DENSE:
            counts = tally(found, total)
            occupied = np.flatnonzero(counts)
            counts = counts[occupied]
        else:
            occupied, counts = np.unique(found, return_counts=True)
        noisy, empty, values = noise.disjoint_counts(
            counts,
            total - len(occupied),
            epsilon,
            threshold,
            node=name,
            disjoint_by=disjoint_by,
        )
        passing = noisy >= threshold
        # The j-th empty candidate comes after as many occupied ones as lie before it.
        empty = empty + np.searchsorted(occupied - np.arange(len(occupied)), empty, side="right")
        survivors = np.concatenate([occupied[passing], empty])
        order = np.argsort(survivors, kind="stable")
        survivors, kept = survivors[order], np.concatenate([noisy[passing], values])[order]
        self._follow(found, survivors, total)
        parent = np.searchsorted(start, survivors, side="right") - 1
        what = begin[parent] + survivors - start[parent]
        self.groups = self.groups[parent]
        return what, kept

    def _follow(self, found: Int64s, survivors: Int64s, total: int) -> None:
        if total > _MOST_DENSE:
            place = np.searchsorted(survivors, found)
            hit = place < len(survivors)
            hit[hit] = survivors[place[hit]] == found[hit]
            found, total, survivors = (
                np.where(hit, place, len(survivors)),
                len(survivors) + 1,
                np.arange(len(survivors)),
            )
        slot = np.full(total, -1, np.int64)
        slot[survivors] = np.arange(len(survivors))
        self.nodes, self.values, self.records = follow(found, self.values, self.records, slot)


def _joined(walks: list[_Walk]) -> _Walk:
    shift = offsets_of(np.array([len(walk.groups) for walk in walks], np.int64))
    return _Walk(
        np.concatenate([walk.groups for walk in walks]),
        np.concatenate([walk.low for walk in walks]),
        np.concatenate([walk.high for walk in walks]),
        np.concatenate([walk.ranges for walk in walks]),
        np.concatenate([walk.nodes + moved for walk, moved in zip(walks, shift.tolist(), strict=False)]),
        np.concatenate([walk.values for walk in walks]),
        np.concatenate([walk.records for walk in walks]),
    )
