"""Counting the individuals that share each subsequence, and keeping the counts true while symbols merge.

Record r is codes[offsets[r]:offsets[r + 1]]; the records of individual g are bounds[g] to bounds[g + 1] - 1.
A subsequence of `size` symbols below `base` is packed into one integer, most significant symbol first.
Counts live in a dense array indexed by that integer (then `keys` is empty), or in an open-addressing table
whose free slots have the key -1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

ANY = -1  # instead of a symbol: take every subsequence


@njit
def _slot(keys: Int64s, key: int) -> int:
    """The place of a key in an open-addressing table, or of the free slot where it belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (mixed ^ (mixed >> np.uint64(29))) & mask
    while keys[place] != -1 and keys[place] != key:
        place = (place + np.uint64(1)) & mask
    return int(place)


@njit
def count_of(keys: Int64s, counts: Int32s, key: int) -> int:
    """Individuals that share the subsequence `key`."""
    if len(keys) == 0:
        return int(counts[key])
    place = _slot(keys, key)
    return int(counts[place]) if keys[place] == key else 0


@njit
def with_room(keys: Int64s, counts: Int32s, used: int, more: int) -> tuple[Int64s, Int32s, int]:
    """The table with room for `more` new keys, at most half full; subsequences that no longer occur are dropped."""
    entries = len(keys)
    while 2 * (used + more) > entries:
        entries *= 4
    wider_keys = np.full(entries, -1, np.int64)
    wider_counts = np.zeros(entries, np.int32)
    used = 0
    for place in range(len(keys)):
        if keys[place] != -1 and counts[place] != 0:
            wider = _slot(wider_keys, keys[place])
            wider_keys[wider] = keys[place]
            wider_counts[wider] = counts[place]
            used += 1
    return wider_keys, wider_counts, used


@njit
def is_short(keys: Int64s, used: int, more: int) -> bool:
    """A table of open addressing (a dense one never) needs `with_room` before `more` keys are added."""
    return len(keys) > 0 and 2 * (used + more) > len(keys)


@njit
def add_to_counts(keys: Int64s, counts: Int32s, used: int, found: Int64s, n_found: int, change: int) -> int:
    """Add `change` to the count of each found key; returns how many keys the table holds now."""
    if len(keys) == 0:
        for index in range(n_found):
            counts[found[index]] += change
        return used
    for index in range(n_found):
        place = _slot(keys, found[index])
        if keys[place] == -1:
            keys[place] = found[index]
            used += 1
        counts[place] += change
    return used


class Scratch(NamedTuple):
    """Working space of one enumeration, kept between calls: by depth, by position in a record, by symbol."""

    at: Int64s
    packed: Int64s
    shift: Int64s
    holds: Int64s
    previous: Int64s
    last_seen: Int64s


@njit
def new_scratch(size: int, longest: int, base: int) -> Scratch:
    """Working space for subsequences of `size` out of `base` symbols in records of up to `longest`."""
    return Scratch(
        at=np.zeros(size + 1, np.int64),
        packed=np.zeros(size + 1, np.int64),
        shift=np.zeros(size + 1, np.int64),
        holds=np.zeros(size + 1, np.int64),
        previous=np.zeros(longest + 1, np.int64),
        last_seen=np.full(base, -1, np.int64),
    )


@njit
def distinct_subsequences(
    offsets: Int64s,
    codes: Int32s,
    first_record: int,
    last_record: int,
    size: int,
    base: int,
    wanted: int,
    also: int,
    instead: int,
    scratch: Scratch,
    found: Int64s,
) -> int:
    """Pack each distinct subsequence of one individual's records that holds the symbol `wanted` or `also`.

    Row 0 of `found` gets the subsequence, row 1 the same with `instead` for every `wanted`. Every distinct
    subsequence of a record has exactly one leftmost embedding: each element is the first occurrence of its
    symbol after the element before. Walking only those needs no set of what was seen; an individual with
    several records is deduplicated at the end by sorting. Returns how many were found; the negative of the room
    that is needed where `found` is too narrow, and then the call must be repeated.
    """
    at, packed, shift, holds, previous, last_seen = scratch
    n_found = 0
    last = size - 1
    holds[0] = wanted == ANY
    for record in range(first_record, last_record):
        start, end = offsets[record], offsets[record + 1]
        if end - start < size:
            continue
        last_wanted = end if wanted == ANY else start - 1
        for position in range(start, end):  # where the same symbol stood before, start - 1 if nowhere
            symbol = codes[position]
            seen = last_seen[symbol]
            previous[position - start] = seen if seen >= 0 else start - 1
            last_seen[symbol] = position
            if symbol == wanted or symbol == also:
                last_wanted = position
        for position in range(start, end):
            last_seen[codes[position]] = -1
        depth = 0
        at[0] = start - 1
        while depth >= 0:
            before = at[depth - 1] if depth > 0 else start - 1
            if depth == last:
                if n_found + end - before > found.shape[1]:
                    return int(-2 * (found.shape[1] + end - before))
                head, head_shift, head_holds = packed[depth] * base, shift[depth] * base, holds[depth]
                for position in range(before + 1, end if head_holds else last_wanted + 1):
                    symbol = codes[position]
                    if previous[position - start] <= before and (head_holds or symbol == wanted or symbol == also):
                        found[0, n_found] = head + symbol
                        found[1, n_found] = head + symbol + head_shift + (instead - wanted) * (symbol == wanted)
                        n_found += 1
                depth -= 1
                continue
            at[depth] += 1
            position = at[depth]
            if position > end - size + depth or (position > last_wanted and not holds[depth]):
                depth -= 1
                continue
            if previous[position - start] > before:
                continue
            symbol = codes[position]
            packed[depth + 1] = packed[depth] * base + symbol
            shift[depth + 1] = shift[depth] * base + (instead - wanted) * (symbol == wanted)
            holds[depth + 1] = holds[depth] or symbol == wanted or symbol == also
            depth += 1
            at[depth] = position
    if last_record - first_record > 1:
        order = np.argsort(found[0, :n_found])
        ordered = found[:, :n_found].copy()
        kept = 0
        for index in order:
            if kept == 0 or ordered[0, index] != found[0, kept - 1]:
                found[0, kept] = ordered[0, index]
                found[1, kept] = ordered[1, index]
                kept += 1
        n_found = kept
    return n_found


@njit
def count_subsequences(
    offsets: Int64s,
    codes: Int32s,
    bounds: Int64s,
    first: int,
    last: int,
    size: int,
    base: int,
    scratch: Scratch,
    keys: Int64s,
    counts: Int32s,
    used: int,
) -> tuple[Int64s, Int32s, int]:
    """Count the subsequences of individuals `first` to `last` - 1 into the table."""
    found = np.empty((2, 1024), np.int64)
    for individual in range(first, last):
        n_found = -1
        while n_found < 0:
            n_found = distinct_subsequences(
                offsets,
                codes,
                bounds[individual],
                bounds[individual + 1],
                size,
                base,
                ANY,
                ANY,
                ANY,
                scratch,
                found,
            )
            if n_found < 0:
                found = np.empty((2, -n_found), np.int64)
        if is_short(keys, used, n_found):
            keys, counts, used = with_room(keys, counts, used, n_found)
        used = add_to_counts(keys, counts, used, found[0], n_found, 1)
    return keys, counts, used


@njit
def rename_symbol(counts: Int32s, size: int, base: int, gone: int, kept: int) -> None:
    """Add the count of each subsequence with `gone` to the one with `kept` in its place; dense tables only."""
    width = 1
    for _ in range(size):  # one position after another, the last one first
        for head in range(len(counts) // (width * base)):
            from_here = (head * base + gone) * width
            to_there = (head * base + kept) * width
            for tail in range(width):
                counts[to_there + tail] += counts[from_here + tail]
                counts[from_here + tail] = 0
        width *= base


@njit
def rare_subsequences(keys: Int64s, counts: Int32s, k: int) -> Int64s:
    """Packed subsequences shared by 1 to k - 1 individuals, rarest first, equal ones in packed order."""
    n_rare = 0
    for place in range(len(counts)):
        if 0 < counts[place] < k:
            n_rare += 1
    rare = np.empty(n_rare, np.int64)
    support = np.empty(n_rare, np.int64)
    n_rare = 0
    for place in range(len(counts)):
        if 0 < counts[place] < k:
            rare[n_rare] = place if len(keys) == 0 else keys[place]
            support[n_rare] = counts[place]
            n_rare += 1
    if len(keys) != 0:
        order = np.argsort(rare)
        rare, support = rare[order], support[order]
    return rare[np.argsort(support, kind="mergesort")]
