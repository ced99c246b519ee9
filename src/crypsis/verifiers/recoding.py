"""Is the published data a global recoding of the original? Every location has one image, every row is accounted for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories


def recoded_original(published: PublishedTrajectories, original: Trajectories) -> tuple[Int64s, Int32s] | str:
    """The original written in the published symbols, rows in the original's order; or what stands against it.

    Where it is not known what was cut or suppressed, it is what would explain the rows: locations in no published
    symbol were suppressed, or else rows were cut to the longest that is published.

    Checks that symbols are disjoint, that the declared truncation and suppressions explain every missing visit, that
    each other visited location lies in exactly one symbol, and that the published rows are exactly the recoded ones,
    in any order.
    """
    symbols = published.symbols
    if len(published) != len(original):
        return f"{len(published)} rows are published for {len(original)} original trajectories"
    if not symbols.are_disjoint():
        twice = np.flatnonzero(np.bincount(symbols.members, minlength=len(symbols.vocabulary)) > 1)
        return f"location {symbols.vocabulary[int(twice[0])]!r} belongs to several symbols, so it has several images"
    if published.suppressed is None:
        unseen = _unseen(published, original)
        told = recoded_original(replace(published, suppressed=unseen), original)
        if isinstance(told, str):
            cut = replace(published, suppressed=(), longest=int(published.lengths.max(initial=0)))
            again = recoded_original(cut, original)
            told = told if isinstance(again, str) else again
        return told
    kept = original if published.longest is None else original.truncated(published.longest)
    both = symbols.vocabulary.encode(pl.Series(published.suppressed, dtype=pl.String))
    both = np.intersect1d(both, symbols.members)
    if len(both):
        return f"location {symbols.vocabulary[int(both[0])]!r} is declared suppressed but lies in a published symbol"
    kept = _without(kept, published.suppressed)
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


def _unseen(published: PublishedTrajectories, original: Trajectories) -> tuple[str, ...]:
    """The visited locations that no published symbol holds."""
    named = {label for labels in published.symbols.label_lists for label in labels}
    visited = np.flatnonzero(original.occurring).tolist()
    return tuple(label for label in map(original.locations.labels.__getitem__, visited) if label not in named)


def _without(data: Trajectories, suppressed: tuple[str, ...]) -> Trajectories:
    """The trajectories without their visits to these locations."""
    if not suppressed:
        return data
    stays = data.locations.vocabulary.series.is_in(list(suppressed)).to_numpy()[data.codes] == 0
    ends = np.append(0, np.cumsum(stays))
    return replace(data, offsets=ends[data.offsets], codes=data.codes[stays], times=None)


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
