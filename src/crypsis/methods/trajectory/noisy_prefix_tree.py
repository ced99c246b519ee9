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
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.errors import TooLarge
from crypsis.methods.trajectory.safe_path_budgets import Budgets
from crypsis.methods.trajectory.value_ranges import ValueRanges
from crypsis.methods.trajectory.walking_records import WalkingRecords
from crypsis.noise import MeteredNoise

MOST_CANDIDATES = 1 << 34
_NO_RANGES = np.zeros(0, np.int64)


@dataclass(frozen=True)
class VisitSpace:
    """What may be visited, and in which order."""

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
    """What one sublevel leaves: groups and values of the leaves, and their noisy counts."""

    groups: Int64s
    values: Int64s
    noisy: Int64s


def grow(
    records: WalkingRecords,
    space: VisitSpace,
    height: int,
    sublevels: Sequence[Sublevel],
    noise: MeteredNoise,
    *,
    n_roots: int = 1,
) -> list[TreeLevel]:
    """The levels of the tree, or of a forest of `n_roots` independent ones."""
    levels: list[TreeLevel] = []
    none = np.full(n_roots, -1, np.int64)
    last = TreeLevel(none, none.astype(np.int32), none.astype(np.int32), none)
    for level in range(height):
        records.tell("begin", level)
        with noise.scope(f"level {level + 1}"):
            if len(sublevels) == 1:
                grown = _pairs(records, space, level, last, sublevels[0], noise)
            else:
                grown = _locations_then_times(records, space, level, last, sublevels, noise)
        if not len(grown):
            break
        levels.append(grown)
        last = grown
    return levels


def _locations_then_times(
    records: WalkingRecords,
    space: VisitSpace,
    level: int,
    above: TreeLevel,
    sublevels: Sequence[Sublevel],
    noise: MeteredNoise,
) -> TreeLevel:
    places, moments = sublevels
    first = np.where(_times_left(space, above), 0, _first_location(space, above))
    records.tell("look_at", level, "locations")
    survivors = _survivors(places, first, records, noise)

    # A place after the parent's own may be visited at the same time, where the order allows it.
    parents = survivors.groups
    first = _first_time(space, above, parents, survivors.values)
    records.tell("look_at", level, "times")
    timed = _survivors(moments, first, records, noise)
    return _ordered(parents[timed.groups], survivors.values[timed.groups], timed.values, timed.noisy, records)


def _pairs(
    records: WalkingRecords,
    space: VisitSpace,
    level: int,
    above: TreeLevel,
    sublevel: Sublevel,
    noise: MeteredNoise,
) -> TreeLevel:
    """Locations and times as one domain in canonical order: by time, then by location."""
    width = space.n_locations
    records.tell("look_at", level, "pairs")
    times, places = above.times.astype(np.int64), above.locations.astype(np.int64)
    after = places + 1 if space.order == "canonical" else np.full(len(above), width * (space.order == "strict"))
    first = np.where(times < 0, 0, times * width + after)
    survivors = _survivors(sublevel, first, records, noise)
    return _ordered(survivors.groups, survivors.values % width, survivors.values // width, survivors.noisy, records)


def _times_left(space: VisitSpace, above: TreeLevel) -> Bools:
    """Whether every location may still be visited under a node."""
    if space.order == "nondecreasing":
        return np.ones(len(above), np.bool_)
    return np.less(above.times, space.n_times - 1)


def _first_location(space: VisitSpace, above: TreeLevel) -> Int64s:
    """The first location that may be visited at the very last time."""
    if space.order == "strict":
        return np.full(len(above), space.n_locations, np.int64)
    return above.locations.astype(np.int64) + 1


def _first_time(space: VisitSpace, above: TreeLevel, parents: Int64s, places: Int64s) -> Int64s:
    """The first time at which these locations may be visited under these nodes."""
    times = above.times[parents].astype(np.int64)
    if space.order == "canonical":
        first = times + (places <= above.locations[parents])
    else:
        first = times + (space.order == "strict")
    return np.where(times < 0, 0, first)


def _ordered(parents: Int64s, places: Int64s, times: Int64s, noisy: Int64s, records: WalkingRecords) -> TreeLevel:
    order = np.lexsort((places, times, parents))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    records.tell("rank", rank)
    return TreeLevel(parents[order], places[order].astype(np.int32), times[order].astype(np.int32), noisy[order])


def _survivors(sublevel: Sublevel, first: Int64s, records: WalkingRecords, noise: MeteredNoise) -> _Survivors:
    """Walk down the ranges: general levels first, then each value of the ranges that are left.

    Group g may take the values from `first[g]` on; records are at their groups, and end at the values that survive.
    """
    ranges, budgets = sublevel.ranges, sublevel.budgets
    disjoint = f"a record has one value among the {sublevel.name} of a level"
    groups = np.flatnonzero(first < ranges.size)
    number = np.full(len(first), -1, np.int64)
    number[groups] = np.arange(len(groups))
    records.tell("renumber", number)
    none = np.zeros(len(groups), np.int64)
    at = _Nodes(groups, none, none + ranges.size, none)
    waiting: list[_Nodes] = []
    for index, level in enumerate(ranges.levels):
        single = at.high - at.low == 1  # nodes of one value leave the walk: they wait for the leaves
        records.tell("split", _numbered(single), _numbered(~single))
        waiting.append(at.take(single))
        at = at.take(~single)
        begin = np.where(first[at.groups] > at.low, level.range_of[np.maximum(first[at.groups], at.low)], 0)
        begin = np.maximum(begin, level.first_child[at.ranges])
        sizes = level.first_child[at.ranges] + level.children[at.ranges] - begin
        parents, survived, _ = _step(
            records,
            level.range_of,
            begin,
            sizes,
            budgets.general[index],
            budgets.general_thresholds[index],
            f"{sublevel.name}, general level {index + 1}",
            disjoint,
            noise,
        )
        at = _Nodes(at.groups[parents], level.low[survived], level.high[survived], survived)
    together = [*waiting, at]
    records.tell("join", offsets_of(np.array([len(nodes.groups) for nodes in together], np.int64))[:-1].tolist())
    at = _Nodes(*(np.concatenate(parts) for parts in zip(*together, strict=True)))
    begin = np.maximum(at.low, first[at.groups])
    parents, values, noisy = _step(
        records,
        _NO_RANGES,
        begin,
        at.high - begin,
        budgets.leaf,
        budgets.leaf_threshold,
        f"{sublevel.name}, leaves",
        disjoint,
        noise,
    )
    return _Survivors(at.groups[parents], values, noisy)


class _Nodes(NamedTuple):
    """Nodes on the way down, each a group and a range."""

    groups: Int64s
    low: Int64s
    high: Int64s
    ranges: Int64s

    def take(self, chosen: Bools) -> _Nodes:
        return _Nodes(*(part[chosen] for part in self))


def _numbered(chosen: Bools) -> Int64s:
    """The chosen ones by a running number, the others by -1."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1)


def _step(
    records: WalkingRecords,
    range_of: Int64s,
    begin: Int64s,
    sizes: Int64s,
    epsilon: Fraction,
    threshold: int,
    name: str,
    disjoint_by: str,
    noise: MeteredNoise,
) -> tuple[Int64s, Int64s, Int64s]:
    """Split every node into `sizes` candidates from `begin` on; those that pass: their nodes, what and how many."""
    start = offsets_of(sizes)
    total = int(start[-1])
    if total > MOST_CANDIDATES:
        raise TooLarge(
            f"{name}: {len(sizes):,} nodes passed their threshold, and {total:,} counts would come next (at most "
            f"{MOST_CANDIDATES:,}). Most of them are noise: raise the thresholds or epsilon, or lower the height."
        )
    occupied, counts = records.occupied(range_of, begin, start, total)
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
    records.tell("survive", survivors, total)
    parents = np.searchsorted(start, survivors, side="right") - 1
    return parents, begin[parents] + survivors - start[parents], kept
