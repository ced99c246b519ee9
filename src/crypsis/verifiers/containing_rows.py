"""How many individuals have a row that contains a sequence, gaps allowed: recounted by looking at the rows.

Row r is codes[offsets[r]:offsets[r + 1]]. The rows to look at are those that hold the sequence's rarest item and are
not shorter than it, the longest ones first; looking ends once enough individuals are found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s


@dataclass(frozen=True)
class Rows:
    """Rows with the individual of each, and for each item the rows that hold it, longest first."""

    offsets: Int64s
    codes: Int32s
    individuals: Int32s
    holder_offsets: Int64s
    holders: Int64s

    @classmethod
    def of(cls, offsets: Int64s, codes: Int32s, individuals: Int32s, n_items: int) -> Rows:
        lengths = np.diff(offsets)
        row_of = np.repeat(np.arange(len(lengths)), lengths)
        # Equal (item, row) pairs come together, and within an item longer rows come first.
        order = np.lexsort((row_of, -lengths[row_of], codes))
        items, rows = codes[order], row_of[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (items[1:] != items[:-1]) | (rows[1:] != rows[:-1])
        held = np.bincount(items[new], minlength=n_items)
        return cls(offsets, codes, individuals, np.concatenate([[0], np.cumsum(held)]).astype(np.int64), rows[new])

    def supports(self, offsets: Int64s, codes: Int32s, enough: int) -> Int64s:
        """For each sequence codes[offsets[s]:offsets[s + 1]]: the individuals that have it, counted up to `enough`."""
        n_individuals = int(self.individuals.max(initial=-1)) + 1
        return _counted(
            self.offsets, self.codes, self.individuals, self.holder_offsets, self.holders, offsets, codes, enough,
            n_individuals,
        )  # fmt: skip


def distinct_rows(offsets: Int64s, codes: Int32s) -> Int64s:
    """One row number for each distinct row that is not empty."""
    lengths = np.diff(offsets)
    kept: list[Int64s] = []
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows = np.flatnonzero(lengths == length)
        cells = codes[offsets[rows][:, None] + np.arange(length)]
        order = np.lexsort(cells.T[::-1])
        new = np.ones(len(rows), np.bool_)
        new[1:] = (cells[order][1:] != cells[order][:-1]).any(axis=1)
        kept.append(rows[order[new]])
    return np.concatenate(kept) if kept else np.zeros(0, np.int64)


@njit
def _counted(
    offsets: Int64s,
    codes: Int32s,
    individuals: Int32s,
    holder_offsets: Int64s,
    holders: Int64s,
    sequence_offsets: Int64s,
    sequences: Int32s,
    enough: int,
    n_individuals: int,
) -> Int64s:
    supports = np.zeros(len(sequence_offsets) - 1, np.int64)
    counted_for = np.full(n_individuals, -1, np.int64)
    for sequence in range(len(supports)):
        first, end = sequence_offsets[sequence], sequence_offsets[sequence + 1]
        rarest = sequences[first]
        for place in range(first, end):
            item = sequences[place]
            if holder_offsets[item + 1] - holder_offsets[item] < holder_offsets[rarest + 1] - holder_offsets[rarest]:
                rarest = item
        for entry in range(holder_offsets[rarest], holder_offsets[rarest + 1]):
            row = holders[entry]
            position, row_end = offsets[row], offsets[row + 1]
            if row_end - position < end - first or supports[sequence] >= enough:
                break  # the rows that follow are no longer
            if counted_for[individuals[row]] == sequence:
                continue
            place = first
            while place < end and row_end - position >= end - place:
                if codes[position] == sequences[place]:
                    place += 1
                position += 1
            if place == end:
                counted_for[individuals[row]] = sequence
                supports[sequence] += 1
    return supports
