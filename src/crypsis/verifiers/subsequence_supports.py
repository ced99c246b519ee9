"""Supports of all subsequences of one size, recounted from the published rows alone.

Written from the definition: enumerate, deduplicate per individual, count. Row r is codes[offsets[r]:offsets[r + 1]].
Subsequences are packed into integers, sorted with the individual's number, and runs are counted. To bound memory the
work is cut by first symbol; no cut changes a count. Nothing is sampled, pruned or skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit

ENTRIES_AT_ONCE = 24_000_000
ENTRIES_PER_BLOCK = 4_000_000
LONG_ROW = 300  # index combinations of one row beyond which its distinct subsequences are walked instead
WHOLE = 2**62


@dataclass(frozen=True)
class Rarest:
    """The least shared subsequence of one size, and how many are shared by fewer than required."""

    support: int
    symbols: tuple[int, ...]
    violations: int


def rarest_subsequence(
    offsets: Int64s, codes: Int32s, individuals: Int32s, n_symbols: int, size: int, required: int
) -> Rarest | None:
    """The subsequence of `size` symbols with the lowest support, the first in symbol order among equals."""
    rarest: Rarest | None = None
    violations = 0
    for lowest, highest in ranges_of_first_symbol(offsets, codes, n_symbols, size):
        columns, who = gathered(offsets, codes, individuals, n_symbols, size, lowest, highest)
        if len(who) == 0:
            continue
        packed = Packed(columns, n_symbols)
        keys, support = packed.supports(who, int(individuals.max()) + 1)
        violations += int((support < required).sum())
        least = int(np.argmin(support))
        if rarest is None or support[least] < rarest.support:
            rarest = Rarest(int(support[least]), packed.symbols_of(int(keys[least])), 0)
    return None if rarest is None else Rarest(rarest.support, rarest.symbols, violations)


def ranges_of_first_symbol(offsets: Int64s, codes: Int32s, n_symbols: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of symbols such that the subsequences beginning with one of them fit in memory."""
    lengths = np.diff(offsets)
    left = np.repeat(offsets[1:], lengths) - np.arange(len(codes)) - 1  # visits after each one
    longest = int(left.max(initial=0))
    choices = np.array([min(comb(after, size - 1), WHOLE) for after in range(longest + 1)], np.float64)
    by_symbol = np.bincount(codes, weights=choices[left], minlength=n_symbols)
    start, load = 0, 0.0
    for symbol in range(n_symbols):
        if load and load + by_symbol[symbol] > ENTRIES_AT_ONCE:
            yield start, symbol
            start, load = symbol, 0.0
        load += by_symbol[symbol]
    yield start, n_symbols


def gathered(
    offsets: Int64s, codes: Int32s, individuals: Int32s, n_symbols: int, size: int, lowest: int, highest: int
) -> tuple[list[Int32s], Int32s]:
    """All subsequences that begin with a symbol in the range, one column per element, and whose they are."""
    blocks: list[tuple[list[Int32s], Int32s]] = []
    lengths = np.diff(offsets)
    if not len(lengths):
        return [], np.empty(0, np.int32)
    order = np.argsort(lengths, kind="stable")
    distinct, starts = np.unique(lengths[order], return_index=True)
    for length, rows in zip(distinct.tolist(), np.split(order, starts[1:]), strict=True):
        if length < size:
            continue
        if comb(length, size) > LONG_ROW:
            blocks += [_walked(offsets, codes, individuals, n_symbols, size, int(row), lowest, highest) for row in rows]
            continue
        cells = codes[offsets[rows][:, None] + np.arange(length)]
        for first in range(length - size + 1):
            inside = (cells[:, first] >= lowest) & (cells[:, first] < highest)
            chosen, owner = (cells, individuals[rows]) if inside.all() else (cells[inside], individuals[rows][inside])
            after = list(combinations(range(first + 1, length), size - 1))
            tails = np.array(after, np.int64).reshape(len(after), size - 1)
            for piece in np.array_split(tails, max(1, len(chosen) * len(tails) // ENTRIES_PER_BLOCK)):
                columns = [np.repeat(chosen[:, first], len(piece))]
                columns += [chosen[:, piece[:, element]].ravel() for element in range(size - 1)]
                blocks.append((columns, np.repeat(owner, len(piece))))
    if not blocks:
        return [], np.empty(0, np.int32)
    columns = [np.concatenate([block[0][element] for block in blocks]) for element in range(size)]
    return columns, np.concatenate([block[1] for block in blocks])


class Packed:
    """Columns of symbols packed into one integer per row; remembers how to unpack."""

    def __init__(self, columns: list[Int32s], n_symbols: int) -> None:
        self.n_symbols = n_symbols
        self.tables: list[Int64s | None] = []
        keys = columns[0].astype(np.int64)
        self.bound = n_symbols
        for column in columns[1:]:
            table = None
            if self.bound * n_symbols >= WHOLE:
                table, keys = np.unique(keys, return_inverse=True)
                self.bound = len(table)
            self.tables.append(table)
            keys = keys * n_symbols + column
            self.bound *= n_symbols
        self.keys = keys

    def supports(self, who: Int32s, n_individuals: int) -> tuple[Int64s, Int64s]:
        """Distinct keys in ascending order, and the number of distinct individuals of each."""
        if self.bound * n_individuals < WHOLE:
            pairs = self.keys * n_individuals + who
            pairs.sort()
            keys = pairs[_run_starts(pairs)] // n_individuals
        else:
            order = np.lexsort((who, self.keys))
            keys, people = self.keys[order], who[order]
            new = np.ones(len(keys), np.bool_)
            new[1:] = (keys[1:] != keys[:-1]) | (people[1:] != people[:-1])
            keys = keys[new]
        starts = _run_starts(keys)
        return keys[starts], np.diff(starts, append=len(keys))

    def symbols_of(self, key: int) -> tuple[int, ...]:
        symbols: list[int] = []
        for table in reversed(self.tables):
            key, symbol = divmod(key, self.n_symbols)
            symbols.append(symbol)
            if table is not None:
                key = int(table[key])
        return (key, *reversed(symbols))


def _run_starts(ordered: Int64s) -> Int64s:
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return np.flatnonzero(new)


def _walked(
    offsets: Int64s,
    codes: Int32s,
    individuals: Int32s,
    n_symbols: int,
    size: int,
    row: int,
    lowest: int,
    highest: int,
) -> tuple[list[Int32s], Int32s]:
    """Distinct subsequences of one long row, by a next-occurrence table instead of index combinations."""
    path = codes[offsets[row] : offsets[row + 1]]
    present, local = np.unique(path, return_inverse=True)
    following = _next_occurrences(local.astype(np.int64), len(present))
    walked = _walk(following, size, present.astype(np.int32), lowest, highest)
    return [walked[:, element] for element in range(size)], np.full(len(walked), individuals[row], np.int32)


@njit
def _next_occurrences(path: Int64s, n_symbols: int) -> Int64s:
    """following[p, s]: the first position at or after p that holds s, the path's length if there is none."""
    following = np.full((len(path) + 1, n_symbols), len(path), np.int64)
    for position in range(len(path) - 1, -1, -1):
        following[position] = following[position + 1]
        following[position, path[position]] = position
    return following


@njit
def _walk(following: Int64s, size: int, present: Int32s, lowest: int, highest: int) -> Int32s:
    """All symbol tuples that the path holds, each once: choose a symbol, jump to its next occurrence, repeat."""
    end, n_symbols = len(following) - 1, following.shape[1]
    chosen = np.zeros((1024, size), np.int32)
    n_chosen = 0
    symbol = np.full(size, -1, np.int64)
    reached = np.zeros(size + 1, np.int64)
    depth = 0
    while depth >= 0:
        symbol[depth] += 1
        if symbol[depth] == n_symbols:
            depth -= 1
            continue
        position = following[reached[depth], symbol[depth]]
        if position == end or (depth == 0 and not lowest <= present[symbol[0]] < highest):
            continue
        if depth + 1 < size:
            depth += 1
            reached[depth] = position + 1
            symbol[depth] = -1
            continue
        if n_chosen == len(chosen):
            wider = np.zeros((2 * len(chosen), size), np.int32)
            wider[:n_chosen] = chosen
            chosen = wider
        for element in range(size):
            chosen[n_chosen, element] = present[symbol[element]]
        n_chosen += 1
    return chosen[:n_chosen]
