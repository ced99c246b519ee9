"""The distinct subsequences of each record as integers. Record r is codes[offsets[r]:offsets[r + 1]].

A subsequence of `size` codes below `base` is one integer with these codes as its digits, the first leading.
"""

from __future__ import annotations

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s


@njit
def subsequence_keys(
    offsets: Int64s, codes: Int32s, base: int, size: int, first_record: int, enough: int
) -> tuple[Int64s, int]:
    """Keys of the subsequences of one record after another, until there are `enough`; and where to go on.

    A record gives each of its subsequences once: only the leftmost embedding is walked, in which every
    element is the first one of its code behind the element before.
    """
    keys = np.empty(enough + enough // 4 + 1, np.int64)
    n_keys = 0
    last_seen = np.full(base, -1, np.int64)
    at = np.empty(size, np.int64)  # the place chosen for each element
    prefix = np.zeros(size, np.int64)  # the key of the elements before each
    earlier = np.empty(64, np.int64)  # where the code at each place of the record stood before
    record = first_record
    while record < len(offsets) - 1 and n_keys < enough:
        start, end = offsets[record], offsets[record + 1]
        record += 1
        if end - start < size:
            continue
        if end - start > len(earlier):
            earlier = np.empty(2 * (end - start), np.int64)
        for place in range(start, end):
            # Places of earlier records lie before `start`, so last_seen needs no clearing.
            earlier[place - start] = last_seen[codes[place]]
            last_seen[codes[place]] = place
        depth = 0
        at[0] = start - 1
        while depth >= 0:
            at[depth] += 1
            place = at[depth]
            if place + size - depth > end:
                depth -= 1
                continue
            behind = at[depth - 1] + 1 if depth > 0 else start
            if earlier[place - start] >= behind:
                continue
            key = prefix[depth] * base + codes[place]
            if depth + 1 < size:
                depth += 1
                prefix[depth] = key
                at[depth] = place
            else:
                if n_keys == len(keys):
                    longer = np.empty(2 * n_keys, np.int64)
                    longer[:n_keys] = keys
                    keys = longer
                keys[n_keys] = key
                n_keys += 1
    return keys[:n_keys], record
