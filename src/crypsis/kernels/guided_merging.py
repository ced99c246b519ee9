"""Merging rare symbols as `nearest_merging` does, guided by what locations mean or by which may be merged at all.

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
from crypsis.kernels.nearest_merging import (
    LIST_DONE,
    NO_ROW_LEFT,
    STEP_DONE,
    Places,
    Records,
    ensure_row,
    image_of,
    join_places,
    join_records,
)
from crypsis.kernels.subsequences import Scratch, count_of

TOO_MANY_SUPPRESSED = 4


class Guide(NamedTuple):
    """`node` is empty where there is no taxonomy; `parent` and `leaf_count` are the taxonomy's, root first."""

    group: Int32s  # by location: its group
    node: Int32s  # by root: closest common ancestor of its locations
    parent: Int32s
    leaf_count: Int64s
    value: Float64s  # working space: by place among the living, the criterion
    suppressed: Bools  # by root
    order: Int32s  # suppressed roots, in order; the first n_suppressed[0] count
    n_suppressed: Int64s  # symbols, locations


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
def nearest_allowed(places: Places, guide: Guide, root: int) -> int:
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
def suppress_symbol(places: Places, guide: Guide, root: int) -> None:
    last = places.alive[places.n_alive[0] - 1]
    places.alive[places.place_in_alive[root]] = last
    places.place_in_alive[last] = places.place_in_alive[root]
    places.n_alive[0] -= 1
    if places.row[root] >= 0:
        places.free_rows[places.n_free_rows[0]] = places.row[root]
        places.n_free_rows[0] += 1
        places.row[root] = -1
    guide.suppressed[root] = True
    guide.order[guide.n_suppressed[0]] = root
    guide.n_suppressed[0] += 1
    guide.n_suppressed[1] += places.size[root]


@njit
def merge_or_suppress_until_frequent(
    records: Records,
    places: Places,
    guide: Guide,
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
    most_percent: float,
    n_locations: int,
) -> tuple[int, int, Int64s, Int32s, int, int]:
    """Work through `rare` as `merge_until_frequent` does; a symbol without a partner is suppressed.

    A listed subsequence that lost a symbol is done: what is left of it is shorter, and shorter ones are frequent
    already. Ends at once when more than `most_percent` of `n_locations` locations have been suppressed.
    """
    found = np.empty((2, 1024), np.int64)
    image = np.empty(size, np.int64)
    stop_at = n_merges + most_merges
    for index in range(first, len(rare)):
        while True:
            packed = rare[index]
            whole = True
            for element in range(size - 1, -1, -1):
                image[element] = image_of(records, packed % base)
                packed //= base
                if guide.suppressed[records.root[image[element]]]:
                    whole = False
            key = 0
            for element in range(size):
                key = key * base + image[element]
            if not whole or count_of(keys, counts, key) >= k:
                break
            if n_merges >= stop_at:
                return STEP_DONE, index, keys, counts, used, n_merges
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
            nearest_root = nearest_allowed(places, guide, records.root[rarest])
            if nearest_root < 0:
                suppress_symbol(places, guide, records.root[rarest])
                if 100.0 * guide.n_suppressed[1] / n_locations > most_percent + 1e-9:
                    return TOO_MANY_SUPPRESSED, index, keys, counts, used, n_merges
                break
            nearest = slot_of_root[nearest_root]
            merges[n_merges, 0] = places.representative[records.root[rarest]]
            merges[n_merges, 1] = places.representative[records.root[nearest]]
            n_merges += 1
            kept, gone = rarest, nearest
            if records.posted[kept] < records.posted[gone]:
                kept, gone = gone, kept
            keys, counts, used, found = join_records(
                records, kept, gone, size, base, n_merges, keys, counts, used, scratch, found
            )
            if len(guide.node) > 0:
                kept_root, gone_root = records.root[kept], records.root[gone]
                guide.node[kept_root] = meeting_node(guide.parent, guide.node[kept_root], guide.node[gone_root])
            join_places(places, records.root[kept], records.root[gone])
    return LIST_DONE, len(rare), keys, counts, used, n_merges
