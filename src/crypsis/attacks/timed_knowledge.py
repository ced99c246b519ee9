"""Search for people of whom some visits are known in their order, with times.

Row r is codes[offsets[r]:offsets[r + 1]]; symbol s may stand for the atoms atoms[atom_offsets[s]:atom_offsets[s + 1]],
ascending. Atom a has the bins enter[a] and exit[a], or NEVER. The times of symbol s, by beginnings, are
starts[step_offsets[s]:step_offsets[s + 1]], and earliest[i] is the earliest end of step i and all later ones of s.

Nobody enters a place before leaving the one before. To end as early as possible leaves most to what follows, so for
each number of known visits that were met only the earliest end is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.arrays.ascending import first_not_below
from crypsis.attacks.matching import Target
from crypsis.compilation import njit
from crypsis.errors import TooLarge

NEVER = np.iinfo(np.int64).max  # no time; and, of an end, that there is none
ALWAYS = np.iinfo(np.int64).min
MOST_COMBINATIONS = 20_000_000


class TimesOfRelease(NamedTuple):
    """The bins of atoms, and the steps of time of symbols."""

    enter: Int64s
    exit: Int64s
    step_offsets: Int64s
    starts: Int64s
    earliest: Int64s


class Rows(NamedTuple):
    """Published rows, with the rows that hold each symbol and the symbols that hold each atom."""

    offsets: Int64s
    codes: Int32s
    individuals: Int32s
    atom_offsets: Int64s
    atoms: Int32s
    row_offsets: Int64s
    rows_of_symbol: Int64s
    symbol_offsets: Int64s
    symbols_of_atom: Int64s


def fewest_candidates_with_times(
    target: Target, times: TimesOfRelease, known_offsets: Int64s, known: Int32s, largest: int
) -> Int64s:
    """fewest[v, s - 1]: the fewest individuals whose rows can have up to s timed visits that may be known of v.

    Knowledge that fits nowhere is passed over.
    """
    rows = _indexed(target)
    free = _without_order(rows, times)
    people = len(known_offsets) - 1
    fewest = np.full((people, largest), target.n_individuals, np.int64)
    whose = np.repeat(np.arange(people), np.diff(known_offsets))
    last = np.arange(len(known))
    atoms = known.reshape(-1, 1).astype(np.int32)
    for size in range(1, largest + 1):
        if size > 1:
            whose, last, atoms = _longer(whose, last, atoms, known_offsets, known)
        distinct, which = np.unique(atoms, axis=0, return_inverse=True)
        found = _count(np.ascontiguousarray(distinct), rows, times, free, target.n_individuals)[which.reshape(-1)]
        fits = found > 0
        np.minimum.at(fewest[:, size - 1], whose[fits], found[fits])
    result: Int64s = np.minimum.accumulate(fewest, axis=1)
    return result


def _longer(
    whose: Int64s, last: Int64s, atoms: Int32s, known_offsets: Int64s, known: Int32s
) -> tuple[Int64s, Int64s, Int32s]:
    """Every combination with one later visit of the same trajectory more."""
    room = known_offsets[whose + 1] - last - 1
    if int(room.sum()) > MOST_COMBINATIONS:
        raise TooLarge(
            f"There are {int(room.sum()):,} combinations of {atoms.shape[1] + 1} visits that may be known; at most "
            f"{MOST_COMBINATIONS:,} are tried. Let the adversary know fewer visits (knowledge)."
        )
    entry = np.repeat(np.arange(len(whose)), room)
    next_visit = last[entry] + 1 + np.arange(len(entry)) - np.repeat(offsets_of(room)[:-1], room)
    return whose[entry], next_visit, np.column_stack([atoms[entry], known[next_visit]]).astype(np.int32)


def _indexed(target: Target) -> Rows:
    n_symbols = len(target.symbol_sizes)
    row = np.repeat(np.arange(len(target.offsets) - 1), np.diff(target.offsets))
    pairs = np.unique(target.codes.astype(np.int64) * max(len(target.offsets) - 1, 1) + row)
    symbol, rows = np.divmod(pairs, max(len(target.offsets) - 1, 1))
    holder = np.repeat(np.arange(n_symbols), np.diff(target.atom_offsets))
    by_atom = np.argsort(target.atoms, kind="stable")
    return Rows(
        target.offsets,
        target.codes,
        target.individuals,
        target.atom_offsets,
        target.atoms,
        offsets_of(np.bincount(symbol, minlength=n_symbols)),
        rows,
        offsets_of(np.bincount(target.atoms, minlength=target.n_atoms)),
        holder[by_atom],
    )


@njit
def _without_order(rows: Rows, times: TimesOfRelease) -> Bools:
    """Rows in which no choice of times is in order: they exclude nothing."""
    free = np.zeros(len(rows.offsets) - 1, np.bool_)
    for row in range(len(free)):
        ended = ALWAYS
        for position in range(rows.offsets[row], rows.offsets[row + 1]):
            ended = _earliest_end(rows.codes[position], ended, times)
            if ended == NEVER:
                free[row] = True
                break
    return free


@njit
def _earliest_end(symbol: int, ended: int, times: TimesOfRelease) -> int:
    """The earliest end of a visit that begins after the one before it has ended; NEVER where it cannot."""
    low, end = times.step_offsets[symbol], times.step_offsets[symbol + 1]
    if low == end:
        return ended  # a place without times
    step = first_not_below(times.starts, low, end, ended)
    return NEVER if step == end else times.earliest[step]


@njit
def _holds(symbol: int, atom: int, rows: Rows) -> bool:
    """Return whether a symbol holds a location."""
    end = rows.atom_offsets[symbol + 1]
    index = first_not_below(rows.atoms, rows.atom_offsets[symbol], end, atom)
    return bool(index < end and rows.atoms[index] == atom)


@njit
def _can_have(row: int, known: Int32s, rows: Rows, times: TimesOfRelease, free: bool, ended: Int64s) -> bool:
    """Whether a row can be of somebody with these visits: `ended[j]` is the earliest end when j of them were met."""
    size = len(known)
    ended[0] = ALWAYS
    ended[1 : size + 1] = NEVER
    for position in range(rows.offsets[row], rows.offsets[row + 1]):
        symbol = rows.codes[position]
        for met in range(size, -1, -1):
            if ended[met] == NEVER:
                continue
            if met < size and _holds(symbol, known[met], rows):
                enter = times.enter[known[met]]
                if free or enter == NEVER:
                    ended[met + 1] = min(ended[met + 1], ended[met])
                elif enter >= ended[met]:
                    ended[met + 1] = min(ended[met + 1], times.exit[known[met]])
            if not free:
                ended[met] = _earliest_end(symbol, ended[met], times)
    return bool(ended[size] != NEVER)


@njit
def _count(known: Int32s, rows: Rows, times: TimesOfRelease, free: Bools, n_individuals: int) -> Int64s:
    """For each piece of knowledge the individuals who have a row that it fits."""
    found = np.zeros(len(known), np.int64)
    tried = np.full(len(rows.offsets) - 1, -1, np.int64)
    counted = np.full(n_individuals, -1, np.int64)
    ended = np.empty(known.shape[1] + 1, np.int64)
    for number in range(len(known)):
        rarest, fewest = 0, NEVER
        for slot in range(known.shape[1]):
            atom, total = known[number, slot], 0
            for index in range(rows.symbol_offsets[atom], rows.symbol_offsets[atom + 1]):
                symbol = rows.symbols_of_atom[index]
                total += rows.row_offsets[symbol + 1] - rows.row_offsets[symbol]
            if total < fewest:
                rarest, fewest = atom, total
        for index in range(rows.symbol_offsets[rarest], rows.symbol_offsets[rarest + 1]):
            symbol = rows.symbols_of_atom[index]
            for entry in range(rows.row_offsets[symbol], rows.row_offsets[symbol + 1]):
                row = rows.rows_of_symbol[entry]
                if tried[row] == number:
                    continue
                tried[row] = number
                if counted[rows.individuals[row]] != number and _can_have(
                    row, known[number], rows, times, free[row], ended
                ):
                    counted[rows.individuals[row]] = number
                    found[number] += 1
    return found
