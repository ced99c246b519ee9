"""How many individuals have a row that contains a sequence, gaps allowed: recounted by looking at the rows.

Row r is codes[offsets[r]:offsets[r + 1]]. Sequences are taken in lexicographic order. For the sequence at hand, and for
every beginning of it, there is a list of the rows that contain it and of the place behind its leftmost occurrence; the
next sequence starts from the lists of the beginning that it shares. Nothing is skipped: every count is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.compilation import njit


class Rows(NamedTuple):
    """Rows, how many each stands for or whose they are, and for each item the rows that hold it."""

    offsets: Int64s
    codes: Int32s
    weights: Int64s
    individuals: Int32s
    holder_offsets: Int64s
    holders: Int64s

    @classmethod
    def of(cls, offsets: Int64s, codes: Int32s, individuals: Int32s, n_items: int) -> Rows:
        weights = np.ones(len(individuals), np.int64)
        if len(np.unique(individuals)) == len(individuals):  # then equal rows can be counted together
            chosen, weights = distinct_rows(offsets, codes)
            offsets, positions = take_records(offsets, chosen)
            codes, individuals = codes[positions], np.zeros(0, np.int32)
        lengths = np.diff(offsets)
        row_of = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((row_of, codes))
        items, rows = codes[order], row_of[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (items[1:] != items[:-1]) | (rows[1:] != rows[:-1])
        held = np.bincount(items[new], minlength=n_items)
        holder_offsets = np.concatenate([[0], np.cumsum(held)]).astype(np.int64)
        return cls(offsets, codes, weights, individuals, holder_offsets, rows[new])

    def supports(self, offsets: Int64s, codes: Int32s) -> Int64s:
        """For each sequence codes[offsets[s]:offsets[s + 1]], none of them empty: the individuals that have it."""
        text = codes.astype(">u4").tobytes()
        bounds = (4 * offsets).tolist()
        order = sorted(range(len(offsets) - 1), key=lambda sequence: text[bounds[sequence] : bounds[sequence + 1]])
        return _counted(self, np.array(order, np.int64), offsets, codes)


def distinct_rows(offsets: Int64s, codes: Int32s) -> tuple[Int64s, Int64s]:
    """One row number for each distinct row that is not empty, and how often it occurs."""
    lengths = np.diff(offsets)
    chosen: list[Int64s] = [np.zeros(0, np.int64)]
    counts: list[Int64s] = [np.zeros(0, np.int64)]
    for length in np.unique(lengths[lengths > 0]).tolist():
        rows = np.flatnonzero(lengths == length)
        cells = codes[offsets[rows][:, None] + np.arange(length)]
        order = np.lexsort(cells.T[::-1]) if len(rows) > 1 else np.zeros(1, np.int64)
        new = np.ones(len(rows), np.bool_)
        new[1:] = (cells[order][1:] != cells[order][:-1]).any(axis=1)
        first = np.flatnonzero(new)
        chosen.append(rows[order[first]])
        counts.append(np.diff(np.append(first, len(rows))))
    return np.concatenate(chosen), np.concatenate(counts)


@njit
def _counted(data: Rows, order: Int64s, sequence_offsets: Int64s, sequences: Int32s) -> Int64s:
    """Count the individuals with a row that contains each sequence; neighbours in order share what they begin with."""
    supports = np.zeros(len(order), np.int64)
    longest, n_individuals = 0, 0
    for sequence in range(len(order)):
        longest = max(longest, sequence_offsets[sequence + 1] - sequence_offsets[sequence])
    for individual in data.individuals:
        n_individuals = max(n_individuals, individual + 1)
    counted_for = np.full(n_individuals, -1, np.int64)  # by individual: the last sequence that counted it
    # The list of the first d items of the sequence at hand, d >= 1, is rows[starts[d]:starts[d + 1]], places likewise.
    starts = np.zeros(longest + 2, np.int64)
    rows = np.empty(1024, np.int64)
    places = np.empty(1024, np.int64)
    last = -1
    for sequence in order:
        first, end = sequence_offsets[sequence], sequence_offsets[sequence + 1]
        # How much the sequence at hand begins with in common with the one before.
        shared = 0
        if last >= 0:
            last_first, last_end = sequence_offsets[last], sequence_offsets[last + 1]
            while shared < min(end - first, last_end - last_first):
                if sequences[first + shared] != sequences[last_first + shared]:
                    break
                shared += 1
        # Lengthen that beginning item by item: keep the rows in which the item follows, and where.
        for depth in range(shared, end - first):
            item = sequences[first + depth]
            n_found = starts[depth + 1]
            n_candidates = starts[depth + 1] - starts[depth]
            if depth == 0:
                n_found = 0
                starts[1] = 0
                n_candidates = data.holder_offsets[item + 1] - data.holder_offsets[item]
            if n_found + n_candidates > len(rows):
                rows = np.append(rows[:n_found], np.empty(n_found + 2 * n_candidates, np.int64))
                places = np.append(places[:n_found], np.empty(n_found + 2 * n_candidates, np.int64))
            for candidate in range(n_candidates):
                if depth == 0:
                    row = data.holders[data.holder_offsets[item] + candidate]
                    index = data.offsets[row]
                else:
                    row = rows[starts[depth] + candidate]
                    index = places[starts[depth] + candidate]
                while index < data.offsets[row + 1] and data.codes[index] != item:
                    index += 1
                if index < data.offsets[row + 1]:
                    rows[n_found] = row
                    places[n_found] = index + 1
                    n_found += 1
            starts[depth + 2] = n_found
        # Whoever has a row on the last list contains the sequence.
        for entry in range(starts[end - first], starts[end - first + 1]):
            row = rows[entry]
            if len(data.individuals) == 0:
                supports[sequence] += data.weights[row]
            elif counted_for[data.individuals[row]] != sequence:
                counted_for[data.individuals[row]] = sequence
                supports[sequence] += 1
        last = sequence
    return supports
