"""Merging symbols with their nearest neighbours until every listed subsequence is safe to publish.

Two numberings. A *slot* (0 to base - 1) names a symbol while subsequences of one size are worked on; slots follow
the order of the representatives. A *root* is the location code that stands for a symbol for good. The records hold
slots; distances, sizes and representatives belong to roots. A merge costs the records of the rarer symbol only.

A taxonomy makes symbols that mean different things lie farther apart: the distance is multiplied by the share of all
leaves below their closest common ancestor. Groups say with whom a symbol may be merged; one that is alone in its group
is suppressed. Its visits stay in the records until this size is done, which changes no other subsequence's support:
a subsequence without it is contained in the same records whether it stands there or not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.subsequences import (
    Scratch,
    Sequences,
    Tally,
    Wanted,
    add_to_counts,
    count_of,
    distinct_subsequences,
    is_short,
    list_pairs,
    rename_symbol,
    tells_too_much,
    with_room,
)

ENTRIES_PER_VISIT = 50  # table entries that can be added in the time of one visit
LIST_DONE, STEP_DONE, NO_ROW_LEFT, ONE_SYMBOL_LEFT, SYMBOL_SUPPRESSED = 0, 1, 2, 3, 4


class Places(NamedTuple):
    """Symbols as sets of locations. Average linkage is kept as sums: row of a root, column of a root."""

    x: Float64s
    y: Float64s
    height: Float64s  # 0 on a map; time, weighted, where locations are places with times
    occurring: Int32s  # codes that occur
    parent: Int32s  # union-find over codes; a root is its own parent
    size: Int64s  # by root: number of locations
    representative: Int32s  # by root: smallest code
    alive: Int32s  # roots in any order; the first n_alive count
    index_in_alive: Int32s
    n_alive: Int64s
    sums: Float64s  # 2-D: sums[row, root] = sum of distances between the members of both
    row: Int32s  # by root: its row of `sums`, -1 if it has none yet
    free_rows: Int32s
    n_free_rows: Int64s
    merges: Int32s  # 2-D: the representatives of both symbols of each merge; the first n_merges count
    n_merges: Int64s


class Guide(NamedTuple):
    """Who may be merged with whom. `node` is empty where there is no taxonomy; `parent` and `leaf_count` are its own,
    root first."""

    group: Int32s  # by location: its group
    node: Int32s  # by root: closest common ancestor of its locations
    parent: Int32s
    leaf_count: Int64s
    value: Float64s  # working space: by index among the living, the criterion
    may_suppress: bool  # else a symbol without a partner ends the merging
    suppressed: Bools  # by root
    order: Int32s  # suppressed roots, in order; the first n_suppressed[0] count
    n_suppressed: Int64s  # symbols, locations


class Records(NamedTuple):
    """Trajectories in slots, with the individuals of each slot."""

    sequences: Sequences
    posting_offsets: Int64s
    postings: Int32s
    next_posting: Int32s  # slots merged into one are chained
    last_posting: Int32s
    posted: Int64s  # by slot: entries in its chain
    support: Int64s  # by slot: individuals that hold it
    image: Int32s  # by slot: the slot it was merged into, or itself
    root: Int32s  # by slot: its root
    slot_of_root: Int32s
    mark: Int32s  # by individual: the merge that visited it last


@njit
def postings_of(offsets: Int64s, codes: Int32s, bounds: Int64s, base: int) -> tuple[Int64s, Int32s]:
    """The individuals that hold each slot, as offsets and one array."""
    last = np.full(base, -1, np.int64)
    held = np.zeros(base + 1, np.int64)
    for individual in range(len(bounds) - 1):
        for position in range(offsets[bounds[individual]], offsets[bounds[individual + 1]]):
            if last[codes[position]] != individual:
                last[codes[position]] = individual
                held[codes[position] + 1] += 1
    starts = np.cumsum(held)
    filled = starts[:-1].copy()
    postings = np.empty(starts[-1], np.int32)
    last[:] = -1
    for individual in range(len(bounds) - 1):
        for position in range(offsets[bounds[individual]], offsets[bounds[individual + 1]]):
            slot = codes[position]
            if last[slot] != individual:
                last[slot] = individual
                postings[filled[slot]] = individual
                filled[slot] += 1
    return starts, postings


@njit
def root_of(parent: Int32s, code: int) -> int:
    """The root of a code; the path walked is shortened."""
    while parent[code] != code:
        parent[code] = parent[parent[code]]
        code = parent[code]
    return code


@njit
def roots_of(parent: Int32s, codes: Int32s) -> Int32s:
    """The root of each code."""
    roots = np.empty(len(codes), np.int32)
    for index in range(len(codes)):
        roots[index] = root_of(parent, codes[index])
    return roots


@njit
def image_of(records: Records, slot: int) -> int:
    """Return the symbol that a slot was merged into, and shorten the way to it."""
    while records.image[slot] != slot:
        records.image[slot] = records.image[records.image[slot]]
        slot = records.image[slot]
    return slot


@njit
def ensure_row(places: Places, root: int) -> None:
    """Sum the distances from a location to every symbol; a merged symbol always has its row already."""
    if places.row[root] >= 0:
        return
    places.n_free_rows[0] -= 1
    row = places.free_rows[places.n_free_rows[0]]
    places.row[root] = row
    for index in range(places.n_alive[0]):
        places.sums[row, places.alive[index]] = 0.0
    for code in places.occurring:
        distance = np.sqrt(
            (places.x[root] - places.x[code]) ** 2
            + (places.y[root] - places.y[code]) ** 2
            + (places.height[root] - places.height[code]) ** 2
        )
        places.sums[row, root_of(places.parent, code)] += distance


@njit
def meeting_node(parent: Int32s, one: int, other: int) -> int:
    """The closest common ancestor; a parent has a smaller number than its children."""
    while one != other:
        if one > other:
            one = parent[one]
        else:
            other = parent[other]
    return one


@njit
def nearest_partner(places: Places, guide: Guide, root: int) -> int:
    """The symbol of the same group with the smallest criterion, among ties the smallest representative; -1 if none."""
    ensure_row(places, root)
    row = places.row[root]
    size = places.size[root]
    meant = len(guide.node) > 0
    best = np.inf
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        guide.value[index] = np.inf
        if other != root and guide.group[other] == guide.group[root]:
            value = places.sums[row, other] / (size * places.size[other])
            if meant:
                ancestor = meeting_node(guide.parent, guide.node[root], guide.node[other])
                value *= guide.leaf_count[ancestor] / guide.leaf_count[0]
            guide.value[index] = value
            best = min(best, value)
    nearest = -1
    if best == np.inf:
        return nearest
    limit = best + 1e-9 * max(1.0, best)
    for index in range(places.n_alive[0]):
        if guide.value[index] <= limit:
            other = places.alive[index]
            if nearest < 0 or places.representative[other] < places.representative[nearest]:
                nearest = other
    return nearest


@njit
def _take_out(places: Places, root: int) -> None:
    """The symbol is no longer among the living."""
    last = places.alive[places.n_alive[0] - 1]
    places.alive[places.index_in_alive[root]] = last
    places.index_in_alive[last] = places.index_in_alive[root]
    places.n_alive[0] -= 1


@njit
def _free_row(places: Places, root: int) -> None:
    """Give back the row of distances of a symbol."""
    if places.row[root] >= 0:
        places.free_rows[places.n_free_rows[0]] = places.row[root]
        places.n_free_rows[0] += 1
        places.row[root] = -1


@njit
def suppress_symbol(places: Places, guide: Guide, root: int) -> None:
    """Nobody may be merged with this symbol: it will not be published."""
    _take_out(places, root)
    _free_row(places, root)
    guide.suppressed[root] = True
    guide.order[guide.n_suppressed[0]] = root
    guide.n_suppressed[0] += 1
    guide.n_suppressed[1] += places.size[root]


@njit
def join_places(places: Places, guide: Guide, kept: int, gone: int) -> None:
    """Make one symbol of two: root `kept` stands for both."""
    if len(guide.node) > 0:
        guide.node[kept] = meeting_node(guide.parent, guide.node[kept], guide.node[gone])
    ensure_row(places, kept)
    ensure_row(places, gone)
    into, out = places.row[kept], places.row[gone]
    _take_out(places, gone)
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        places.sums[into, other] += places.sums[out, other]
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        if places.row[other] >= 0 and other != kept:
            places.sums[places.row[other], kept] = places.sums[into, other]
    _free_row(places, gone)
    places.parent[gone] = kept
    places.size[kept] += places.size[gone]
    places.representative[kept] = min(places.representative[kept], places.representative[gone])


@njit
def join_records(
    records: Records,
    kept: int,
    gone: int,
    stamp: int,
    scratch: Scratch,
    tally: Tally,
    found: Int64s,
    pairs: Int64s,
) -> tuple[Tally, Int64s, Int64s]:
    """Relabel slot `gone` to `kept`, individual by individual, and move their counts."""
    sequences = records.sequences
    offsets, codes = sequences.offsets, sequences.codes
    # Where the table is dense and small beside the individuals to visit, all counts of `gone` are added to those of
    # `kept` at once. That is exact for everybody who holds only one of the two; the others are put right one by one.
    renamed = (sequences.kinds + 1) * scratch.size * scratch.base ** (scratch.size - 1)
    in_bulk = len(tally.keys) == 0 and renamed < ENTRIES_PER_VISIT * records.posted[gone]
    if in_bulk:
        rename_symbol(tally.counts, scratch.size, scratch.base, gone, kept)
    posting = gone
    while posting >= 0:
        for entry in range(records.posting_offsets[posting], records.posting_offsets[posting + 1]):
            individual = records.postings[entry]
            if records.mark[individual] == stamp:
                continue
            records.mark[individual] = stamp
            first, last = sequences.bounds[individual], sequences.bounds[individual + 1]
            start, end = offsets[first], offsets[last]
            holds_kept = False
            for position in range(start, end):
                if codes[position] == kept:
                    holds_kept = True
            n_keys = -1
            while n_keys < 0 and (holds_kept or not in_bulk):
                before = Wanted(gone, kept if holds_kept else gone, kept)
                if sequences.kinds == 0:
                    n_keys = distinct_subsequences(offsets, codes, first, last, before, scratch, pairs)
                else:
                    n_keys = list_pairs(sequences, individual, before, scratch, found, pairs)
                if n_keys < 0:
                    found, pairs = np.empty((2, -n_keys), np.int64), np.empty((2, -n_keys), np.int64)
                else:
                    add_to_counts(tally, pairs[1] if in_bulk else pairs[0], n_keys, -1)
            for position in range(start, end):
                if codes[position] == gone:
                    codes[position] = kept
            if holds_kept:
                # No more room is needed than before: merging two symbols never makes new subsequences.
                after = Wanted(kept, kept, kept)
                if sequences.kinds == 0:
                    n_keys = distinct_subsequences(offsets, codes, first, last, after, scratch, pairs)
                else:
                    n_keys = list_pairs(sequences, individual, after, scratch, found, pairs)
            else:
                records.support[kept] += 1
            if holds_kept or not in_bulk:
                if is_short(tally, n_keys):
                    tally = with_room(tally, n_keys)
                # Without `kept` in sight the subsequences stay where they are and only change their names: row 1.
                add_to_counts(tally, pairs[1], n_keys, 1)
        posting = records.next_posting[posting]
    records.next_posting[records.last_posting[kept]] = gone
    records.last_posting[kept] = records.last_posting[gone]
    records.posted[kept] += records.posted[gone]
    records.image[gone] = kept
    return tally, found, pairs


@njit
def _rarest(records: Records, places: Places, slots: Int64s) -> int:
    """The slot that the fewest individuals hold; among equals the one with the smallest representative."""
    rarest = slots[0]
    for slot in slots[1:]:
        if records.support[slot] < records.support[rarest] or (
            records.support[slot] == records.support[rarest]
            and places.representative[records.root[slot]] < places.representative[records.root[rarest]]
        ):
            rarest = slot
    return int(rarest)


@njit
def merge_until_safe(
    records: Records,
    places: Places,
    guide: Guide,
    listed: Int64s,
    first: int,
    k: int,
    diversity: int,
    scratch: Scratch,
    tally: Tally,
    most_merges: int,
) -> tuple[int, int, Tally]:
    """Work through `listed` from `first` on: merge until each subsequence violates neither bound.

    A listed subsequence that lost a symbol by suppression is done: what is left of it is shorter, and shorter ones
    are safe already. Returns after the list, after `most_merges` merges (so that the caller can tell progress or
    stop), after a suppression, when no row of distances is left, or when nothing is left to merge with. The answer
    is why, the next in the list, and the tally.
    """
    size, base = scratch.size, scratch.base
    found = np.empty((2, 1024), np.int64)
    pairs = np.empty((2, 1024), np.int64)
    image = np.empty(size, np.int64)
    plane = base**size
    stop_at = places.n_merges[0] + most_merges
    kinds, roots, suppressed = records.sequences.kinds, records.root, guide.suppressed
    for index in range(first, len(listed)):
        while True:
            # The listed subsequence in the symbols of now.
            packed = listed[index]
            whole = True
            for element in range(size - 1, -1, -1):
                image[element] = image_of(records, packed % base)
                packed //= base
                if suppressed[roots[image[element]]]:
                    whole = False
            key = 0
            for element in range(size):
                key = key * base + image[element]
            support = count_of(tally, key)
            if not whole or (
                support >= k and (kinds == 0 or not tells_too_much(tally, key, plane, kinds, support, diversity))
            ):
                break
            if places.n_alive[0] < 2 and not guide.may_suppress:
                return ONE_SYMBOL_LEFT, index, tally
            if places.n_merges[0] >= stop_at:
                return STEP_DONE, index, tally
            if places.n_free_rows[0] < 2:
                return NO_ROW_LEFT, index, tally
            # Its rarest symbol is merged with the nearest one.
            rarest = _rarest(records, places, image)
            partner = nearest_partner(places, guide, records.root[rarest])
            if partner < 0:
                suppress_symbol(places, guide, records.root[rarest])
                return SYMBOL_SUPPRESSED, index + 1, tally
            nearest = int(records.slot_of_root[partner])
            places.merges[places.n_merges[0], 0] = places.representative[records.root[rarest]]
            places.merges[places.n_merges[0], 1] = places.representative[partner]
            places.n_merges[0] += 1
            kept, gone = rarest, nearest
            if records.posted[kept] < records.posted[gone]:
                kept, gone = gone, kept
            tally, found, pairs = join_records(records, kept, gone, places.n_merges[0], scratch, tally, found, pairs)
            join_places(places, guide, records.root[kept], records.root[gone])
    return LIST_DONE, len(listed), tally
