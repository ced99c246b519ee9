"""The distinct subsequences of each record as integers. Record r is codes[offsets[r]:offsets[r + 1]].

A subsequence of `size` codes below `base` is one integer with these codes as its digits, the first leading.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.subsequences import ANY, Wanted, distinct_subsequences, new_scratch


@njit
def subsequence_keys(
    offsets: Int64s, codes: Int32s, base: int, size: int, first_record: int, enough: int
) -> tuple[Int64s, int]:
    """Keys of the distinct subsequences of one record after another, until there are `enough`; and where to go on."""
    longest = 0
    for record in range(first_record, len(offsets) - 1):
        longest = max(longest, offsets[record + 1] - offsets[record])
    scratch = new_scratch(size, longest, base)
    everything = Wanted(ANY, ANY, ANY)
    found = np.empty((2, 1024), np.int64)
    keys = np.empty(enough + 1024, np.int64)
    n_keys = 0
    record = first_record
    while record < len(offsets) - 1 and n_keys < enough:
        n_found = distinct_subsequences(offsets, codes, record, record + 1, everything, scratch, found)
        if n_found < 0:
            found = np.empty((2, -n_found), np.int64)
            continue
        if n_keys + n_found > len(keys):
            longer = np.empty(2 * (n_keys + n_found), np.int64)
            longer[:n_keys] = keys[:n_keys]
            keys = longer
        keys[n_keys : n_keys + n_found] = found[0, :n_found]
        n_keys += n_found
        record += 1
    return keys[:n_keys], record
