"""Tree: the arrays of one rooted tree. Node 0 is the root, and a parent has a smaller number than its children.

Siblings are numbered from left to right. In `preorder` the nodes below n are n + 1 to `end[n]` - 1; in `level_order`
the children of n are `first_child[n]` and the following. Leaves have positions from left to right: those below n are
`first_leaf[n]` to `last_leaf[n]`, and a leaf is below itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, frozen, offsets_of


class Tree:
    """One tree, given by the parent of every node (-1 for the root). Immutable."""

    def __init__(self, parent: Sequence[int]) -> None:
        self.parent: Int32s = frozen(np.array(parent, np.int32))

    @property
    def n_leaves(self) -> int:
        return int(self.leaf_count[0])

    @cached_property
    def height(self) -> int:
        """The most steps from a leaf to the root."""
        return int(self.depth.max())

    @cached_property
    def depth(self) -> Int32s:
        """The steps from each node to the root."""
        parents = self.parent.tolist()
        depth = [0] * len(parents)
        for node in range(1, len(parents)):
            depth[node] = depth[parents[node]] + 1
        return frozen(np.array(depth, np.int32))

    @cached_property
    def n_children(self) -> Int32s:
        return frozen(np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int32))

    @cached_property
    def children(self) -> tuple[Int64s, Int32s]:
        """Node n has the children `nodes[offsets[n]:offsets[n + 1]]`, in order: (offsets, nodes)."""
        order = np.argsort(self.parent[1:], kind="stable") + 1
        return frozen(offsets_of(self.n_children)), frozen(order.astype(np.int32))

    @cached_property
    def first_child(self) -> Int32s:
        """The first child of each inner node, in level order."""
        return frozen((self.children[0][:-1] + 1).astype(np.int32))

    @cached_property
    def is_leaf(self) -> Bools:
        return frozen(np.equal(self.n_children, 0))

    @cached_property
    def leaf_nodes(self) -> Int32s:
        """The nodes of the leaves, in ascending order; in preorder, this is the order from left to right."""
        return frozen(np.flatnonzero(self.is_leaf).astype(np.int32))

    @cached_property
    def leaf_count(self) -> Int64s:
        """The leaves below each node; a leaf counts itself."""
        return frozen(np.array(self._sum_below(self.is_leaf.astype(np.int64).tolist()), np.int64))

    @cached_property
    def end(self) -> Int32s:
        """One more than the last node below each node, in preorder."""
        size = np.array(self._sum_below([1] * len(self.parent)), np.int32)
        return frozen(np.arange(len(size), dtype=np.int32) + size)

    @cached_property
    def first_leaf(self) -> Int64s:
        """The position, among the leaves, of the first leaf below each node."""
        parents, counts = self.parent.tolist(), self.leaf_count.tolist()
        first = [0] * len(parents)
        free = [0] * len(parents)  # where the leaves of a node's next child begin
        for node in range(1, len(parents)):
            first[node] = free[node] = free[parents[node]]
            free[parents[node]] += counts[node]
        return frozen(np.array(first, np.int64))

    @cached_property
    def last_leaf(self) -> Int64s:
        return frozen(self.first_leaf + self.leaf_count - 1)

    def _sum_below(self, values: list[int]) -> list[int]:
        """The sum of the values of all nodes at and below each node."""
        parents = self.parent.tolist()
        for node in range(len(parents) - 1, 0, -1):
            values[parents[node]] += values[node]
        return values


def preorder(root: str, children: Mapping[str, Sequence[str]]) -> tuple[list[str], list[int]]:
    """The names of all nodes in preorder, children sorted by label, and the parent of each."""
    names: list[str] = []
    parents: list[int] = []
    waiting = [(root, -1)]
    while waiting:
        name, parent = waiting.pop()
        node = len(names)
        names.append(name)
        parents.append(parent)
        waiting += [(child, node) for child in sorted(children.get(name, ()), reverse=True)]
    return names, parents


def level_order(root: str, children: Mapping[str, Sequence[str]]) -> tuple[list[str], list[int]]:
    """The names of all nodes level after level, children in their order, and the parent of each."""
    names, parents = [root], [-1]
    for node, name in enumerate(names):  # grows while it is walked
        below = children.get(name, ())
        names.extend(below)
        parents.extend([node] * len(below))
    return names, parents
