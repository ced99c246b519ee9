"""What an adversary who knows original locations can match: count the rows that fit, and what they tell.

A row fits knowledge when its symbols hold the known locations in this order; the leftmost fit is found greedily.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.data.symbols import Symbols
from crypsis.guarantees.klm_anonymity import KlmAnonymity
from crypsis.verifiers.sensitive_shares import Rows
from crypsis.verifiers.subsequence_supports import Packed, gathered, ranges_of_first_symbol

VISITS_PER_SIZE = 30_000_000  # looked at where not everything is tried
COUNTS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Match:
    """Knowledge that fits too few individuals (`sensitive` is None), or of whom too many hold one location."""

    knowledge: tuple[int, ...]
    candidates: int
    sensitive: int | None
    count: int


@dataclass(frozen=True)
class Matching:
    """The result over all knowledge that was tried; `exhaustive` if that was everything there is."""

    exhaustive: bool
    fewest_candidates: int | None
    highest_confidence: float
    worst: Match | None


@dataclass(frozen=True, eq=False)
class Tried:
    """Knowledge of one size that was looked for: how many individuals fit each, and how many of them hold each
    sensitive location. Knowledge of one range may come in several pieces; `complete` if the range has no more."""

    range: int
    knowledge: Int32s
    candidates: Int64s
    counts: Int64s
    complete: bool


class Known(NamedTuple):
    """What may be known: row r of the original holds the locations codes[offsets[r]:offsets[r + 1]].

    `code_of_member` leads from the members of published symbols to these locations, -1 for none.
    """

    offsets: Int64s
    codes: Int32s
    n_codes: int
    code_of_member: Int32s


def match_knowledge(
    rows: Rows, symbols: Symbols, known: Known, promised: KlmAnonymity, *, exhaustive: bool
) -> Matching:
    """Try the distinct subsequences of up to m known locations, all or an even choice of each size."""
    looked_for = LookedFor.of(rows, symbols, known.code_of_member, known.n_codes)

    def tried_of_size(size: int) -> Iterator[Tried]:
        for index, every in enumerate(_knowledge(known.offsets, known.codes, known.n_codes, size)):
            chosen = every if exhaustive else every[even_choice(len(every), len(rows.codes))]
            for piece in np.array_split(chosen, 1 + len(chosen) * rows.n_sensitive // COUNTS_AT_ONCE):
                yield Tried(index, piece, *looked_for.counts(piece), len(chosen) == len(every))

    longest = min(promised.m, int(np.diff(known.offsets).max(initial=0)))
    return judged_matching(tried_of_size, longest, promised.k, min(promised.l, rows.n_individuals + 1))


def even_choice(n_knowledge: int, n_visits: int) -> Int64s:
    """Which knowledge of a range is tried where not everything is."""
    most = max(VISITS_PER_SIZE // max(n_visits, 1), 1)
    if n_knowledge <= most:
        return np.arange(n_knowledge)
    return np.linspace(0, n_knowledge - 1, most).astype(np.int64)


def judged_matching(
    tried_of_size: Callable[[int], Iterator[Tried]],
    longest: int,
    k: int,
    l: int,  # noqa: E741
) -> Matching:
    """Size by size, up to the first that fails: the first range in which something does, there what fits fewest."""
    complete, highest = True, 0.0
    fewest: int | None = None
    worst: tuple[int, Match] | None = None
    for size in range(1, longest + 1):
        for tried in tried_of_size(size):
            complete = complete and tried.complete
            if not len(tried.knowledge):
                continue
            candidates, count = tried.candidates, tried.counts.max(axis=1, initial=0)
            fewest = int(candidates.min()) if fewest is None else min(fewest, int(candidates.min()))
            highest = max(highest, float((count / np.maximum(candidates, 1)).max()))
            bad = np.flatnonzero((candidates < k) | (l * count > candidates))
            if not len(bad):
                continue
            first = int(bad[np.argmin(candidates[bad])])
            if worst is None or (tried.range, candidates[first]) < (worst[0], worst[1].candidates):
                sensitive = None if candidates[first] < k else int(tried.counts[first].argmax())
                known = tuple(tried.knowledge[first].tolist())
                worst = (tried.range, Match(known, int(candidates[first]), sensitive, int(count[first])))
        if worst is not None:
            break
    return Matching(complete, fewest, highest, None if worst is None else worst[1])


class LookedFor(NamedTuple):
    """Rows, by the original locations that their symbols hold.

    Row r has the symbols codes[offsets[r]:offsets[r + 1]] and the sensitive locations
    held[held_offsets[r]:held_offsets[r + 1]]. Location c is held by the symbols s with holds[s, c], in the rows
    row_numbers[row_offsets[c]:row_offsets[c + 1]], which stand by individual.
    """

    offsets: Int64s
    codes: Int32s
    individuals: Int32s
    held_offsets: Int64s
    held: Int32s
    n_sensitive: int
    holds: Bools
    row_offsets: Int64s
    row_numbers: Int64s

    @classmethod
    def of(cls, rows: Rows, symbols: Symbols, code_of_member: Int32s, n_codes: int) -> LookedFor:
        order = np.argsort(rows.individuals, kind="stable")
        return cls(
            rows.offsets,
            rows.codes,
            rows.individuals,
            rows.held_offsets,
            rows.held,
            rows.n_sensitive,
            *_rows_of_codes(rows, symbols, code_of_member, n_codes, order),
        )

    def counts(self, knowledge: Int32s) -> tuple[Int64s, Int64s]:
        """For each row of `knowledge`: individuals that fit, and how many of them hold each sensitive location."""
        candidates, counts = _candidates(knowledge, self)
        return candidates, counts


def _knowledge(offsets: Int64s, codes: Int32s, n_codes: int, size: int) -> Iterator[Int32s]:
    """Distinct subsequences of one size, as rows of a matrix, in pieces that fit in memory."""
    numbers = np.zeros(len(offsets) - 1, np.int32)
    for lowest, highest in ranges_of_first_symbol(offsets, codes, n_codes, size):
        columns, row = gathered(offsets, codes, numbers, n_codes, size, lowest, highest)
        if len(row):
            _, first = np.unique(Packed(columns, n_codes).keys, return_index=True)
            yield np.stack([column[first] for column in columns], axis=1)


def _rows_of_codes(
    rows: Rows, symbols: Symbols, code_of_member: Int32s, n_codes: int, order: Int64s
) -> tuple[Bools, Int64s, Int64s]:
    """Which symbol holds which original location, and the rows that hold each, by individual."""
    holds = np.zeros((max(len(symbols), 1), n_codes), np.bool_)
    code = code_of_member[symbols.members]
    holder = np.repeat(np.arange(len(symbols)), symbols.sizes)
    holds[holder[code >= 0], code[code >= 0]] = True
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    row = np.repeat(np.arange(len(order)), np.diff(rows.offsets))
    distinct = np.unique(place[row] * max(len(symbols), 1) + rows.codes)
    placed, symbol = np.divmod(distinct, max(len(symbols), 1))
    pairs = []
    for first in range(0, len(placed), 100_000):
        index, codes = np.nonzero(holds[symbol[first : first + 100_000]])
        pairs.append(np.unique(codes * max(len(order), 1) + placed[first : first + 100_000][index]))
    every = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    codes, placed = np.divmod(every, max(len(order), 1))
    return holds, offsets_of(np.bincount(codes, minlength=n_codes)), order[placed]


@njit
def _candidates(knowledge: Int32s, rows: LookedFor) -> tuple[Int64s, Int64s]:
    """Count the individuals who have a row that fits each knowledge, and of these who hold each sensitive location."""
    n_known, size = knowledge.shape
    candidates = np.zeros(n_known, np.int64)
    counts = np.zeros((n_known, rows.n_sensitive), np.int64)
    counted_for = np.empty(rows.n_sensitive, np.int64)  # by sensitive location: the last individual counted
    for index in range(n_known):
        counted_for[:] = -1
        # Only rows that hold the rarest of the known locations can fit.
        rarest = knowledge[index, 0]
        for element in range(1, size):
            code = knowledge[index, element]
            if _n_rows(rows, code) < _n_rows(rows, rarest):
                rarest = code
        last = -1
        for entry in range(rows.row_offsets[rarest], rows.row_offsets[rarest + 1]):
            row = rows.row_numbers[entry]
            # A row fits if its symbols hold the known locations in this order.
            step = 0
            for position in range(rows.offsets[row], rows.offsets[row + 1]):
                if rows.holds[rows.codes[position], knowledge[index, step]]:
                    step += 1
                    if step == size:
                        break
            if step < size:
                continue
            # Rows stand by individual, so each individual and each of its locations count once.
            individual = rows.individuals[row]
            if individual != last:
                last = individual
                candidates[index] += 1
            for slot in range(rows.held_offsets[row], rows.held_offsets[row + 1]):
                kind = rows.held[slot]
                if counted_for[kind] != individual:
                    counted_for[kind] = individual
                    counts[index, kind] += 1
    return candidates, counts


@njit
def _n_rows(rows: LookedFor, code: int) -> int:
    """Count the rows that hold a location."""
    return int(rows.row_offsets[code + 1] - rows.row_offsets[code])
