"""How often every set of up to m terms occurs inside each chunk: recounted set by set, nothing pruned.

Chunk c has the entries chunk_offsets[c]:chunk_offsets[c + 1]; entry e stands for counts[e] equal subrecords
items[entry_offsets[e]:entry_offsets[e + 1]], ascending. Sets are walked as a tree of ascending lists; what follows a
list is counted by looking once at the entries that contain it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.errors import TooLarge

MOST_SETS = 10_000_000_000


@dataclass(frozen=True)
class RarestSets:
    """Of each chunk: the lowest support of a set of up to m terms, such a set (filled up with -1), and how many sets
    are rarer than k."""

    lowest: Int64s
    rare: Int64s
    sets: Int64s


def rarest_sets(data: DisassociatedTransactions, k: int, m: int) -> RarestSets:
    """Count inside every chunk. Refuses where that would take hours: long subrecords and a large m."""
    lengths = np.diff(data.entry_offsets).astype(np.float64)
    sets, ways = np.zeros(len(lengths)), np.ones(len(lengths))
    most = max(1, min(m, int(lengths.max(initial=0))))  # no subrecord holds a larger set
    for size in range(1, most + 1):
        ways = ways * np.maximum(lengths - size + 1, 0) / size
        sets += ways
    if sets.sum() > MOST_SETS:
        raise TooLarge(
            f"Checking every set of up to {m} terms takes {sets.sum():.2g} steps, more than {MOST_SETS:.0g}; "
            "the longest subrecord has "
            f"{int(lengths.max())} terms. Check a smaller m.",
        )
    lowest, rare, found = _rarest(
        data.chunk_offsets, data.counts, data.entry_offsets, data.items, len(data.vocabulary), most, k
    )
    return RarestSets(lowest, rare, found)


@njit
def _rarest(
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
    n_terms: int,
    m: int,
    k: int,
) -> tuple[Int64s, Int64s, Int64s]:
    """Count for each chunk its rarest set of up to m terms, how many are rarer than k, and that set."""
    n_chunks = len(chunk_offsets) - 1
    lowest = np.zeros(n_chunks, np.int64)
    rare = np.zeros(n_chunks, np.int64)
    sets = np.full((n_chunks, m), -1, np.int64)

    support = np.zeros(n_terms, np.int64)
    holders = np.zeros(n_terms, np.int64)
    fill = np.zeros(n_terms, np.int64)
    met = np.empty(n_terms, np.int64)
    chosen = np.full(m, -1, np.int64)
    entries, places = np.empty(1024, np.int64), np.empty(1024, np.int64)
    starts, ends = np.empty(1024, np.int64), np.empty(1024, np.int64)
    depths, last = np.empty(1024, np.int64), np.empty(1024, np.int64)

    for chunk in range(n_chunks):
        n_entries = chunk_offsets[chunk + 1] - chunk_offsets[chunk]
        while len(entries) < n_entries:
            entries, places = _longer(entries), _longer(places)
        for index in range(n_entries):
            entries[index] = chunk_offsets[chunk] + index
            places[index] = entry_offsets[chunk_offsets[chunk] + index]
        starts[0], ends[0], depths[0], last[0] = 0, n_entries, 0, -1
        height = 1
        lowest[chunk] = -1
        while height > 0:
            height -= 1
            start, end, depth = starts[height], ends[height], depths[height]
            if depth > 0:
                chosen[depth - 1] = last[height]
            n_met = 0
            for index in range(start, end):
                entry = entries[index]
                for slot in range(places[index], entry_offsets[entry + 1]):
                    term = items[slot]
                    if holders[term] == 0:
                        met[n_met] = term
                        n_met += 1
                    holders[term] += 1
                    support[term] += counts[entry]
            top = end
            deeper = False
            for index in range(n_met):
                term = met[index]
                if support[term] < k:
                    rare[chunk] += 1
                if lowest[chunk] < 0 or support[term] < lowest[chunk]:
                    lowest[chunk] = support[term]
                    for position in range(m):
                        sets[chunk, position] = chosen[position] if position < depth else -1
                    sets[chunk, depth] = term
                if depth + 1 < m:
                    deeper = True
                    if height == len(starts):
                        starts, ends = _longer(starts), _longer(ends)
                        depths, last = _longer(depths), _longer(last)
                    fill[term] = top
                    starts[height] = top
                    top += holders[term]
                    ends[height], depths[height], last[height] = top, depth + 1, term
                    height += 1
            if deeper:
                while len(entries) < top:
                    entries, places = _longer(entries), _longer(places)
                for index in range(start, end):
                    entry = entries[index]
                    for slot in range(places[index], entry_offsets[entry + 1]):
                        term = items[slot]
                        entries[fill[term]] = entry
                        places[fill[term]] = slot + 1
                        fill[term] += 1
            for index in range(n_met):
                support[met[index]] = 0
                holders[met[index]] = 0
    return lowest, rare, sets


@njit
def _longer(values: Int64s) -> Int64s:
    """Return an array with twice the room."""
    longer = np.empty(2 * len(values), np.int64)
    longer[: len(values)] = values
    return longer
