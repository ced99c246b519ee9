"""Counting the individuals that share each subsequence, and keeping the counts true while symbols merge.

A subsequence of `size` symbols below `base` is packed into one integer, most significant symbol first. Where a record
holds sensitive locations f, each subsequence is also counted together with each of them, packed as
f * base^size + subsequence with f from 1 on.

A kernel counts up the references to each array that it is given. What is called millions of times is therefore given
few arrays, and where nothing is sensitive, what looks at sensitive locations is not called.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

ANY = -1  # instead of a symbol: take every subsequence


class Sequences(NamedTuple):
    """Record r is codes[offsets[r]:offsets[r + 1]]; the records of individual g are bounds[g] to bounds[g + 1] - 1."""

    offsets: Int64s
    codes: Int32s
    bounds: Int64s
    held_offsets: Int64s  # by record: where its sensitive locations begin; each stands there once
    held: Int32s  # sensitive locations, numbered from 1
    kinds: int  # how many sensitive locations there are; with 0 nothing but subsequences is counted


class Tally(NamedTuple):
    """Counts in a dense array that keys index (then `keys` is empty), or in a table of open addressing.

    A free entry of such a table has the key -1; `used[0]` entries are not free.
    """

    keys: Int64s
    counts: Int32s
    used: Int64s


class Wanted(NamedTuple):
    """Which subsequences to list: those with `symbol` or `also`; in the second form `symbol` becomes `instead`."""

    symbol: int
    also: int
    instead: int


class Scratch(NamedTuple):
    """Working space of one enumeration, kept between calls: by depth, by position in a record, by symbol."""

    size: int
    base: int
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
        size=size,
        base=base,
        at=np.zeros(size + 1, np.int64),
        packed=np.zeros(size + 1, np.int64),
        shift=np.zeros(size + 1, np.int64),
        holds=np.zeros(size + 1, np.int64),
        previous=np.zeros(longest + 1, np.int64),
        last_seen=np.full(base, -1, np.int64),
    )


@njit
def _entry(keys: Int64s, key: int) -> int:
    """The index of a key in a table of open addressing, or of the free entry where it belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    index = (mixed ^ (mixed >> np.uint64(29))) & mask
    while keys[index] != -1 and keys[index] != key:
        index = (index + np.uint64(1)) & mask
    return int(np.int64(index))


@njit
def count_of(tally: Tally, key: int) -> int:
    """Individuals that share the subsequence `key`."""
    if len(tally.keys) == 0:
        return int(tally.counts[key])
    index = _entry(tally.keys, key)
    return int(tally.counts[index]) if tally.keys[index] == key else 0


@njit
def counts_of(tally: Tally, keys: Int64s) -> Int64s:
    """The same for many subsequences."""
    counts = np.empty(len(keys), np.int64)
    for index, key in enumerate(keys):
        counts[index] = count_of(tally, key)
    return counts


@njit
def is_short(tally: Tally, more: int) -> bool:
    """A table of open addressing (a dense one never) needs `with_room` before `more` keys are added."""
    return len(tally.keys) > 0 and 2 * (tally.used[0] + more) > len(tally.keys)


@njit
def with_room(tally: Tally, more: int) -> Tally:
    """The table with room for `more` new keys, at most half full; subsequences that no longer occur are dropped."""
    entries = len(tally.keys)
    while 2 * (tally.used[0] + more) > entries:
        entries *= 4
    wider = Tally(np.full(entries, -1, np.int64), np.zeros(entries, np.int32), np.zeros(1, np.int64))
    for old in range(len(tally.keys)):
        if tally.keys[old] != -1 and tally.counts[old] != 0:
            entry = _entry(wider.keys, tally.keys[old])
            wider.keys[entry] = tally.keys[old]
            wider.counts[entry] = tally.counts[old]
            wider.used[0] += 1
    return wider


@njit
def add_to_counts(tally: Tally, found: Int64s, n_found: int, change: int) -> None:
    """Add `change` to the count of each found key; there must be room for new ones."""
    if len(tally.keys) == 0:
        for index in range(n_found):
            tally.counts[found[index]] += change
        return
    for index in range(n_found):
        entry = _entry(tally.keys, found[index])
        if tally.keys[entry] == -1:
            tally.keys[entry] = found[index]
            tally.used[0] += 1
        tally.counts[entry] += change


@njit
def distinct_subsequences(
    offsets: Int64s,
    codes: Int32s,
    first_record: int,
    last_record: int,
    chosen: Wanted,
    scratch: Scratch,
    found: Int64s,
) -> int:
    """Pack each distinct subsequence of one individual's records that is wanted.

    Row 0 of `found` gets the subsequence, row 1 its second form. Every distinct subsequence of a record has exactly
    one leftmost embedding: each element is the first occurrence of its symbol after the element before. Walking only
    those needs no set of what was seen; an individual with several records is deduplicated at the end by sorting.
    Returns how many were found; the negative of the room that is needed where `found` is too narrow, and then the
    call must be repeated.
    """
    size, base = scratch.size, scratch.base
    at, packed, shift, holds = scratch.at, scratch.packed, scratch.shift, scratch.holds
    previous, last_seen = scratch.previous, scratch.last_seen
    wanted, also, instead = chosen.symbol, chosen.also, chosen.instead
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
    return _without_repeats(found, n_found) if last_record - first_record > 1 else n_found


@njit
def _without_repeats(found: Int64s, n_found: int) -> int:
    """Keep the first of equal entries of row 0, with its entry of row 1; returns how many are left."""
    order = np.argsort(found[0, :n_found])
    ordered = found[:, :n_found].copy()
    kept = 0
    for index in order:
        if kept == 0 or ordered[0, index] != found[0, kept - 1]:
            found[0, kept] = ordered[0, index]
            found[1, kept] = ordered[1, index]
            kept += 1
    return kept


@njit
def list_pairs(
    sequences: Sequences, individual: int, chosen: Wanted, scratch: Scratch, found: Int64s, pairs: Int64s
) -> int:
    """One individual's subsequences, alone and with each sensitive location of the same record, into `pairs`.

    Both forms and the answer are as in `distinct_subsequences`; `found` is working space of the same size.
    """
    offsets, codes = sequences.offsets, sequences.codes
    first_record, last_record = sequences.bounds[individual], sequences.bounds[individual + 1]
    plane = scratch.base**scratch.size
    n_pairs = 0
    for record in range(first_record, last_record):
        n_found = distinct_subsequences(offsets, codes, record, record + 1, chosen, scratch, found)
        first_held, last_held = sequences.held_offsets[record], sequences.held_offsets[record + 1]
        needed = n_pairs + n_found * (1 + last_held - first_held)
        if n_found < 0:
            return n_found
        if needed > pairs.shape[1]:
            return int(-2 * needed)
        for entry in range(first_held - 1, last_held):
            shift = sequences.held[entry] * plane if entry >= first_held else 0
            for index in range(n_found):
                pairs[0, n_pairs] = found[0, index] + shift
                pairs[1, n_pairs] = found[1, index] + shift
                n_pairs += 1
    return _without_repeats(pairs, n_pairs) if last_record - first_record > 1 else n_pairs


@njit
def count_subsequences(sequences: Sequences, first: int, last: int, scratch: Scratch, tally: Tally) -> Tally:
    """Count the subsequences of individuals `first` to `last` - 1, with each sensitive location where there are any."""
    offsets, codes, bounds = sequences.offsets, sequences.codes, sequences.bounds
    everything = Wanted(ANY, ANY, ANY)
    found, pairs = np.empty((2, 1024), np.int64), np.empty((2, 1024), np.int64)
    for individual in range(first, last):
        n_keys = -1
        while n_keys < 0:
            if sequences.kinds == 0:
                n_keys = distinct_subsequences(
                    offsets, codes, bounds[individual], bounds[individual + 1], everything, scratch, pairs
                )
            else:
                n_keys = list_pairs(sequences, individual, everything, scratch, found, pairs)
            if n_keys < 0:
                found, pairs = np.empty((2, -n_keys), np.int64), np.empty((2, -n_keys), np.int64)
        if is_short(tally, n_keys):
            tally = with_room(tally, n_keys)
        add_to_counts(tally, pairs[0], n_keys, 1)
    return tally


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
def tells_too_much(tally: Tally, key: int, plane: int, kinds: int, support: int, diversity: int) -> bool:
    """Return whether more than one in `diversity` of the `support` individuals with a subsequence hold a secret."""
    for kind in range(1, kinds + 1):  # noqa: SIM110 (loops are written for numba)
        if diversity * count_of(tally, key + kind * plane) > support:
            return True
    return False


@njit
def violating_subsequences(tally: Tally, scratch: Scratch, kinds: int, k: int, diversity: int) -> tuple[Int64s, Int64s]:
    """Packed subsequences that occur and violate, in no order, and how many individuals share each."""
    plane = scratch.base**scratch.size
    dense = len(tally.keys) == 0
    entries = min(plane, len(tally.counts)) if dense else len(tally.keys)
    n_occurring = 0
    for entry in range(entries):
        n_occurring += tally.counts[entry] != 0
    bad = np.empty(n_occurring, np.int64)
    supports = np.empty(n_occurring, np.int64)
    n_bad = 0
    for entry in range(entries):
        support = int(tally.counts[entry])
        key = entry if dense else tally.keys[entry]
        if support == 0 or key >= plane:
            continue
        if support < k or (kinds > 0 and tells_too_much(tally, key, plane, kinds, support, diversity)):
            bad[n_bad] = key
            supports[n_bad] = support
            n_bad += 1
    return bad[:n_bad], supports[:n_bad]
