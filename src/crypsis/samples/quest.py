"""Synthetic market baskets in the manner of IBM's Quest generator: records are filled with patterns of terms.

A pattern is a small set of terms, half of them shared with the pattern before it; patterns have exponentially
distributed weights. A record takes patterns until it has its length, losing some terms of each on the way, and a few
terms that belong to none. Terms are of very different popularity, as `skew` says.

Agrawal, Srikant. Fast algorithms for mining association rules. VLDB 1994: section 2.4.3, followed in spirit, not to the
last number.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter

_SHARED_WITH_PREVIOUS = 0.5
_LOST = 0.3  # chance that a term of a pattern is left out of a record
_ALONE = 0.15  # share of a record that belongs to no pattern


def quest(
    count: int = 10_000,
    seed: int = 1,
    *,
    terms: int = 1_000,
    length: float = 10.0,
    patterns: int | None = None,
    pattern_length: float = 4.0,
    skew: float = 0.6,
) -> Transactions:
    """Records of about `length` terms. With `skew` 0 all terms are alike, with 1 popularity falls like 1 / rank.

    The number of patterns is that of the terms unless told; more patterns make records less alike.
    """
    if (
        count < 0
        or terms < 2
        or length < 1
        or pattern_length < 1
        or skew < 0
        or (patterns is not None and patterns < 1)
    ):
        raise BadParameter(
            f"quest: wants at least 0 records, 2 terms, 1 pattern, lengths of at least 1 and a skew of at least 0, got "
            f"count={count}, terms={terms}, patterns={patterns}, length={length:g}, pattern_length={pattern_length:g}, "
            f"skew={skew:g}."
        )
    random = np.random.Generator(np.random.PCG64(seed))
    popularity = np.cumsum(random.permutation((1.0 + np.arange(terms)) ** -skew))
    popularity /= popularity[-1]
    pattern_offsets, members = _patterns(random, patterns or terms, pattern_length, popularity)
    weights = np.cumsum(random.exponential(1.0, len(pattern_offsets) - 1))
    weights /= weights[-1]
    target = np.minimum(1 + random.poisson(length - 1, count), terms)
    keys = _filled(random, target, pattern_offsets, members, weights, popularity, terms)
    width = len(str(terms - 1))
    labels = pl.Series([f"t{term:0{width}}" for term in range(terms)], dtype=pl.String)
    offsets = offsets_of(np.bincount(keys // terms, minlength=count))
    return Transactions(offsets, (keys % terms).astype(np.int32), Vocabulary(labels))


def quest_frame(count: int = 10_000, seed: int = 1) -> pl.DataFrame:
    """The same as a long table, one row per term of a record: id, item."""
    return quest(count, seed).to_frame()


def _patterns(
    random: np.random.Generator, count: int, mean_length: float, popularity: Float64s
) -> tuple[Int64s, Int64s]:
    lengths = 1 + random.poisson(mean_length - 1, count)
    drawn = np.searchsorted(popularity, random.random(int(lengths.sum())))
    offsets = offsets_of(lengths)
    members: list[Int64s] = []
    previous = np.zeros(0, np.int64)
    for pattern in range(count):
        own = drawn[offsets[pattern] : offsets[pattern + 1]]
        common = min(len(previous), random.binomial(len(own), _SHARED_WITH_PREVIOUS))
        if common:
            own = np.concatenate([random.choice(previous, common, replace=False), own[common:]])
        previous = np.unique(own)
        members.append(previous)
    return offsets_of(np.array([len(pattern) for pattern in members])), np.concatenate(members)


def _filled(
    random: np.random.Generator,
    target: Int64s,
    pattern_offsets: Int64s,
    members: Int64s,
    weights: Float64s,
    popularity: Float64s,
    terms: int,
) -> Int64s:
    """One number record * terms + term for each term of each record, ascending and distinct."""
    alone = random.binomial(target, _ALONE)
    rows = np.repeat(np.arange(len(target)), alone)
    pieces = [rows * terms + np.searchsorted(popularity, random.random(len(rows)))]
    waiting = np.arange(len(target))
    left = target - alone
    while len(waiting := waiting[left[waiting] > 0]):
        pattern = np.searchsorted(weights, random.random(len(waiting)))
        lengths = np.diff(pattern_offsets)[pattern]
        rows = np.repeat(waiting, lengths)
        places = np.arange(len(rows)) + np.repeat(pattern_offsets[:-1][pattern] - offsets_of(lengths)[:-1], lengths)
        taken = random.random(len(rows)) >= _LOST
        gained = np.bincount(rows[taken], minlength=len(target))
        # What is too long for the room that is left goes in every other time; either way the record is full then.
        too_long = gained > left
        refused = too_long & (random.random(len(target)) < 0.5)
        taken &= ~refused[rows]
        pieces.append(rows[taken] * terms + members[places[taken]])
        left = np.where(too_long, 0, left - gained)
    keys = np.concatenate(pieces)
    nothing = np.flatnonzero(np.bincount(keys // terms, minlength=len(target)) == 0)
    keys = np.concatenate([keys, nothing * terms + np.searchsorted(popularity, random.random(len(nothing)))])
    keys.sort()
    distinct: Int64s = keys[np.diff(keys, prepend=-1) != 0]
    return distinct
