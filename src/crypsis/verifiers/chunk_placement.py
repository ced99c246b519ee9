"""Where a disassociated release places its terms: twice in one leaf, in conflict with a shared chunk, without room.

Nodes stand in preorder: those below node n are at the places place[n] + 1 to end[n] - 1, and the leaves below it are
the leaves first_leaf[n] to end_leaf[n] - 1, counted in that order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int32s, Int64s
from crypsis.data.disassociated import DisassociatedTransactions


@dataclass(frozen=True)
class Placement:
    """What was found; a term or chunk of -1 means nothing was.

    `twice` of each node: a term that two of its chunks hold, or a chunk and its term chunk. `hidden_below` of each
    chunk: a term that it shares although a term chunk below still holds it. `differs` of each shared chunk: a term
    that excludes other leaves than the chunk's first term does. `conflicted`: some term excludes a leaf. `room`: the
    records of the leaves that no term of the chunk excludes.
    """

    twice: Int64s
    hidden_below: Int64s
    differs: Int64s
    conflicted: Bools
    room: Int64s


def placement_of(data: DisassociatedTransactions) -> Placement:
    """Look at every term of every chunk."""
    place, end = data.preorder
    order = np.argsort(place)
    is_leaf = data.is_leaf
    leaves_before = np.concatenate([[0], np.cumsum(is_leaf[order])]).astype(np.int64)
    first_leaf, end_leaf = leaves_before[place], leaves_before[end]
    sizes_before = np.concatenate([[0], np.cumsum(data.size[order][is_leaf[order]])]).astype(np.int64)
    domain_offsets, domain = _domains(data.chunk_offsets, data.entry_offsets, data.items, len(data.vocabulary))
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    return Placement(
        _twice(chunk_starts, domain_offsets, domain, data.term_offsets, data.terms, len(data.vocabulary)),
        *_conflicts(
            order, place, end, is_leaf, first_leaf, end_leaf, sizes_before, chunk_starts, data.chunk_node,
            domain_offsets, domain, data.term_offsets, data.terms, len(data.vocabulary),
        ),
    )  # fmt: skip


@njit
def _domains(chunk_offsets: Int64s, entry_offsets: Int64s, items: Int32s, n_terms: int) -> tuple[Int64s, Int32s]:
    """The distinct terms of each chunk."""
    seen = np.full(n_terms, -1, np.int64)
    offsets = np.zeros(len(chunk_offsets), np.int64)
    domain = np.empty(len(items), np.int32)
    filled = 0
    for chunk in range(len(chunk_offsets) - 1):
        for place in range(entry_offsets[chunk_offsets[chunk]], entry_offsets[chunk_offsets[chunk + 1]]):
            if seen[items[place]] != chunk:
                seen[items[place]] = chunk
                domain[filled] = items[place]
                filled += 1
        offsets[chunk + 1] = filled
    return offsets, domain[:filled].copy()


@njit
def _twice(
    chunk_starts: Int64s,
    domain_offsets: Int64s,
    domain: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    n_terms: int,
) -> Int64s:
    seen = np.full(n_terms, -1, np.int64)
    twice = np.full(len(chunk_starts) - 1, -1, np.int64)
    for node in range(len(twice)):
        for place in range(domain_offsets[chunk_starts[node]], domain_offsets[chunk_starts[node + 1]]):
            if seen[domain[place]] == node:
                twice[node] = domain[place]
            seen[domain[place]] = node
        for place in range(term_offsets[node], term_offsets[node + 1]):
            if seen[terms[place]] == node:
                twice[node] = terms[place]
            seen[terms[place]] = node
    return twice


@njit
def _conflicts(
    order: Int64s,
    place_of: Int64s,
    end_of: Int64s,
    is_leaf: Bools,
    first_leaf: Int64s,
    end_leaf: Int64s,
    sizes_before: Int64s,
    chunk_starts: Int64s,
    chunk_node: Int64s,
    domain_offsets: Int64s,
    domain: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    n_terms: int,
) -> tuple[Int64s, Int64s, Bools, Int64s]:
    n_chunks = len(chunk_node)
    # For each term: the nodes with a chunk that holds it, and the leaves whose term chunk does, both in preorder.
    holding_offsets = np.zeros(n_terms + 1, np.int64)
    hiding_offsets = np.zeros(n_terms + 1, np.int64)
    for term in domain:
        holding_offsets[term + 1] += 1
    for term in terms:
        hiding_offsets[term + 1] += 1
    holding_offsets = np.cumsum(holding_offsets)
    hiding_offsets = np.cumsum(hiding_offsets)
    holding, hiding = np.empty(len(domain), np.int64), np.empty(len(terms), np.int64)
    next_holding, next_hiding = holding_offsets.copy(), hiding_offsets.copy()
    for node in order:
        for position in range(domain_offsets[chunk_starts[node]], domain_offsets[chunk_starts[node + 1]]):
            holding[next_holding[domain[position]]] = place_of[node]
            next_holding[domain[position]] += 1
        for position in range(term_offsets[node], term_offsets[node + 1]):
            hiding[next_hiding[terms[position]]] = place_of[node]
            next_hiding[terms[position]] += 1

    hidden_below = np.full(n_chunks, -1, np.int64)
    differs = np.full(n_chunks, -1, np.int64)
    conflicted = np.zeros(n_chunks, np.bool_)
    room = np.zeros(n_chunks, np.int64)
    n_leaves = len(sizes_before) - 1
    first_starts, first_ends = np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64)
    other_starts, other_ends = np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64)
    excluded_by = np.full(n_leaves, -1, np.int64)
    for chunk in range(n_chunks):
        node = chunk_node[chunk]
        room[chunk] = sizes_before[end_leaf[node]] - sizes_before[first_leaf[node]]
        if is_leaf[node]:
            continue
        n_first = -1
        for position in range(domain_offsets[chunk], domain_offsets[chunk + 1]):
            term = domain[position]
            hidden = hiding[hiding_offsets[term] : hiding_offsets[term + 1]]
            at = np.searchsorted(hidden, place_of[node])
            if at < len(hidden) and hidden[at] < end_of[node]:
                hidden_below[chunk] = term
            held = holding[holding_offsets[term] : holding_offsets[term + 1]]
            if n_first < 0:
                n_first = _excluded(
                    held, order, place_of[node], end_of[node], end_of, first_leaf, end_leaf, first_starts, first_ends
                )
                conflicted[chunk] = n_first > 0
                continue
            n_other = _excluded(
                held, order, place_of[node], end_of[node], end_of, first_leaf, end_leaf, other_starts, other_ends
            )
            same = n_other == n_first
            if same:
                for index in range(n_first):
                    if first_starts[index] != other_starts[index] or first_ends[index] != other_ends[index]:
                        same = False
            if not same:
                differs[chunk] = term
                conflicted[chunk] = True
        if differs[chunk] < 0:
            for index in range(n_first):
                room[chunk] -= sizes_before[first_ends[index]] - sizes_before[first_starts[index]]
            continue
        for position in range(domain_offsets[chunk], domain_offsets[chunk + 1]):
            held = holding[holding_offsets[domain[position]] : holding_offsets[domain[position] + 1]]
            n_other = _excluded(
                held, order, place_of[node], end_of[node], end_of, first_leaf, end_leaf, other_starts, other_ends
            )
            for index in range(n_other):
                for leaf in range(other_starts[index], other_ends[index]):
                    if excluded_by[leaf] != chunk:
                        excluded_by[leaf] = chunk
                        room[chunk] -= sizes_before[leaf + 1] - sizes_before[leaf]
    return hidden_below, differs, conflicted, room


@njit
def _excluded(
    held: Int64s,
    order: Int64s,
    place: int,
    end: int,
    end_of: Int64s,
    first_leaf: Int64s,
    end_leaf: Int64s,
    starts: Int64s,
    ends: Int64s,
) -> int:
    """Runs of leaves strictly below the node at this place that account for a term elsewhere; returns how many."""
    runs = 0
    index = np.searchsorted(held, place + 1)
    while index < len(held) and held[index] < end:
        node = order[held[index]]
        if runs > 0 and ends[runs - 1] == first_leaf[node]:
            ends[runs - 1] = end_leaf[node]
        else:
            starts[runs], ends[runs] = first_leaf[node], end_leaf[node]
            runs += 1
        past = end_of[node]  # what lies below this node is covered by it
        index += 1
        while index < len(held) and held[index] < past:
            index += 1
    return runs
