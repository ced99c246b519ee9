"""Critical violations of LKC-privacy in the distinct rows of a window, size by size.

Row r is codes[offsets[r]:offsets[r + 1]], doublets ascending; held[r, 0] people have it, held[r, 1 + token] of them
have the token. A sequence is a node of a tree: the path from a root names its doublets from the newest to the oldest,
so every sequence with a new doublet begins with one. The child of a node by a doublet is found by the key
node * n_doublets + doublet, in a plain array where that is small, else in a table of open addressing.

Rows are walked in the order of their doublets, newest first: what a row shares with the one before it is not looked up
again, and its people are added once for all the rows that share it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.open_addressing import enlarge, key_slot

_UNKNOWN, _SKIPPED = -1, -2  # instead of a node: not met yet; a violation, or one that contains a violation
_HASHED = np.iinfo(np.int64).min  # instead of where the children of a level begin
DENSE_ENTRIES = 1 << 23  # possible children of a level up to which they are not hashed


@njit
def violates(held: Int64s, k: int, numerators: Int64s, denominators: Int64s) -> bool:
    """Fewer than k people, or a token above its bound; exact, in integers."""
    if held[0] < k:
        return True
    for token in range(len(numerators)):  # noqa: SIM110 (compiled)
        if held[1 + token] * denominators[token] > numerators[token] * held[0]:
            return True
    return False


@njit
def rare_doublets(held: Int64s, k: int, numerators: Int64s, denominators: Int64s) -> Bools:
    """Doublets that somebody has and that are a violation on their own."""
    rare = np.zeros(len(held), np.bool_)
    for doublet in range(len(held)):
        rare[doublet] = held[doublet, 0] > 0 and violates(held[doublet], k, numerators, denominators)
    return rare


@njit
def rows_newest_first(
    offsets: Int64s, codes: Int32s, held: Int64s, first_row: int, seed: Bools, ignored: Bools
) -> tuple[Int64s, Int64s, Int32s, int]:
    """Rows that can hold a violation: from their newest seed down to the oldest, without the ignored doublets.

    Returns which rows, their doublets as offsets and codes, and the longest length.
    """
    rows = np.empty(len(held), np.int64)
    starts = np.zeros(len(held) + 1, np.int64)
    kept = np.empty(offsets[-1] - offsets[first_row], np.int32)
    n_rows, end, longest = 0, 0, 0
    for row in range(first_row, len(held)):
        if held[row, 0] == 0:
            continue
        begin, met = end, False
        for position in range(offsets[row + 1] - 1, offsets[row] - 1, -1):
            code = codes[position]
            if not ignored[code] and (met or seed[code]):
                met = True
                kept[end] = code
                end += 1
        if end - begin < 2:
            end = begin
            continue
        longest = max(longest, end - begin)
        rows[n_rows] = row
        n_rows += 1
        starts[n_rows] = end
    return rows[:n_rows].copy(), starts[: n_rows + 1].copy(), kept[:end].copy(), longest


@njit
def packed_rows(starts: Int64s, codes: Int32s, longest: int, bits: int, index_bits: int) -> Int64s:
    """Each row and its number as one integer: `longest` times a doublet plus one in `bits` bits, then the number."""
    packed = np.empty(len(starts) - 1, np.int64)
    for index in range(len(starts) - 1):
        key = np.int64(0)
        for position in range(starts[index], starts[index + 1]):
            key = (key << bits) | np.int64(codes[position] + 1)
        key <<= bits * (longest - (starts[index + 1] - starts[index]))
        packed[index] = (key << index_bits) | index
    return packed


@njit
def lexicographic_order(starts: Int64s, codes: Int32s, longest: int, n_codes: int) -> Int64s:
    """The numbers of the rows in lexicographic order: sorted by the last place first, by counting.

    A row takes part from its own last place on, before the longer ones.
    """
    n_rows = len(starts) - 1
    by_length = np.zeros(longest + 2, np.int64)
    for index in range(n_rows):
        by_length[starts[index + 1] - starts[index] + 1] += 1
    for length in range(longest + 1):
        by_length[length + 1] += by_length[length]
    of_length = np.empty(n_rows, np.int64)
    filled = by_length.copy()
    for index in range(n_rows):
        length = starts[index + 1] - starts[index]
        of_length[filled[length]] = index
        filled[length] += 1
    order, other = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    bucket = np.zeros(n_codes + 1, np.int64)
    first = n_rows  # order[first:] is sorted by the places after this one
    for slot in range(longest - 1, -1, -1):
        for index in range(by_length[slot + 2] - 1, by_length[slot + 1] - 1, -1):
            first -= 1
            order[first] = of_length[index]
        bucket[:] = 0
        for index in range(first, n_rows):
            bucket[codes[starts[order[index]] + slot] + 1] += 1
        bucket[0] = first
        for code in range(n_codes):
            bucket[code + 1] += bucket[code]
        for index in range(first, n_rows):
            code = codes[starts[order[index]] + slot]
            other[bucket[code]] = order[index]
            bucket[code] += 1
        order, other = other, order
    return order


@njit
def _in_order(
    rows: Int64s, starts: Int64s, codes: Int32s, held: Int64s, order: Int64s
) -> tuple[Int64s, Int64s, Int32s]:
    """What is held of the rows, and their doublets, in the order given."""
    sorted_held = np.empty((len(rows), held.shape[1]), np.int64)
    sorted_starts = np.zeros(len(starts), np.int64)
    sorted_codes = np.empty(len(codes), np.int32)
    end = 0
    for index in range(len(order)):
        sorted_held[index] = held[rows[order[index]]]
        for position in range(starts[order[index]], starts[order[index] + 1]):
            sorted_codes[end] = codes[position]
            end += 1
        sorted_starts[index + 1] = end
    return sorted_held, sorted_starts, sorted_codes


@njit
def _all_parts_fine(
    path: Int64s,
    size: int,
    n_doublets: int,
    root: Int32s,
    seed: Bools,
    base: Int64s,
    keys: Int64s,
    nodes: Int32s,
    dense: Int32s,
) -> bool:
    """No sequence that lacks one of the `size` doublets of the path was a violation or skipped.

    The one without the last doublet is the parent, which is fine; one that does not begin with a seed is known to be.
    """
    for left_out in range(size - 1):
        first = 1 if left_out == 0 else 0
        if not seed[path[first]]:
            continue
        node = np.int64(root[path[first]])
        level = 1
        for index in range(first + 1, size):
            if index == left_out:
                continue
            key = node * n_doublets + path[index]
            level += 1
            if base[level] == _HASHED:
                node = np.int64(nodes[key_slot(keys, key)])
            else:
                node = np.int64(dense[base[level] + key])
            if node < 0:
                return False
    return True


def critical_violations(
    offsets: Int64s,
    codes: Int32s,
    held: Int64s,
    first_row: int,
    seed: Bools,
    ignored: Bools,
    largest: int,
    k: int,
    numerators: Int64s,
    denominators: Int64s,
    dense_entries: int = DENSE_ENTRIES,
    packed: bool = True,
) -> tuple[Int64s, Int32s, int]:
    """Critical violations of 2 to `largest` doublets, the newest of which is a seed, in rows from `first_row` on.

    `ignored` doublets are no part of any sequence: suppressed, or violations on their own. Sequences whose newest
    doublet is no seed are taken to be fine. Violation v is members[starts[v]:starts[v + 1]], ascending; the last number
    says how many sequences were counted. Rows are sorted as integers where they fit into one and `packed` allows it.
    """
    rows, starts, row_codes, longest = rows_newest_first(offsets, codes, held, first_row, seed, ignored)
    bits, index_bits = len(seed).bit_length(), len(rows).bit_length()
    if packed and longest * bits + index_bits < 64:
        keys = packed_rows(starts, row_codes, longest, bits, index_bits)
        keys.sort()
        order = keys & ((1 << index_bits) - 1)
    else:
        order = lexicographic_order(starts, row_codes, longest, len(seed))
    return _critical_violations(
        rows,
        starts,
        row_codes,
        order,
        held,
        seed,
        ignored,
        min(largest, longest),
        k,
        numerators,
        denominators,
        dense_entries,
    )


@njit
def _critical_violations(
    rows: Int64s,
    row_starts: Int64s,
    row_codes: Int32s,
    order: Int64s,
    held: Int64s,
    seed: Bools,
    ignored: Bools,
    largest: int,
    k: int,
    numerators: Int64s,
    denominators: Int64s,
    dense_entries: int,
) -> tuple[Int64s, Int32s, int]:
    """The same for rows newest first, to be walked in this order.

    A level with at most `dense_entries` possible children is not hashed.
    """
    n_doublets, width = len(seed), held.shape[1]
    held, row_starts, row_codes = _in_order(rows, row_starts, row_codes, held, order)
    n_rows, longest = len(order), 0
    for index in range(n_rows):
        longest = max(longest, row_starts[index + 1] - row_starts[index])
    room = 1024
    doublet = np.empty(room, np.int32)
    parent = np.empty(room, np.int32)
    total = np.zeros((room, width), np.int64)
    root = np.full(n_doublets, _UNKNOWN, np.int32)
    n_nodes = 0
    for first in range(n_doublets):
        if seed[first] and not ignored[first]:
            if n_nodes == room:
                room, doublet, parent, total = _with_room(doublet, parent, total)
            root[first] = n_nodes
            doublet[n_nodes] = first
            parent[n_nodes] = -1
            n_nodes += 1
    keys = np.full(4096, -1, np.int64)
    nodes = np.full(4096, _UNKNOWN, np.int32)
    n_hashed = 0
    dense = np.empty(0, np.int32)
    base = np.full(largest + 2, _HASHED, np.int64)  # children of level - 1 are at base[level] + key; or they are hashed
    starts = np.zeros(64, np.int64)
    members = np.empty(256, np.int32)
    n_found, n_members, n_counted = 0, 0, 0
    # While a row is walked, open[size] lists the nodes of that size on its path; those whose oldest doublet stands at
    # depth d are open[size, begin[size, d]:begin[size, d + 1]]. weight[d] is what the rows met so far add to them.
    open_room = 64
    opened = np.empty((largest + 1, open_room), np.int64)
    begin = np.zeros((largest + 1, longest + 1), np.int64)
    weight = np.zeros((longest + 1, width), np.int64)
    path = np.empty(longest + 1, np.int64)
    chosen = np.empty(largest + 1, np.int64)
    level_start = 0
    for size in range(2, largest + 1):
        above, level_start = level_start, n_nodes
        possible = (level_start - above) * n_doublets
        if possible <= dense_entries:
            base[size] = len(dense) - above * n_doublets
            grown = np.full(len(dense) + possible, _UNKNOWN, np.int32)
            grown[: len(dense)] = dense
            dense = grown
        hashed = base[size] == _HASHED
        depth, still = 0, 0
        for index in range(n_rows + 1):
            shared, length = 0, 0
            start = row_starts[min(index, n_rows)]
            if index < n_rows:
                length = row_starts[index + 1] - start
                while shared < length and shared < depth and path[shared] == row_codes[start + shared]:
                    shared += 1
            while depth > shared:  # what the next row does not share is complete
                depth -= 1
                for at in range(begin[size, depth], begin[size, depth + 1]):
                    node = opened[size, at]
                    for column in range(width):
                        total[node, column] += weight[depth, column]
                for column in range(width):
                    if depth > 0:
                        weight[depth - 1, column] += weight[depth, column]
                    weight[depth, column] = 0
            if index == n_rows:
                break
            while depth < length:
                code = np.int64(row_codes[start + depth])
                path[depth] = code
                top = begin[1, depth]
                if seed[code]:
                    opened[1, top] = root[code]
                    top += 1
                begin[1, depth + 1] = top
                for level in range(2, size + 1):
                    top = begin[level, depth]
                    before = begin[level - 1, depth]
                    if top + before > open_room:
                        open_room = 2 * (top + before)
                        wider = np.empty((largest + 1, open_room), np.int64)
                        wider[:, : opened.shape[1]] = opened
                        opened = wider
                    level_hashed = base[level] == _HASHED
                    for at in range(before):
                        key = opened[level - 1, at] * n_doublets + code
                        slot = key_slot(keys, key) if level_hashed else base[level] + key
                        node = np.int64(nodes[slot]) if level_hashed else np.int64(dense[slot])
                        if node >= 0:
                            opened[level, top] = node
                            top += 1
                        elif node == _UNKNOWN and level == size:
                            fine = True
                            if size > 2:
                                chosen[size - 1] = code
                                up = opened[level - 1, at]
                                for back in range(size - 2, -1, -1):
                                    chosen[back] = doublet[up]
                                    up = np.int64(parent[up])
                                fine = _all_parts_fine(chosen, size, n_doublets, root, seed, base, keys, nodes, dense)
                            node = np.int64(_SKIPPED)
                            if fine:
                                if n_nodes == room:
                                    room, doublet, parent, total = _with_room(doublet, parent, total)
                                node = np.int64(n_nodes)
                                doublet[node] = code
                                parent[node] = opened[level - 1, at]
                                n_nodes += 1
                                opened[level, top] = node
                                top += 1
                            if hashed:
                                if 2 * n_hashed >= len(keys):
                                    keys, nodes = enlarge(keys, nodes)
                                    slot = key_slot(keys, key)
                                n_hashed += 1
                                keys[slot] = key
                                nodes[slot] = node
                            else:
                                dense[slot] = node
                    begin[level, depth + 1] = top
                depth += 1
            for column in range(width):
                weight[depth - 1, column] += held[index, column]
            if begin[size, depth] > 0 and length > size:  # a row without a sequence of this size has none of the next
                if still < index:
                    to = row_starts[still]
                    for position in range(length):
                        row_codes[to + position] = row_codes[start + position]
                    row_starts[still + 1] = to + length
                    held[still] = held[index]
                still += 1
        n_rows = still
        n_counted += n_nodes - level_start
        n_fine = 0
        for node in range(level_start, n_nodes):
            if not violates(total[node], k, numerators, denominators):
                n_fine += 1
                continue
            key = np.int64(parent[node]) * n_doublets + doublet[node]
            if hashed:
                nodes[key_slot(keys, key)] = _SKIPPED
            else:
                dense[base[size] + key] = _SKIPPED
            if n_found + 2 > len(starts):
                starts = _longer(starts, 2 * len(starts))
            if n_members + size > len(members):
                members = _longer(members, 2 * len(members) + size)
            up = np.int64(node)
            for _ in range(size):  # from the oldest up to the newest
                members[n_members] = doublet[up]
                n_members += 1
                up = np.int64(parent[up])
            n_found += 1
            starts[n_found] = n_members
        if n_fine == 0 or n_rows == 0:
            break
    return starts[: n_found + 1].copy(), members[:n_members].copy(), n_counted


@njit
def _longer(values: Any, room: int) -> Any:
    """Return an array with more room."""
    longer = np.zeros(room, values.dtype)
    longer[: len(values)] = values
    return longer


@njit
def _with_room(doublet: Int32s, parent: Int32s, total: Int64s) -> tuple[int, Int32s, Int32s, Int64s]:
    """Node arrays of twice the length."""
    room = len(doublet)
    wider = np.zeros((2 * room, total.shape[1]), np.int64)
    wider[:room] = total
    return 2 * room, _longer(doublet, 2 * room), _longer(parent, 2 * room), wider
