"""Merging symbols until every subsequence is shared by enough individuals and tells too little about any of them.

As in `nearest_merging`, with one count more for each sensitive location f: how many individuals have a record that
holds both the subsequence and f. The pair is packed as f * base^size + subsequence with f from 1 on; f = 0 counts
the subsequence alone. Record r holds the sensitive locations held[held_offsets[r]:held_offsets[r + 1]], each once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.nearest_merging import (
    ENTRIES_PER_VISIT,
    LIST_DONE,
    NO_ROW_LEFT,
    ONE_SYMBOL_LEFT,
    STEP_DONE,
    Places,
    Records,
    image_of,
    join_places,
    nearest_root,
)
from crypsis.kernels.subsequences import (
    ANY,
    Scratch,
    add_to_counts,
    count_of,
    distinct_subsequences,
    is_short,
    rename_symbol,
    with_room,
)


class Held(NamedTuple):
    """The sensitive locations of each record, numbered from 1; `kinds` is how many there are."""

    offsets: Int64s
    codes: Int32s
    kinds: int


@njit
def distinct_pairs(
    offsets: Int64s,
    codes: Int32s,
    held: Held,
    first_record: int,
    last_record: int,
    size: int,
    base: int,
    wanted: int,
    also: int,
    instead: int,
    scratch: Scratch,
    found: Int64s,
    pairs: Int64s,
) -> tuple[int, Int64s, Int64s]:
    """One individual's subsequences, alone and with each sensitive location of the same record.

    Arguments and both rows are those of `distinct_subsequences`. Returns how many pairs there are, and the two
    buffers, which may have grown.
    """
    plane = base**size
    n_pairs = 0
    for record in range(first_record, last_record):
        n_found = -1
        while n_found < 0:
            n_found = distinct_subsequences(
                offsets, codes, record, record + 1, size, base, wanted, also, instead, scratch, found
            )
            if n_found < 0:
                found = np.empty((2, -n_found), np.int64)
        first_held, last_held = held.offsets[record], held.offsets[record + 1]
        needed = n_pairs + n_found * (1 + last_held - first_held)
        if needed > pairs.shape[1]:
            wider = np.empty((2, 2 * needed), np.int64)
            wider[:, :n_pairs] = pairs[:, :n_pairs]
            pairs = wider
        for index in range(n_found):
            pairs[0, n_pairs] = found[0, index]
            pairs[1, n_pairs] = found[1, index]
            n_pairs += 1
        for entry in range(first_held, last_held):
            shift = held.codes[entry] * plane
            for index in range(n_found):
                pairs[0, n_pairs] = found[0, index] + shift
                pairs[1, n_pairs] = found[1, index] + shift
                n_pairs += 1
    if last_record - first_record > 1:
        order = np.argsort(pairs[0, :n_pairs])
        ordered = pairs[:, :n_pairs].copy()
        kept = 0
        for index in order:
            if kept == 0 or ordered[0, index] != pairs[0, kept - 1]:
                pairs[0, kept] = ordered[0, index]
                pairs[1, kept] = ordered[1, index]
                kept += 1
        n_pairs = kept
    return n_pairs, found, pairs


@njit
def count_pairs(
    records: Records,
    held: Held,
    first: int,
    last: int,
    size: int,
    base: int,
    scratch: Scratch,
    keys: Int64s,
    counts: Int32s,
    used: int,
) -> tuple[Int64s, Int32s, int]:
    """Count the subsequences and pairs of individuals `first` to `last` - 1 into the table."""
    found = np.empty((2, 1024), np.int64)
    pairs = np.empty((2, 1024), np.int64)
    for individual in range(first, last):
        n_pairs, found, pairs = distinct_pairs(
            records.offsets,
            records.codes,
            held,
            records.bounds[individual],
            records.bounds[individual + 1],
            size,
            base,
            ANY,
            ANY,
            ANY,
            scratch,
            found,
            pairs,
        )
        if is_short(keys, used, n_pairs):
            keys, counts, used = with_room(keys, counts, used, n_pairs)
        used = add_to_counts(keys, counts, used, pairs[0], n_pairs, 1)
    return keys, counts, used


@njit
def _violates(keys: Int64s, counts: Int32s, key: int, plane: int, kinds: int, k: int, diversity: int) -> bool:
    """Fewer than k individuals share the subsequence, or more than one in `diversity` hold one secret."""
    support = count_of(keys, counts, key)
    if support < k:
        return True
    for kind in range(1, kinds + 1):  # noqa: SIM110 (loops are written for numba)
        if diversity * count_of(keys, counts, key + kind * plane) > support:
            return True
    return False


@njit
def violating_subsequences(keys: Int64s, counts: Int32s, plane: int, kinds: int, k: int, diversity: int) -> Int64s:
    """Packed subsequences that occur and violate, rarest first, equal ones in packed order."""
    bad = np.empty(1024, np.int64)
    support = np.empty(1024, np.int64)
    n_bad = 0
    for place in range(min(plane, len(counts)) if len(keys) == 0 else len(keys)):
        key = place if len(keys) == 0 else keys[place]
        if counts[place] == 0 or key < 0 or key >= plane:
            continue
        if _violates(keys, counts, key, plane, kinds, k, diversity):
            if n_bad == len(bad):
                bad = np.append(bad, np.empty(n_bad, np.int64))
                support = np.append(support, np.empty(n_bad, np.int64))
            bad[n_bad] = key
            support[n_bad] = counts[place]
            n_bad += 1
    bad, support = bad[:n_bad], support[:n_bad]
    order = np.argsort(bad)
    bad, support = bad[order], support[order]
    return bad[np.argsort(support, kind="mergesort")]


@njit
def join_records(
    records: Records,
    held: Held,
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
    pairs: Int64s,
) -> tuple[Int64s, Int32s, int, Int64s, Int64s]:
    """Relabel slot `gone` to `kept`, individual by individual, and move their counts; see `nearest_merging`."""
    in_bulk = len(keys) == 0 and (held.kinds + 1) * size * base ** (size - 1) < ENTRIES_PER_VISIT * records.posted[gone]
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
            n_pairs = 0
            if holds_kept or not in_bulk:
                also = kept if holds_kept else gone
                n_pairs, found, pairs = distinct_pairs(
                    records.offsets,
                    records.codes,
                    held,
                    first,
                    last,
                    size,
                    base,
                    gone,
                    also,
                    kept,
                    scratch,
                    found,
                    pairs,
                )
                used = add_to_counts(keys, counts, used, pairs[1] if in_bulk else pairs[0], n_pairs, -1)
            for position in range(start, end):
                if records.codes[position] == gone:
                    records.codes[position] = kept
            if holds_kept:
                n_pairs, found, pairs = distinct_pairs(
                    records.offsets,
                    records.codes,
                    held,
                    first,
                    last,
                    size,
                    base,
                    kept,
                    kept,
                    kept,
                    scratch,
                    found,
                    pairs,
                )
            else:
                records.support[kept] += 1
            if holds_kept or not in_bulk:
                if is_short(keys, used, n_pairs):
                    keys, counts, used = with_room(keys, counts, used, n_pairs)
                # Without `kept` in sight the pairs keep their places and only change their names: row 1.
                used = add_to_counts(keys, counts, used, pairs[1], n_pairs, 1)
        posting = records.next_posting[posting]
    records.next_posting[records.last_posting[kept]] = gone
    records.last_posting[kept] = records.last_posting[gone]
    records.posted[kept] += records.posted[gone]
    records.image[gone] = kept
    return keys, counts, used, found, pairs


@njit
def merge_until_diverse(
    records: Records,
    held: Held,
    places: Places,
    slot_of_root: Int32s,
    listed: Int64s,
    first: int,
    k: int,
    diversity: int,
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
    """Work through `listed` from `first` on: merge until each subsequence violates neither bound.

    Returns like `nearest_merging.merge_until_frequent`.
    """
    found = np.empty((2, 1024), np.int64)
    pairs = np.empty((2, 1024), np.int64)
    image = np.empty(size, np.int64)
    plane = base**size
    stop_at = n_merges + most_merges
    for index in range(first, len(listed)):
        while True:
            packed = listed[index]
            for element in range(size - 1, -1, -1):
                image[element] = image_of(records, packed % base)
                packed //= base
            key = 0
            for element in range(size):
                key = key * base + image[element]
            if not _violates(keys, counts, key, plane, held.kinds, k, diversity):
                break
            if places.n_alive[0] < 2:
                return ONE_SYMBOL_LEFT, index, keys, counts, used, n_merges
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
            nearest = slot_of_root[nearest_root(places, records.root[rarest])]
            merges[n_merges, 0] = places.representative[records.root[rarest]]
            merges[n_merges, 1] = places.representative[records.root[nearest]]
            n_merges += 1
            kept, gone = rarest, nearest
            if records.posted[kept] < records.posted[gone]:
                kept, gone = gone, kept
            keys, counts, used, found, pairs = join_records(
                records, held, kept, gone, size, base, n_merges, keys, counts, used, scratch, found, pairs
            )
            join_places(places, records.root[kept], records.root[gone])
    return LIST_DONE, len(listed), keys, counts, used, n_merges
