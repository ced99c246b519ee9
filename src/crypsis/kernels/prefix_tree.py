"""The prefix tree of many rows in flat arrays. Row r is codes[offsets[r]:offsets[r + 1]]; offsets int64, codes int32.

Nodes are numbered as a walk meets them that takes smaller items first; node 0 is the root. So the subtree of node v is
v, v + 1, ... end[v] - 1, its first child (if any) is v + 1, and the next sibling of a child c is end[c]. The path of v
is the first depth[v] codes of row maker[v].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit

ROOT = 0


class Nodes(NamedTuple):
    """One entry for each node."""

    item: Int32s
    parent: Int32s
    depth: Int32s
    end: Int32s
    maker: Int32s


def lexicographic_order(offsets: Int64s, codes: Int32s, n_codes: int) -> tuple[Int64s, Bools]:
    """Row numbers in the order of their rows, a prefix before what it begins; and which differ from the one before.

    Several codes at a time are packed into one integer; rows that are equal so far are sorted by the next ones.
    """
    base = max(n_codes, 1) + 1  # 0 stands for the end of a row
    digits = 1
    while base ** (digits + 1) < 2**63:
        digits += 1
    lengths = np.diff(offsets)
    keys = _packed(offsets, codes, np.arange(len(lengths)), 0, digits, base)
    order = np.argsort(keys)
    differs = np.ones(len(order), np.bool_)
    differs[1:] = np.diff(keys[order]) != 0
    start = digits
    while True:
        shared = ~differs
        shared[:-1] |= ~differs[1:]
        open_places = np.flatnonzero(shared & (lengths[order] >= start))
        if not len(open_places) or not (lengths[order[open_places]] > start).any():
            return order, differs
        run = np.cumsum(differs)[open_places]
        rows = order[open_places]
        keys = _packed(offsets, codes, rows, start, digits, base)
        within = np.lexsort((keys, run))
        order[open_places] = rows[within]
        keys = keys[within]
        differs[open_places[1:]] |= (run[1:] == run[:-1]) & (keys[1:] != keys[:-1])
        start += digits


@njit
def _packed(offsets: Int64s, codes: Int32s, rows: Int64s, start: int, digits: int, base: int) -> Int64s:
    """Pack the next codes of each row into one number that sorts like them."""
    keys = np.zeros(len(rows), np.int64)
    for index in range(len(rows)):
        position = offsets[rows[index]] + start
        end = offsets[rows[index] + 1]
        key = 0
        for _ in range(digits):
            key *= base
            if position < end:
                key += int(codes[position]) + 1
            position += 1
        keys[index] = key
    return keys


@njit
def grow(offsets: Int64s, codes: Int32s, order: Int64s, differs: Bools) -> tuple[Nodes, Int32s]:
    """The tree of rows given in lexicographic order, and the node where each row ends (the root for an empty row)."""
    n_rows = len(order)
    longest, most = 0, 1
    for index in range(n_rows):
        length = offsets[order[index] + 1] - offsets[order[index]]
        longest = max(longest, length)
        if differs[index]:
            most += length
    item = np.empty(most, np.int32)
    parent = np.empty(most, np.int32)
    depth = np.empty(most, np.int32)
    maker = np.empty(most, np.int32)
    end_of_row = np.zeros(n_rows, np.int32)
    item[0], parent[0], depth[0], maker[0] = -1, -1, 0, -1
    n_nodes = 1
    path = np.zeros(longest + 1, np.int32)  # the node at each depth of the last row
    reached = 0
    for index in range(n_rows):
        row = order[index]
        start, length = offsets[row], offsets[row + 1] - offsets[row]
        if differs[index]:
            shared = 0
            while shared < reached and shared < length and item[path[shared + 1]] == codes[start + shared]:
                shared += 1
            for position in range(shared, length):
                item[n_nodes] = codes[start + position]
                parent[n_nodes] = path[position]
                depth[n_nodes] = position + 1
                maker[n_nodes] = row
                path[position + 1] = n_nodes
                n_nodes += 1
            reached = length
        end_of_row[row] = path[length]
    end = np.empty(n_nodes, np.int32)
    for node in range(n_nodes):
        end[node] = node + 1
    for node in range(n_nodes - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], end[node])
    grown = Nodes(item[:n_nodes].copy(), parent[:n_nodes].copy(), depth[:n_nodes].copy(), end, maker[:n_nodes].copy())
    return grown, end_of_row


@njit
def summed_up(parent: Int32s, own: Int64s) -> Int64s:
    """By node: the sum over its subtree."""
    total = own.copy()
    for node in range(len(parent) - 1, 0, -1):
        total[parent[node]] += total[node]
    return total


@njit
def individuals_through(nodes: Nodes, end_of_row: Int32s, order: Int64s, groups: Int32s, n_groups: int) -> Int64s:
    """By node: the individuals with a row through it; `groups` gives the individual of each row.

    Rows through a node stand together in lexicographic order. Two rows of one individual that follow each other there
    count twice in every node that both pass, so one is taken off at the last of these.
    """
    own = np.zeros(len(nodes.parent), np.int64)
    last_end = np.full(n_groups, -1, np.int32)
    for index in range(len(order)):
        row = order[index]
        node = end_of_row[row]
        if node == ROOT:
            continue
        own[node] += 1
        other = last_end[groups[row]]
        last_end[groups[row]] = node
        if other >= 0:
            while node != other:
                if nodes.depth[node] >= nodes.depth[other]:
                    node = nodes.parent[node]
                else:
                    other = nodes.parent[other]
            own[node] -= 1
    return summed_up(nodes.parent, own)


@njit
def nearest_kept(parent: Int32s, kept: Bools) -> Int32s:
    """By node: itself if it is kept, else its closest kept ancestor; the root is always kept."""
    nearest = np.zeros(len(parent), np.int32)
    for node in range(1, len(parent)):
        nearest[node] = node if kept[node] else nearest[parent[node]]
    return nearest


@njit
def with_ancestors(parent: Int32s, chosen: Bools) -> Bools:
    """The chosen nodes and all on the way to them."""
    all_of_them = chosen.copy()
    for node in range(len(parent) - 1, 0, -1):
        if all_of_them[node]:
            all_of_them[parent[node]] = True
    return all_of_them


@njit
def heights(parent: Int32s) -> Int32s:
    """By node: how much deeper its subtree goes."""
    height = np.zeros(len(parent), np.int32)
    for node in range(len(parent) - 1, 0, -1):
        height[parent[node]] = max(height[parent[node]], height[node] + 1)
    return height


@njit
def pruned(nodes: Nodes, kept: Bools) -> tuple[Nodes, Int32s]:
    """The tree of the kept nodes (a kept node has a kept parent), and the number that each of them had before."""
    number = np.cumsum(kept) - 1
    before = np.flatnonzero(kept).astype(np.int32)
    n_kept = len(before)
    item = np.empty(n_kept, np.int32)
    parent = np.empty(n_kept, np.int32)
    depth = np.empty(n_kept, np.int32)
    end = np.empty(n_kept, np.int32)
    maker = np.empty(n_kept, np.int32)
    for index in range(n_kept):
        node = before[index]
        item[index], depth[index], maker[index] = nodes.item[node], nodes.depth[node], nodes.maker[node]
        parent[index] = number[nodes.parent[node]] if node != ROOT else -1
        end[index] = index + 1
    for index in range(n_kept - 1, 0, -1):
        end[parent[index]] = max(end[parent[index]], end[index])
    return Nodes(item, parent, depth, end, maker), before
