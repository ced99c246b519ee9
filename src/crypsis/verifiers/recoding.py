"""Is the published data a global recoding of the original? Every location has one image, every row is accounted for."""

from __future__ import annotations

import numpy as np

from crypsis.data.arrays import Int32s, Int64s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories


def recoded_original(published: PublishedTrajectories, original: Trajectories) -> tuple[Int64s, Int32s] | str:
    """The original written in the published symbols, rows in the original's order; or what stands against it.

    Checks that symbols are disjoint, that the declared truncation explains every missing visit, that each visited
    location lies in exactly one symbol, and that the published rows are exactly the recoded ones, in any order.
    """
    symbols = published.symbols
    if len(published) != len(original):
        return f"{len(published)} rows are published for {len(original)} original trajectories"
    if not symbols.are_disjoint():
        twice = np.flatnonzero(np.bincount(symbols.members, minlength=len(symbols.vocabulary)) > 1)
        return f"location {symbols.vocabulary[int(twice[0])]!r} belongs to several symbols, so it has several images"
    kept = original if published.longest is None else original.truncated(published.longest)
    symbol_of_member = np.full(len(symbols.vocabulary) + 1, -1, np.int32)  # the last one answers for code -1: unknown
    symbol_of_member[symbols.members] = np.repeat(np.arange(len(symbols), dtype=np.int32), symbols.sizes)
    member_of_code = symbols.vocabulary.encode(original.locations.vocabulary.series)
    recoded = symbol_of_member[member_of_code][kept.codes]
    hidden = np.flatnonzero(recoded < 0)
    if len(hidden):
        label = original.locations.labels[int(kept.codes[hidden[0]])]
        return f"location {label!r} was visited but lies in no published symbol"
    if not _same_rows(published.offsets, published.codes, kept.offsets, recoded):
        return "the published rows are not the original ones with each location replaced by its symbol"
    return kept.offsets, recoded


def _same_rows(offsets: Int64s, codes: Int32s, other_offsets: Int64s, other_codes: Int32s) -> bool:
    """Both hold the same rows equally often, in whatever order."""
    if np.array_equal(offsets, other_offsets) and np.array_equal(codes, other_codes):
        return True
    lengths, other_lengths = np.diff(offsets), np.diff(other_offsets)
    if not np.array_equal(np.bincount(lengths), np.bincount(other_lengths)):
        return False
    for length in np.unique(lengths).tolist():
        ours = codes[offsets[:-1][lengths == length][:, None] + np.arange(length)]
        theirs = other_codes[other_offsets[:-1][other_lengths == length][:, None] + np.arange(length)]
        if length and not np.array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)]):
            return False
    return True
