"""FuzzyIndex: which of many periods can share an instant with a given one, without looking at all of them.

Intervals are sorted by their outer start. Blocks of 256 of them are the leaves of an implicit binary tree that holds
the greatest outer end below each node. A search cuts the order at the last interval that begins in time, and descends
only where some interval ends late enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.fuzzytime.array import FuzzyArray
from crypsis.fuzzytime.interval import Number

BLOCK = 256


class FuzzyIndex:
    """Answers range questions on fuzzy intervals; build it once, from about a million intervals on.

    >>> from crypsis.fuzzytime import FuzzyInterval
    >>> index = FuzzyIndex(FuzzyArray.of([FuzzyInterval.crisp(0, 4), FuzzyInterval.crisp(6, 9)]))
    >>> index.overlapping(5, 7).tolist()
    [1]
    """

    def __init__(self, intervals: FuzzyArray) -> None:
        self.intervals = intervals
        self._order = np.argsort(intervals.outer_start, kind="stable")
        self._starts = intervals.outer_start[self._order]
        self._ends = intervals.outer_end[self._order]
        self._levels = [np.maximum.reduceat(self._ends, np.arange(0, len(self._ends), BLOCK))] if len(intervals) else []
        while self._levels and len(self._levels[-1]) > 1:
            below = self._levels[-1]
            self._levels.append(np.maximum.reduceat(below, np.arange(0, len(below), 2)))

    def __len__(self) -> int:
        return len(self.intervals)

    def overlapping(self, start: Number, end: Number) -> NDArray[np.int64]:
        """Indices of the intervals that can have an instant in [start, end], ascending."""
        in_time = int(np.searchsorted(self._starts, end, side="right"))
        blocks = self._blocks_that_end_after(start, -(-in_time // BLOCK))
        if not len(blocks):
            return np.empty(0, np.int64)
        slots = (blocks[:, None] * BLOCK + np.arange(BLOCK)).ravel()
        slots = slots[slots < in_time]
        candidates = self._order[slots[self._ends[slots] >= start]]
        candidates.sort()
        return candidates

    def _blocks_that_end_after(self, start: Number, n_blocks: int) -> NDArray[Any]:
        """The blocks among the first `n_blocks` that hold an interval ending at `start` or later."""
        nodes = np.zeros(min(1, n_blocks), np.int64)
        for level in range(len(self._levels) - 1, -1, -1):
            nodes = nodes[self._levels[level][nodes] >= start]
            if level:
                nodes = (2 * nodes[:, None] + np.arange(2)).ravel()
                nodes = nodes[nodes < min(len(self._levels[level - 1]), -(-n_blocks // (1 << (level - 1))))]
        return nodes
