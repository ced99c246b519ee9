"""What the searches for people of whom pieces are known share: a tree of what may be known, walked with a stack.

A list of pieces is extended by one piece at a time. Each list carries the rows that it fits and the people of whom it
may be known, as ranges of two growing lists; what lies above its ranges belongs to lists that are finished.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int64s
from crypsis.compilation import njit


class Counters(NamedTuple):
    """Per piece, for the list being extended; `met` lists the pieces whose counters are in use."""

    support: Int64s  # individuals whose rows fit
    entries: Int64s  # rows that fit
    wanted: Int64s  # people of whom it may be known, and who are followed further
    last_counted: Int64s
    fill_rows: Int64s
    fill_people: Int64s
    met: Int64s


class Stack(NamedTuple):
    """Lists still to be extended: their length, their last piece, and their ranges of rows and of people."""

    depths: Int64s
    pieces: Int64s
    row_start: Int64s
    row_end: Int64s
    person_start: Int64s
    person_end: Int64s


@njit
def new_counters(n_pieces: int) -> Counters:
    """Nothing is met."""
    support, entries, wanted = np.zeros(n_pieces, np.int64), np.zeros(n_pieces, np.int64), np.zeros(n_pieces, np.int64)
    last_counted = np.full(n_pieces, -1, np.int64)
    fill_rows, fill_people = np.zeros(n_pieces, np.int64), np.zeros(n_pieces, np.int64)
    return Counters(support, entries, wanted, last_counted, fill_rows, fill_people, np.empty(n_pieces, np.int64))


@njit
def new_stack(n_rows: int, n_people: int) -> Stack:
    """The empty list, which fits every row and may be known of everybody."""
    stack = Stack(
        np.empty(64, np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
        np.empty(64, np.int64),
    )
    stack.depths[0], stack.pieces[0] = 0, -1
    stack.row_start[0], stack.row_end[0] = 0, n_rows
    stack.person_start[0], stack.person_end[0] = 0, n_people
    return stack


@njit
def note_candidates(fewest: Int64s, person: int, depth: int, candidates: int) -> None:
    """So few individuals fit `depth + 1` pieces that may be known of a person, and so more pieces, too."""
    if 0 < candidates < fewest[person, depth]:
        for more in range(depth, fewest.shape[1]):
            fewest[person, more] = min(fewest[person, more], candidates)


@njit
def push_extensions(
    stack: Stack, height: int, depth: int, counters: Counters, n_met: int, end_row: int, end_person: int
) -> tuple[Stack, int, int, int]:
    """Put the wanted extensions of a list on the stack; the stack, its height, and where their ranges end."""
    for index in range(n_met):
        piece = counters.met[index]
        if counters.wanted[piece] == 0:
            continue
        if height == len(stack.depths):
            stack = Stack(
                longer(stack.depths),
                longer(stack.pieces),
                longer(stack.row_start),
                longer(stack.row_end),
                longer(stack.person_start),
                longer(stack.person_end),
            )
        stack.depths[height], stack.pieces[height] = depth + 1, piece
        counters.fill_rows[piece], counters.fill_people[piece] = end_row, end_person
        stack.row_start[height], stack.person_start[height] = end_row, end_person
        end_row += counters.entries[piece]
        end_person += counters.wanted[piece]
        stack.row_end[height], stack.person_end[height] = end_row, end_person
        height += 1
    return stack, height, end_row, end_person


@njit
def clear(counters: Counters, n_met: int) -> None:
    """Forget what was counted for a list."""
    for index in range(n_met):
        piece = counters.met[index]
        counters.support[piece] = 0
        counters.entries[piece] = 0
        counters.wanted[piece] = 0
        counters.last_counted[piece] = -1


@njit
def longer(values: Int64s) -> Int64s:
    """The values with spare room behind them."""
    longer = np.empty(2 * len(values) + 64, np.int64)
    longer[: len(values)] = values
    return longer


@njit
def longer_table(values: NDArray[Any]) -> NDArray[Any]:
    """The same for the rows of a table."""
    longer = np.empty((2 * len(values) + 64, values.shape[1]), np.int64)
    longer[: len(values)] = values
    return longer
