"""ValueRanges: a taxonomy over the values 0 to n - 1, level by level, as ranges that each parent splits in order.

A range of one value is not split further: it goes straight to the leaves. Level 0 is the root, which is everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crypsis.arrays import Int64s
from crypsis.hierarchy import Taxonomy


@dataclass(frozen=True, eq=False)
class Level:
    """Ranges `low[r]` to `high[r] - 1`; range r of the level above is split into `first_child[r]` and following."""

    low: Int64s
    high: Int64s
    range_of: Int64s  # value: number of its range, -1 where its range has one value and stands on a level above
    first_child: Int64s
    children: Int64s


@dataclass(frozen=True, eq=False)
class ValueRanges:
    """The levels below the root; `levels[0]` is the first general one."""

    size: int
    levels: tuple[Level, ...]

    @property
    def height(self) -> int:
        return len(self.levels)

    @classmethod
    def balanced(cls, size: int, fan_out: int, height: int) -> ValueRanges:
        """Every range of more than one value split into `fan_out` parts as equal as can be."""

        def split(low: int, high: int) -> list[int]:
            return sorted({low + part * (high - low) // fan_out for part in range(fan_out + 1)})

        levels, ranges = [], [(0, size)]
        for _ in range(height):
            divided = [list(pairwise(split(low, high))) if high - low > 1 else [] for low, high in ranges]
            levels.append(_level(size, divided))
            ranges = [part for parts in divided for part in parts]
        return cls(size, tuple(levels))

    @classmethod
    def of_taxonomy(cls, taxonomy: Taxonomy) -> tuple[ValueRanges, list[str]]:
        """The inner nodes of a taxonomy, and its leaves in the order that makes every node a range."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(taxonomy.parent.tolist()):
            children.setdefault(parent, []).append(node)
        order, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += reversed(children.get(node, []))
        leaves = [node for node in order if node not in children]
        place = {node: (index, index + 1) for index, node in enumerate(leaves)}
        for node in sorted(children.keys() - {-1}, reverse=True):  # a parent has a smaller number than its children
            below = [place[child] for child in children[node]]
            place[node] = (min(low for low, _ in below), max(high for _, high in below))
        levels, nodes = [], [0]
        for _ in range(taxonomy.levels - 2):
            parts = [
                sorted(children.get(node, []), key=lambda child: place[child])
                if place[node][1] - place[node][0] > 1
                else []
                for node in nodes
            ]
            levels.append(_level(len(leaves), [[place[node] for node in part] for part in parts]))
            nodes = [node for part in parts for node in part]
        return cls(len(leaves), tuple(levels)), [taxonomy.names[leaf] for leaf in leaves]


def _level(size: int, divided: list[list[tuple[int, int]]]) -> Level:
    """The ranges that the ranges above are divided into."""
    ranges = [part for parts in divided for part in parts]
    counts = np.array([len(parts) for parts in divided], np.int64)
    range_of = np.full(size, -1, np.int64)
    for index, (low, high) in enumerate(ranges):
        range_of[low:high] = index
    ends = np.array(ranges, np.int64).reshape(-1, 2)
    return Level(ends[:, 0], ends[:, 1], range_of, np.cumsum(counts) - counts, counts)
