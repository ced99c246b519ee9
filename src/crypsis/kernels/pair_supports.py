"""How much weight the records have that contain a set of pairs.

The records of pair p are `records[offsets[p]:offsets[p + 1]]`, ascending. Query q asks for the pairs
`asked[query_offsets[q]:query_offsets[q + 1]]`.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.arrays.ascending import first_not_below
from crypsis.compilation import njit


@njit
def _holds(records: Int64s, start: int, end: int, wanted: int) -> bool:
    """Whether the ascending run `records[start:end]` holds a record."""
    index = first_not_below(records, start, end, wanted)
    return index < end and records[index] == wanted


@njit
def pair_set_supports(
    offsets: Int64s, records: Int64s, weights: Int64s, query_offsets: Int64s, asked: Int64s
) -> Int64s:
    """Total weight of the records that contain all pairs of each query."""
    answers = np.zeros(len(query_offsets) - 1, np.int64)
    for query in range(len(answers)):
        first = query_offsets[query]
        last = query_offsets[query + 1]
        rarest = asked[first]
        for index in range(first, last):
            pair = asked[index]
            if offsets[pair + 1] - offsets[pair] < offsets[rarest + 1] - offsets[rarest]:
                rarest = pair
        total = 0
        for at in range(offsets[rarest], offsets[rarest + 1]):
            record = records[at]
            contains = True
            for index in range(first, last):
                pair = asked[index]
                if pair != rarest and not _holds(records, offsets[pair], offsets[pair + 1], record):
                    contains = False
                    break
            if contains:
                total += weights[record]
        answers[query] = total
    return answers
