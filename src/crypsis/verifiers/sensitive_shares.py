"""How many individuals share each subsequence of one size, and how many of them hold each sensitive location.

Written from the definition, like `subsequence_supports`: enumerate, deduplicate per individual, count. Row r is
codes[offsets[r]:offsets[r + 1]] without its sensitive elements, which are held[held_offsets[r]:held_offsets[r + 1]].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.verifiers.subsequence_supports import WHOLE, Packed, gathered, ranges_of_first_symbol


@dataclass(frozen=True, eq=False)
class Rows:
    """Published rows in two parts. `individuals` says whom a row counts for; sensitive locations are numbered."""

    offsets: Int64s
    codes: Int32s
    held_offsets: Int64s
    held: Int32s
    individuals: Int32s
    n_symbols: int
    n_sensitive: int

    @property
    def n_individuals(self) -> int:
        return int(self.individuals.max(initial=-1)) + 1


@dataclass(frozen=True)
class Violation:
    """A subsequence that too few share (`sensitive` is None) or that tells too much about one location."""

    support: int
    symbols: tuple[int, ...]
    sensitive: int | None
    count: int


@dataclass(frozen=True)
class Shares:
    """What was found for one size; the violation is the rarest one, the first in symbol order among equals."""

    lowest_support: int
    highest_confidence: float
    highest_count: int
    violation: Violation | None
    violations: int


def shares_of_size(rows: Rows, size: int, k: int, l: int) -> Shares | None:  # noqa: E741
    """Count every subsequence of `size` symbols; None if there is none."""
    l = min(l, rows.n_individuals + 1)  # noqa: E741 (more than that demands the same: nobody)
    found: list[Shares] = []
    numbers = np.arange(len(rows.offsets) - 1, dtype=np.int32)
    for lowest, highest in ranges_of_first_symbol(rows.offsets, rows.codes, rows.n_symbols, size):
        columns, row = gathered(rows.offsets, rows.codes, numbers, rows.n_symbols, size, lowest, highest)
        if len(row):
            found.append(_shares(rows, Packed(columns, rows.n_symbols), row, k, l))
    return joined_shares(found)


def joined_shares(found: Sequence[Shares]) -> Shares | None:
    """The shares of several ranges of subsequences; None if there is none."""
    if not found:
        return None
    violating = [shares.violation for shares in found if shares.violation is not None]
    return Shares(
        min(shares.lowest_support for shares in found),
        max(shares.highest_confidence for shares in found),
        max(shares.highest_count for shares in found),
        min(violating, key=lambda violation: (violation.support, violation.symbols), default=None),
        sum(shares.violations for shares in found),
    )


def base_rates(rows: Rows) -> Int64s:
    """By sensitive location: the individuals that hold it, known nothing about them."""
    whose = np.repeat(rows.individuals, np.diff(rows.held_offsets)).astype(np.int64)
    pairs = np.unique(rows.held * max(rows.n_individuals, 1) + whose)
    return np.bincount(pairs // max(rows.n_individuals, 1), minlength=rows.n_sensitive)


def _shares(rows: Rows, packed: Packed, row: Int32s, k: int, l: int) -> Shares:  # noqa: E741
    keys, key = np.unique(packed.keys, return_inverse=True)
    people = rows.n_individuals
    support = np.bincount(np.unique(key * people + rows.individuals[row]) // people, minlength=len(keys))
    told, told_key, count = _told(rows, key, row)
    return judged_shares(support, told_key, told, count, k, l, lambda index: packed.symbols_of(int(keys[index])))


def judged_shares(
    support: Int64s,
    told_key: Int64s,
    told: Int64s,
    count: Int64s,
    k: int,
    l: int,  # noqa: E741
    symbols_of: Callable[[int], tuple[int, ...]],
) -> Shares:
    """What supports in the order of subsequences show: of subsequence told_key[i], count[i] hold location told[i]."""
    too_much = l * count > support[told_key]
    violates = support < k
    violations = violates.copy()
    violations[told_key[too_much]] = True
    violation = None
    if violations.any():
        rarest = int(np.flatnonzero(violations)[np.argmin(support[violations])])
        symbols, at = symbols_of(rarest), int(support[rarest])
        violation = Violation(at, symbols, None, 0)
        if not violates[rarest]:
            first = int(np.flatnonzero(too_much & (told_key == rarest))[0])
            violation = Violation(at, symbols, int(told[first]), int(count[first]))
    return Shares(
        int(support.min()),
        float((count / support[told_key]).max(initial=0.0)),
        int(count.max(initial=0)),
        violation,
        int(violations.sum()),
    )


def _told(rows: Rows, key: Int64s, row: Int32s) -> tuple[Int64s, Int64s, Int64s]:
    """Sensitive locations with the subsequences that some individual holds together with them in one row, and how
    many individuals do; ordered by subsequence, then by location."""
    holding = np.flatnonzero(np.diff(rows.held_offsets)[row] > 0)
    held_offsets, entries = take_records(rows.held_offsets, row[holding].astype(np.int64))
    times = np.diff(held_offsets)
    pair = np.repeat(key[holding], times) * rows.n_sensitive + rows.held[entries]
    whose = np.repeat(rows.individuals[row[holding]], times)
    if len(pair) and (int(pair.max()) + 1) * rows.n_individuals >= WHOLE:
        order = np.lexsort((whose, pair))
        pair, whose = pair[order], whose[order]
        new = np.ones(len(pair), np.bool_)
        new[1:] = (pair[1:] != pair[:-1]) | (whose[1:] != whose[:-1])
        pair = pair[new]
    else:
        pair = np.unique(pair * max(rows.n_individuals, 1) + whose) // max(rows.n_individuals, 1)
    pairs, count = np.unique(pair, return_counts=True)
    told_key, told = np.divmod(pairs, max(rows.n_sensitive, 1))
    return told, told_key, count
