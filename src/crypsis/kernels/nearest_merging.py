"""Merging rare symbols with their nearest neighbour until every listed subsequence is frequent.

Two numberings. A *slot* (0 to base - 1) names a symbol while subsequences of one size are worked on; slots follow
the order of the representatives. A *root* is the location code that stands for a symbol for good. The records hold
slots; distances, sizes and representatives belong to roots. A merge costs the records of the rarer symbol only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.subsequences import (
    Scratch,
    add_to_counts,
    count_of,
    distinct_subsequences,
    is_short,
    rename_symbol,
    with_room,
)

ENTRIES_PER_VISIT = 50  # table entries that can be added in the time of one visit
LIST_DONE, STEP_DONE, NO_ROW_LEFT, ONE_SYMBOL_LEFT = 0, 1, 2, 3


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
    place_in_alive: Int32s
    n_alive: Int64s
    sums: Float64s  # 2-D: sums[row, root] = sum of distances between the members of both
    row: Int32s  # by root: its row of `sums`, -1 if it has none yet
    free_rows: Int32s
    n_free_rows: Int64s


class Records(NamedTuple):
    """Trajectories in slots, grouped by individual, with the individuals of each slot."""

    offsets: Int64s
    codes: Int32s
    bounds: Int64s
    posting_offsets: Int64s
    postings: Int32s
    next_posting: Int32s  # slots merged into one are chained
    last_posting: Int32s
    posted: Int64s  # by slot: entries in its chain
    support: Int64s  # by slot: individuals that hold it
    image: Int32s  # by slot: the slot it was merged into, or itself
    root: Int32s  # by slot: its root
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
def nearest_root(places: Places, root: int) -> int:
    """The symbol with the smallest average distance; among ties the smallest representative."""
    ensure_row(places, root)
    row = places.row[root]
    best = np.inf
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        if other != root:
            best = min(best, places.sums[row, other] / (places.size[root] * places.size[other]))
    limit = best + 1e-9 * max(1.0, best)
    nearest = -1
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        if other != root and places.sums[row, other] / (places.size[root] * places.size[other]) <= limit:
            if nearest < 0 or places.representative[other] < places.representative[nearest]:
                nearest = other
    return nearest


@njit
def join_places(places: Places, kept: int, gone: int) -> None:
    ensure_row(places, kept)
    ensure_row(places, gone)
    into, out = places.row[kept], places.row[gone]
    last = places.alive[places.n_alive[0] - 1]
    places.alive[places.place_in_alive[gone]] = last
    places.place_in_alive[last] = places.place_in_alive[gone]
    places.n_alive[0] -= 1
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        places.sums[into, other] += places.sums[out, other]
    for index in range(places.n_alive[0]):
        other = places.alive[index]
        if places.row[other] >= 0 and other != kept:
            places.sums[places.row[other], kept] = places.sums[into, other]
    places.free_rows[places.n_free_rows[0]] = out
    places.n_free_rows[0] += 1
    places.row[gone] = -1
    places.parent[gone] = kept
    places.size[kept] += places.size[gone]
    places.representative[kept] = min(places.representative[kept], places.representative[gone])


@njit
def join_records(
    records: Records,
    kept: int,
    gone: int,
    size: int,
    base: int,
    stamp: int,
    keys: Int64s,
    counts: Int32s,
    used: int,
    scratch: Scratch,
    found: Int64s,
) -> tuple[Int64s, Int32s, int, Int64s]:
    """Relabel slot `gone` to `kept`, individual by individual, and move their counts."""
    # Where the table is dense and small beside the individuals to visit, all counts of `gone` are added to those of
    # `kept` at once. That is exact for everybody who holds only one of the two; the others are put right one by one.
    in_bulk = len(keys) == 0 and size * base ** (size - 1) < ENTRIES_PER_VISIT * records.posted[gone]
    if in_bulk:
        rename_symbol(counts, size, base, gone, kept)
    posting = gone
    while posting >= 0:
        for entry in range(records.posting_offsets[posting], records.posting_offsets[posting + 1]):
            individual = records.postings[entry]
            if records.mark[individual] == stamp:
                continue
            records.mark[individual] = stamp
            first, last = records.bounds[individual], records.bounds[individual + 1]
            start, end = records.offsets[first], records.offsets[last]
            holds_kept = False
            for position in range(start, end):
                if records.codes[position] == kept:
                    holds_kept = True
            if holds_kept or not in_bulk:
                also = kept if holds_kept else gone
                n_found = -1
                while n_found < 0:
                    n_found = distinct_subsequences(
                        records.offsets,
                        records.codes,
                        first,
                        last,
                        size,
                        base,
                        gone,
                        also,
                        kept,
                        scratch,
                        found,
                    )
                    if n_found < 0:
                        found = np.empty((2, -n_found), np.int64)
                used = add_to_counts(keys, counts, used, found[1] if in_bulk else found[0], n_found, -1)
            for position in range(start, end):
                if records.codes[position] == gone:
                    records.codes[position] = kept
            if holds_kept:
                # No more room is needed than before: merging two symbols never makes new subsequences.
                n_found = distinct_subsequences(
                    records.offsets, records.codes, first, last, size, base, kept, kept, kept, scratch, found
                )
            else:
                records.support[kept] += 1
            if holds_kept or not in_bulk:
                if is_short(keys, used, n_found):
                    keys, counts, used = with_room(keys, counts, used, n_found)
                # Without `kept` in sight the subsequences keep their places and only change their names: row 1.
                used = add_to_counts(keys, counts, used, found[1], n_found, 1)
        posting = records.next_posting[posting]
    records.next_posting[records.last_posting[kept]] = gone
    records.last_posting[kept] = records.last_posting[gone]
    records.posted[kept] += records.posted[gone]
    records.image[gone] = kept
    return keys, counts, used, found


@njit
def merge_until_frequent(
    records: Records,
    places: Places,
    slot_of_root: Int32s,
    rare: Int64s,
    first: int,
    k: int,
    size: int,
    base: int,
    scratch: Scratch,
    keys: Int64s,
    counts: Int32s,
    used: int,
    merges: Int32s,
    n_merges: int,
    most_merges: int,
) -> tuple[int, int, Int64s, Int32s, int, int]:
    """Work through `rare` from `first` on: merge until each subsequence is shared by k individuals.

    Returns after the list, after `most_merges` merges (so that the caller can tell progress or stop), when no
    row of distances is left, or when nothing is left to merge with. The answer is why, the next in the list, the
    table with its keys in use, and the merges so far.
    `merges[i]` holds the representatives of both symbols of merge i.
    """
    found = np.empty((2, 1024), np.int64)
    image = np.empty(size, np.int64)
    stop_at = min(n_merges + most_merges, len(merges))
    for index in range(first, len(rare)):
        while True:
            packed = rare[index]
            for element in range(size - 1, -1, -1):
                image[element] = image_of(records, packed % base)
                packed //= base
            key = 0
            for element in range(size):
                key = key * base + image[element]
            if count_of(keys, counts, key) >= k:
                break
            if n_merges >= stop_at:
                return STEP_DONE, index, keys, counts, used, n_merges
            if places.n_alive[0] < 2:
                return ONE_SYMBOL_LEFT, index, keys, counts, used, n_merges
            if places.n_free_rows[0] < 2:
                return NO_ROW_LEFT, index, keys, counts, used, n_merges
            rarest = image[0]
            for element in range(1, size):
                slot = image[element]
                if records.support[slot] < records.support[rarest] or (
                    records.support[slot] == records.support[rarest]
                    and places.representative[records.root[slot]] < places.representative[records.root[rarest]]
                ):
                    rarest = slot
            nearest = slot_of_root[nearest_root(places, records.root[rarest])]
            merges[n_merges, 0] = places.representative[records.root[rarest]]
            merges[n_merges, 1] = places.representative[records.root[nearest]]
            n_merges += 1
            kept, gone = rarest, nearest
            if records.posted[kept] < records.posted[gone]:
                kept, gone = gone, kept
            keys, counts, used, found = join_records(
                records, kept, gone, size, base, n_merges, keys, counts, used, scratch, found
            )
            join_places(places, records.root[kept], records.root[gone])
    return LIST_DONE, len(rare), keys, counts, used, n_merges
