"""Orders drawn by the operating system."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Int64s
from crypsis.compilation import njit

_SPARE_WORDS = 1024


def shuffle_runs(values: Int64s, offsets: Int64s) -> Int64s:
    """The values with each run offsets[i]:offsets[i + 1] in an order drawn by the operating system."""
    while True:
        words = np.frombuffer(os.urandom(8 * (len(values) + _SPARE_WORDS)), np.uint64)
        drawn = values.copy()
        if _shuffle(drawn, offsets, words):
            return drawn


@njit
def _shuffle(values: Int64s, offsets: Int64s, words: NDArray[np.uint64]) -> bool:
    """Fisher and Yates, run by run; words that would favour small numbers are passed over. False: words ran out."""
    used = 0
    highest = np.uint64(0xFFFFFFFFFFFFFFFF)
    for run in range(len(offsets) - 1):
        start = offsets[run]
        for last in range(offsets[run + 1] - 1, start, -1):
            choices = np.uint64(last - start + 1)
            surplus = (highest % choices + np.uint64(1)) % choices
            while used < len(words) and words[used] > highest - surplus:
                used += 1
            if used >= len(words):
                return False
            other = start + np.int64(words[used] % choices)
            used += 1
            values[last], values[other] = values[other], values[last]
    return True
