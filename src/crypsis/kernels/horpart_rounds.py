"""HORPART round by round: the records of one part of a shard that hold a term leave it, and take their counts along.

Record r is terms[offsets[r]:offsets[r + 1]]; offsets int64, terms int32 by falling support. `records` are those of the
part, ascending; `skipped` terms are not looked at. Postings name places in `records`, so that a round costs the records
that leave, however many stay.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit


@njit
def post_terms(offsets: Int64s, terms: Int32s, records: Int64s, skipped: Bools) -> tuple[Int64s, Int32s]:
    """Where the postings of each term begin, and the places of the records that hold it, ascending."""
    starts = np.zeros(len(skipped) + 1, np.int64)
    for record in records:
        for position in range(offsets[record], offsets[record + 1]):
            if not skipped[terms[position]]:
                starts[terms[position] + 1] += 1
    for term in range(len(skipped)):
        starts[term + 1] += starts[term]
    filled = starts[:-1].copy()
    postings = np.empty(starts[-1], np.int32)
    for index in range(len(records)):
        for position in range(offsets[records[index]], offsets[records[index] + 1]):
            term = terms[position]
            if not skipped[term]:
                postings[filled[term]] = index
                filled[term] += 1
    return starts, postings


@njit
def leave_with_term(
    offsets: Int64s,
    terms: Int32s,
    records: Int64s,
    skipped: Bools,
    starts: Int64s,
    postings: Int32s,
    term: int,
    gone: Bools,
    node_of_record: Int32s,
    child: int,
) -> tuple[Int32s, Int64s]:
    """Give the records that are left and hold the term to the child; the terms that these hold, and how often."""
    counts = np.zeros(len(skipped), np.int64)
    for entry in range(starts[term], starts[term + 1]):
        index = postings[entry]
        if gone[index]:
            continue
        gone[index] = True
        node_of_record[records[index]] = child
        for position in range(offsets[records[index]], offsets[records[index] + 1]):
            if not skipped[terms[position]]:
                counts[terms[position]] += 1
    held = np.flatnonzero(counts).astype(np.int32)
    return held, counts[held]


@njit
def copy_rows(offsets: Int64s, terms: Int32s, chosen: Int64s) -> tuple[Int64s, Int32s]:
    """Some records in the order given, side by side."""
    taken = np.zeros(len(chosen) + 1, np.int64)
    for index in range(len(chosen)):
        taken[index + 1] = taken[index] + offsets[chosen[index] + 1] - offsets[chosen[index]]
    copied = np.empty(taken[-1], np.int32)
    for index in range(len(chosen)):
        first = offsets[chosen[index]]
        for step in range(taken[index + 1] - taken[index]):
            copied[taken[index] + step] = terms[first + step]
    return taken, copied


@njit
def rows_without(offsets: Int64s, terms: Int32s, chosen: Int64s, dropped: Int32s) -> tuple[Int64s, Int32s]:
    """Some records in the order given, side by side, without a few terms."""
    kept = np.zeros(len(chosen) + 1, np.int64)
    most = 0
    for record in chosen:
        most += offsets[record + 1] - offsets[record]
    left = np.empty(most, np.int32)
    filled = 0
    for index in range(len(chosen)):
        for position in range(offsets[chosen[index]], offsets[chosen[index] + 1]):
            stays = True
            for term in dropped:
                if terms[position] == term:
                    stays = False
            if stays:
                left[filled] = terms[position]
                filled += 1
        kept[index + 1] = filled
    return kept, left[:filled]
