"""A prefix tree of what matters to some sequences. Nodes as in `prefix_tree`.

What a sequence has in common with others depends on its own items alone, and of a run of equal items on as many as it
has itself. Without all the rest many sequences become equal, and what is left of the tree is a small part of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.lcs import Sequences
from crypsis.kernels.prefix_tree import ROOT, Nodes

_NONE = -1
_BITS = 16  # of an item, and of a run of items
_FIELD = np.int64(0xFFFF)  # the root has no item


class ComparedTree(NamedTuple):
    """Nodes, how much deeper each goes, and whether a sequence ends there that others are compared with.

    Where one does, it is sequence number[node] of `sequences`, and that of rows[number[node]] rows; of more than there
    are where all its parts are frequent.
    """

    nodes: Nodes
    height: Int32s
    chosen: Bools
    number: Int32s
    sequences: Sequences
    rows: Int64s


@njit
def projected(tree: ComparedTree, most: Int32s, shortest: int) -> ComparedTree:
    """Leave out of each run of item c all but most[c], and then whatever leads to no path of `shortest` items."""
    nodes, chosen = tree.nodes, tree.chosen
    n_nodes, room = len(nodes.item), 1
    for node in range(1, n_nodes):
        room += most[nodes.item[node]] > 0
    # Nodes are numbered first as they come: a parent before its children, each of which tells the next one.
    becomes = np.zeros(tree.height[ROOT] + 1, np.int64)  # by depth, on the way to the node that is looked at
    parent = np.empty(room, np.int32)
    depth = np.empty(room, np.int32)
    own = np.empty(room, np.int64)  # first child, how many of the same item end here, and this item
    next_one = np.empty(room, np.int64)  # the next sibling and the item
    is_chosen = np.zeros(room, np.bool_)
    rows = np.zeros(room, np.int64)
    parent[ROOT], depth[ROOT], own[ROOT] = _NONE, 0, _FIELD
    n_new = 1
    for node in range(1, n_nodes):
        level, code = nodes.depth[node], np.int64(nodes.item[node])
        new = becomes[level - 1]
        if most[code] > 0:
            above = own[new]
            run = min(((above >> _BITS) & _FIELD) + 1, _FIELD) if above & _FIELD == code else np.int64(1)
            if run <= most[code]:
                upper, first = new, above >> (2 * _BITS)
                new = first
                while new != 0 and next_one[new] & _FIELD != code:
                    new = next_one[new] >> _BITS
                if new == 0:
                    new = n_new
                    n_new += 1
                    parent[new], depth[new] = upper, depth[upper] + 1
                    own[new], next_one[new] = (run << _BITS) | code, (first << _BITS) | code
                    own[upper] = (above & ((np.int64(1) << (2 * _BITS)) - 1)) | (np.int64(new) << (2 * _BITS))
        becomes[level] = new
        if chosen[node]:
            is_chosen[new] = True
            rows[new] += tree.rows[tree.number[node]]
    # Then as a walk meets them.
    height = np.zeros(n_new, np.int32)
    size = np.zeros(n_new, np.int32)
    n_chosen = 0
    text_length = np.int64(0)
    for new in range(n_new - 1, 0, -1):
        height[parent[new]] = max(height[parent[new]], height[new] + 1)
        if depth[new] + height[new] >= shortest:
            size[new] += 1
            size[parent[new]] += size[new]
            if is_chosen[new] and depth[new] >= shortest:
                n_chosen += 1
                text_length += depth[new]
    size[ROOT] += 1
    n_left = size[ROOT]
    left = Nodes(
        np.empty(n_left, np.int32),
        np.empty(n_left, np.int32),
        np.empty(n_left, np.int32),
        np.empty(n_left, np.int32),
        np.full(n_left, _NONE, np.int32),
    )
    left_height = np.empty(n_left, np.int32)
    number = np.full(n_left, _NONE, np.int32)
    rows_of = np.empty(n_chosen, np.int64)
    place = np.empty(n_new, np.int32)
    free = np.empty(n_new, np.int32)  # where the next child goes
    n_numbered = 0
    for new in range(n_new):
        if size[new] == 0:
            continue
        index, left_parent = ROOT, _NONE
        if new != ROOT:
            left_parent = place[parent[new]]
            index = free[parent[new]]
            free[parent[new]] = index + size[new]
        place[new], free[new] = index, index + 1
        left.item[index] = own[new] & _FIELD if new != ROOT else _NONE
        left.parent[index], left.depth[index], left.end[index] = left_parent, depth[new], index + size[new]
        left_height[index] = height[new]
        if is_chosen[new] and new != ROOT and depth[new] >= shortest:
            number[index] = n_numbered
            rows_of[n_numbered] = rows[new]
            n_numbered += 1
    text = np.empty(text_length, np.int32)
    starts = np.empty(n_chosen, np.int64)
    lengths = np.empty(n_chosen, np.int32)
    path = np.empty(height[ROOT], np.int32)
    written = np.int64(0)
    for index in range(1, n_left):
        length = left.depth[index]
        path[length - 1] = left.item[index]
        if number[index] != _NONE:
            starts[number[index]], lengths[number[index]] = written, length
            for position in range(length):
                text[written] = path[position]
                written += 1
    return ComparedTree(left, left_height, number != _NONE, number, Sequences(text, starts, lengths), rows_of)
