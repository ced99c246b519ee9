"""A tree over items that says nothing about their meaning: ranges of their list, split into equal parts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int32s, Int64s


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Node 0 is the root. `inner` counts the inner nodes at and below a node, `height` the longest way to an item."""

    low: Int32s
    high: Int32s
    first_child: Int32s
    n_children: Int32s
    inner: Int64s
    height: Int32s

    @classmethod
    def balanced(cls, size: int, fan_out: int) -> ItemTree:
        """Every range of more than one item split into `fan_out` parts as equal as can be."""
        ranges, first, children = [(0, size)], [], []
        for low, high in ranges:  # grows while it is walked: level after level
            ends = sorted({low + part * (high - low) // fan_out for part in range(fan_out + 1)})
            parts = list(pairwise(ends)) if high - low > 1 else []
            first.append(len(ranges))
            children.append(len(parts))
            ranges.extend(parts)
        inner, height = [0] * len(ranges), [0] * len(ranges)
        for node in range(len(ranges) - 1, -1, -1):
            below = range(first[node], first[node] + children[node])
            if children[node]:
                inner[node] = 1 + sum(inner[child] for child in below)
                height[node] = 1 + max(height[child] for child in below)
        return cls(
            np.array([low for low, _ in ranges], np.int32),
            np.array([high for _, high in ranges], np.int32),
            np.array(first, np.int32),
            np.array(children, np.int32),
            np.array(inner, np.int64),
            np.array(height, np.int32),
        )

    def __len__(self) -> int:
        return len(self.low)
