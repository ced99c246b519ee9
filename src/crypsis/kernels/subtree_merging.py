"""Full-subtree merging: which classes become one when all children of a node are replaced by it.

Class c has the nodes `nodes[c, a]` and holds `sizes[c]` records; `hashes[c]` is the sum of `marks[a][node]` over its
attributes, so that replacing one node changes the sum by a difference. Equal sums are compared node by node.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit


@njit
def class_hashes(nodes: Int32s, marks: Int64s, node_start: Int64s) -> Int64s:
    """The sum of the marks of every class's nodes; sums wrap around."""
    hashes = np.zeros(len(nodes), np.int64)
    for index in range(len(nodes)):
        for attribute in range(nodes.shape[1]):
            hashes[index] += marks[node_start[attribute] + nodes[index, attribute]]
    return hashes


@njit
def merged_classes(
    nodes: Int32s, hashes: Int64s, marks: Int64s, node_start: Int64s, attribute: int, replaced: Int32s, slots: Int64s
) -> tuple[Int64s, int]:
    """Number the classes after node n of an attribute became `replaced[n]`.

    `slots` is all -1, a power of two of at least 2 x classes long; it is all -1 again afterwards.
    """
    n_classes, n_attributes = nodes.shape
    mask = len(slots) - 1
    group_of = np.empty(n_classes, np.int64)
    first = np.empty(n_classes, np.int64)
    used = np.empty(n_classes, np.int64)
    start = node_start[attribute]
    n_groups = 0
    for index in range(n_classes):
        old = nodes[index, attribute]
        new = replaced[old]
        key = hashes[index] - marks[start + old] + marks[start + new]
        slot = (key ^ (key >> 31)) & mask
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = n_groups
                used[n_groups] = slot
                first[n_groups] = index
                group_of[index] = n_groups
                n_groups += 1
                break
            other = first[found]
            same = replaced[nodes[other, attribute]] == new
            if same:
                for column in range(n_attributes):
                    if column != attribute and nodes[other, column] != nodes[index, column]:
                        same = False
                        break
            if same:
                group_of[index] = found
                break
            slot = (slot + 1) & mask
    for group in range(n_groups):
        slots[used[group]] = -1
    return group_of, n_groups


@njit
def records_saved(
    nodes: Int32s, attribute: int, replaced: Int32s, group_of: Int64s, sizes: Int64s, bad: Bools, bad_group: Bools,
    saved: Int64s,
) -> None:  # fmt: skip
    """Add to `saved[n]` the records that leave bad classes when the children of node n are replaced by it.

    Groups of classes that no node replaces stay as they are.
    """
    for index in range(len(nodes)):
        old = nodes[index, attribute]
        new = replaced[old]
        if new != old:
            if bad[index]:
                saved[new] += sizes[index]
            if bad_group[group_of[index]]:
                saved[new] -= sizes[index]
