"""A tree over items that says nothing about their meaning: ranges of their list, split into equal parts."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int32s, Int64s, frozen
from crypsis.arrays.tree import Tree


class ItemTree(Tree):
    """A tree in level order, with items as leaves: node n holds the items `low[n]` to `high[n]` - 1."""

    @classmethod
    def balanced(cls, size: int, fan_out: int) -> ItemTree:
        """Every range of more than one item split into `fan_out` parts as equal as can be."""
        ranges, parents = [(0, size)], [-1]
        for node, (low, high) in enumerate(ranges):  # grows while it is walked: level after level
            ends = sorted({low + part * (high - low) // fan_out for part in range(fan_out + 1)})
            parts = list(pairwise(ends)) if high - low > 1 else []
            ranges.extend(parts)
            parents.extend([node] * len(parts))
        return cls(parents)

    @cached_property
    def low(self) -> Int32s:
        return frozen(self.first_leaf.astype(np.int32))

    @cached_property
    def high(self) -> Int32s:
        return frozen((self.first_leaf + self.leaf_count).astype(np.int32))

    @cached_property
    def inner(self) -> Int64s:
        """The inner nodes at and below each node."""
        return frozen(np.array(self._sum_below((~self.is_leaf).astype(np.int64).tolist()), np.int64))

    @cached_property
    def heights(self) -> Int32s:
        """The longest way from each node down to an item."""
        parents = self.parent.tolist()
        heights = [0] * len(parents)
        for node in range(len(parents) - 1, 0, -1):
            heights[parents[node]] = max(heights[parents[node]], heights[node] + 1)
        return frozen(np.array(heights, np.int32))

    def __len__(self) -> int:
        return len(self.parent)
