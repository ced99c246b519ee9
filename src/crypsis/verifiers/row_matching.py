"""Is every published row some original row with each visit replaced by a symbol that holds it?

Rows that were recoded in clusters have no single image per location, so the recoding cannot be redone. In place, row j
must recode original row j. In any other order, every original row must be given a published row of its own that
recodes it: a matching. Both may lack visits to sensitive locations where that was declared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.compilation import njit
from crypsis.data.trajectory import PublishedTrajectories, Trajectories


def row_out_of_place(published: PublishedTrajectories, original: Trajectories, sensitive: Bools) -> int | None:
    """The first published row that is no recoding of the original row with its number, None if all are."""
    symbols = published.symbols
    member_of_code = symbols.vocabulary.encode(original.locations.vocabulary.series)
    row = _first_out_of_place(
        original.offsets,
        member_of_code[original.codes],
        (sensitive & published.lacks_sensitive)[original.codes],
        published.offsets,
        published.codes,
        symbols.offsets,
        symbols.members,
    )
    return None if row < 0 else int(row)


def rows_left_over(published: PublishedTrajectories, original: Trajectories, sensitive: Bools) -> int:
    """How many original rows are left, at least, when as many as possible are given a published row of their own."""
    child_keys, child_nodes, node_of_row, n_nodes = _prefix_tree(published)
    rows, nodes = _recodings(published, original, sensitive, child_keys, child_nodes)
    room = np.bincount(node_of_row, minlength=n_nodes)
    fits = room[nodes] > 0
    rows, nodes = rows[fits], nodes[fits]
    # Whoever has few choices is served first, and takes what few others can take: then little has to be moved.
    sought = np.bincount(nodes, minlength=n_nodes) / np.maximum(room, 1)
    nodes = nodes[np.lexsort((sought[nodes], rows))]
    offsets = offsets_of(np.bincount(rows, minlength=len(original)))
    return int(_unmatched(offsets, nodes, room, np.argsort(np.diff(offsets), kind="stable")))


def _prefix_tree(published: PublishedTrajectories) -> tuple[Int64s, Int64s, Int64s, int]:
    """Children as sorted keys node * symbols + symbol with their nodes; the node where each row ends; the nodes."""
    n_symbols = max(len(published.symbols), 1)
    node = np.zeros(len(published), np.int64)
    n_nodes = 1
    keys: list[Int64s] = []
    rows = np.flatnonzero(published.lengths > 0)
    position = 0
    while len(rows):
        steps, child = np.unique(
            node[rows] * n_symbols + published.codes[published.offsets[rows] + position], return_inverse=True
        )
        keys.append(steps)
        node[rows] = n_nodes + child
        n_nodes += len(steps)
        position += 1
        rows = rows[published.lengths[rows] > position]
    # Nodes are numbered level by level and in key order within a level, and a deeper level has larger keys.
    every = np.concatenate(keys) if keys else np.empty(0, np.int64)
    return every, np.arange(1, n_nodes, dtype=np.int64), node, n_nodes


def _recodings(
    published: PublishedTrajectories,
    original: Trajectories,
    sensitive: Bools,
    child_keys: Int64s,
    child_nodes: Int64s,
) -> tuple[Int64s, Int64s]:
    """Every pair of an original row and a node of the tree whose path recodes it: all rows walk down together."""
    symbols = published.symbols
    n_symbols = max(len(symbols), 1)
    by_member = np.argsort(symbols.members, kind="stable")
    holder = np.repeat(np.arange(len(symbols)), symbols.sizes)[by_member]
    holder_offsets = offsets_of(np.bincount(symbols.members, minlength=len(symbols.vocabulary) + 1))
    member_of_code = symbols.vocabulary.encode(original.locations.vocabulary.series)
    member_of_code = np.where(member_of_code < 0, len(symbols.vocabulary), member_of_code)
    may_lack = sensitive & published.lacks_sensitive
    rows, nodes = np.arange(len(original)), np.zeros(len(original), np.int64)
    ended_rows, ended_nodes = [], []
    position = 0
    while len(rows):
        ended = original.lengths[rows] == position
        ended_rows.append(rows[ended])
        ended_nodes.append(nodes[ended])
        rows, nodes = rows[~ended], nodes[~ended]
        codes = original.codes[original.offsets[rows] + position]
        member = member_of_code[codes]
        times = holder_offsets[member + 1] - holder_offsets[member]
        walker = np.repeat(np.arange(len(rows)), times)
        choice = holder[np.arange(len(walker)) - (offsets_of(times)[:-1] - holder_offsets[member])[walker]]
        keys = nodes[walker] * n_symbols + choice
        index = np.minimum(np.searchsorted(child_keys, keys), max(len(child_keys) - 1, 0))
        is_child = child_keys[index] == keys if len(child_keys) else np.zeros(len(keys), np.bool_)
        skips = may_lack[codes]
        rows, nodes = (
            np.concatenate([rows[walker[is_child]], rows[skips]]),
            np.concatenate([child_nodes[index[is_child]] if len(child_keys) else nodes[:0], nodes[skips]]),
        )
        if skips.any():  # a row can come to the same node in several ways
            n_nodes = len(child_nodes) + 1
            rows, nodes = np.divmod(np.unique(rows * n_nodes + nodes), n_nodes)
        position += 1
    return np.concatenate([*ended_rows, rows]), np.concatenate([*ended_nodes, nodes])


@njit
def _first_out_of_place(
    offsets: Int64s,
    members: Int32s,
    may_lack: Bools,
    published_offsets: Int64s,
    codes: Int32s,
    symbol_offsets: Int64s,
    symbol_members: Int32s,
) -> int:
    """Find the first row that does not recode its original visit by visit; -1 if there is none."""
    for row in range(len(offsets) - 1):
        index, end = published_offsets[row], published_offsets[row + 1]
        for visit in range(offsets[row], offsets[row + 1]):
            held = False
            if index < end:
                low, high = symbol_offsets[codes[index]], symbol_offsets[codes[index] + 1]
                for entry in range(low, high):
                    if symbol_members[entry] == members[visit]:
                        held = True
                        break
            if held:
                index += 1
            elif not may_lack[visit]:
                return row
        if index < end:
            return row
    return -1


class _Search(NamedTuple):
    """Breadth-first search for a node with room: by node the row that is served and who looked at it; nodes in turn."""

    visited: Int64s
    came_from: Int64s
    queue: Int64s


@njit
def _look_around(
    row: int, guest: int, tail: int, offsets: Int64s, nodes: Int64s, left: Int64s, search: _Search
) -> tuple[int, int]:
    """Put the nodes of a guest into the queue, for the row that is served: the first with room or -1, and its end."""
    for entry in range(offsets[guest], offsets[guest + 1]):
        node = nodes[entry]
        if search.visited[node] != row:
            search.visited[node] = row
            search.came_from[node] = guest
            search.queue[tail] = node
            tail += 1
            if left[node] > 0:
                return node, tail
    return -1, tail


@njit
def _unmatched(offsets: Int64s, nodes: Int64s, room: Int64s, order: Int64s) -> int:
    """Rows that stay without a node when each takes one of nodes[offsets[row]:offsets[row + 1]] with room for it.

    Where all its nodes are full, a row looks for one whose guest can move on, and so forth: an augmenting path.
    """
    n_rows = len(offsets) - 1
    taken = np.full(n_rows, -1, np.int64)
    first_guest = np.full(len(room), -1, np.int64)  # guests of a node as a linked list
    next_guest = np.full(n_rows, -1, np.int64)
    left = room.copy()
    search = _Search(np.full(len(room), -1, np.int64), np.full(len(room), -1, np.int64), np.empty(len(room), np.int64))
    unmatched = 0
    for row in order:
        head = 0
        free, tail = _look_around(row, row, 0, offsets, nodes, left, search)
        while free < 0 and head < tail:
            guest = first_guest[search.queue[head]]
            head += 1
            while guest >= 0 and free < 0:
                free, tail = _look_around(row, guest, tail, offsets, nodes, left, search)
                guest = next_guest[guest]
        if free < 0:
            unmatched += 1
            continue
        left[free] -= 1
        node = free
        while True:  # everybody on the path moves one node on
            mover = search.came_from[node]
            before = taken[mover]
            if before >= 0:
                guest = first_guest[before]
                if guest == mover:
                    first_guest[before] = next_guest[mover]
                else:
                    while next_guest[guest] != mover:
                        guest = next_guest[guest]
                    next_guest[guest] = next_guest[mover]
            taken[mover] = node
            next_guest[mover] = first_guest[node]
            first_guest[node] = mover
            if mover == row:
                break
            node = before
    return unmatched
