"""Where a disassociated release places its terms: twice in one leaf, in conflict with a shared chunk, without room.

A shared chunk of joint node n speaks for the records of the leaves below n. A term of it may also stand in a chunk of
a node v strictly below n; then the leaves below v account for the term themselves, and v's leaves are *excluded*: the
subrecords of the shared chunk that hold the term belong to the other leaves. So

    every term of a chunk must exclude the same leaves                                        (`differs`)
    a term of a shared chunk must be in no term chunk below it                                (`hidden_below`)
    the leaves that are not excluded must have room for the chunk's subrecords                (`room`)

Nodes are compared by their rank in preorder: those below node n have the ranks rank[n] + 1 to end[n] - 1. Leaves
are counted in the same order, so that those below n are the leaves first_leaf[n] to end_leaf[n] - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
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


class _Forest(NamedTuple):
    """The nodes. `order` lists them in preorder; `records_before` counts the records of all leaves before a leaf."""

    order: Int64s
    rank: Int64s
    end: Int64s
    is_leaf: Bools
    first_leaf: Int64s
    end_leaf: Int64s
    records_before: Int64s


class _Terms(NamedTuple):
    """Lists of terms: list i holds `values[offsets[i]:offsets[i + 1]]`."""

    offsets: Int64s
    values: Int32s


class _Holders(NamedTuple):
    """The nodes that hold each term, by their rank in preorder: `nodes[offsets[term]:offsets[term + 1]]` rises."""

    offsets: Int64s
    nodes: Int64s


class _Runs(NamedTuple):
    """Runs of neighbouring leaves, `starts[r]` to `ends[r] - 1`; how many there are is told beside them."""

    starts: Int64s
    ends: Int64s


def placement_of(data: DisassociatedTransactions) -> Placement:
    """Look at every term of every chunk."""
    rank, end = data.preorder
    order = np.argsort(rank)
    leaves_before = np.concatenate([[0], np.cumsum(data.is_leaf[order])]).astype(np.int64)
    records_before = np.concatenate([[0], np.cumsum(data.size[order][data.is_leaf[order]])]).astype(np.int64)
    forest = _Forest(order, rank, end, data.is_leaf, leaves_before[rank], leaves_before[end], records_before)
    n_terms = len(data.vocabulary)
    domains = _Terms(*_domains(data.chunk_offsets, data.entry_offsets, data.items, n_terms))
    hidden = _Terms(data.term_offsets.copy(), data.terms.copy())  # writable like the others: one compiled form
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    per_node = _Terms(domains.offsets[chunk_starts], domains.values)  # the terms of all chunks of a node
    return Placement(
        _twice(per_node, hidden, n_terms),
        *_conflicts(
            forest, data.chunk_node, domains, _holders(forest, per_node, n_terms), _holders(forest, hidden, n_terms)
        ),
    )


@njit
def _domains(chunk_offsets: Int64s, entry_offsets: Int64s, items: Int32s, n_terms: int) -> tuple[Int64s, Int32s]:
    """The distinct terms of each chunk."""
    seen = np.full(n_terms, -1, np.int64)
    offsets = np.zeros(len(chunk_offsets), np.int64)
    domain = np.empty(len(items), np.int32)
    filled = 0
    for chunk in range(len(chunk_offsets) - 1):
        for position in range(entry_offsets[chunk_offsets[chunk]], entry_offsets[chunk_offsets[chunk + 1]]):
            if seen[items[position]] != chunk:
                seen[items[position]] = chunk
                domain[filled] = items[position]
                filled += 1
        offsets[chunk + 1] = filled
    return offsets, domain[:filled].copy()


@njit
def _twice(per_node: _Terms, hidden: _Terms, n_terms: int) -> Int64s:
    """Of each node a term that stands in two of its chunks, the term chunk among them; -1 where none does."""
    seen = np.full(n_terms, -1, np.int64)
    twice = np.full(len(per_node.offsets) - 1, -1, np.int64)
    for node in range(len(twice)):
        for terms in (per_node, hidden):
            for position in range(terms.offsets[node], terms.offsets[node + 1]):
                term = terms.values[position]
                if seen[term] == node:
                    twice[node] = term
                seen[term] = node
    return twice


@njit
def _count_terms(values: Int32s, n_terms: int) -> Int64s:
    """Offsets of the lists in which each term finds its holders."""
    offsets = np.zeros(n_terms + 1, np.int64)
    for term in values:
        offsets[term + 1] += 1
    return np.cumsum(offsets)


@njit
def _fill_holders(order: Int64s, rank: Int64s, terms: _Terms, offsets: Int64s) -> Int64s:
    """The nodes by term; they are visited in preorder, so each list rises."""
    nodes = np.empty(len(terms.values), np.int64)
    free = offsets.copy()
    for node in order:
        for position in range(terms.offsets[node], terms.offsets[node + 1]):
            term = terms.values[position]
            nodes[free[term]] = rank[node]
            free[term] += 1
    return nodes


def _holders(forest: _Forest, terms: _Terms, n_terms: int) -> _Holders:
    offsets = _count_terms(terms.values, n_terms)
    return _Holders(offsets, _fill_holders(forest.order, forest.rank, terms, offsets))


@njit
def _conflicts(
    forest: _Forest, chunk_node: Int64s, domains: _Terms, in_chunks: _Holders, in_term_chunks: _Holders
) -> tuple[Int64s, Int64s, Bools, Int64s]:
    """`hidden_below`, `differs`, `conflicted` and `room` of every chunk; see `Placement`."""
    n_chunks, n_leaves = len(chunk_node), len(forest.records_before) - 1
    hidden_below = np.full(n_chunks, -1, np.int64)
    differs = np.full(n_chunks, -1, np.int64)
    conflicted = np.zeros(n_chunks, np.bool_)
    room = np.zeros(n_chunks, np.int64)
    first = _Runs(np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64))
    other = _Runs(np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64))
    excluded_by = np.full(n_leaves, -1, np.int64)  # the last chunk that a leaf was excluded from
    for chunk in range(n_chunks):
        node = chunk_node[chunk]
        room[chunk] = forest.records_before[forest.end_leaf[node]] - forest.records_before[forest.first_leaf[node]]
        if forest.is_leaf[node]:
            continue  # a record chunk speaks for its leaf alone
        n_first = -1
        for position in range(domains.offsets[chunk], domains.offsets[chunk + 1]):
            term = domains.values[position]
            if _is_below(forest, node, in_term_chunks, term):
                hidden_below[chunk] = term
            if n_first < 0:
                n_first = _exclude(forest, node, in_chunks, term, first)
                conflicted[chunk] = n_first > 0
            elif not _equal(first, n_first, other, _exclude(forest, node, in_chunks, term, other)):
                differs[chunk] = term
                conflicted[chunk] = True
        if differs[chunk] < 0:  # every term excludes what the first one does
            for run in range(n_first):
                room[chunk] -= forest.records_before[first.ends[run]] - forest.records_before[first.starts[run]]
            continue
        for position in range(domains.offsets[chunk], domains.offsets[chunk + 1]):  # the union, each leaf once
            for run in range(_exclude(forest, node, in_chunks, domains.values[position], other)):
                for leaf in range(other.starts[run], other.ends[run]):
                    if excluded_by[leaf] != chunk:
                        excluded_by[leaf] = chunk
                        room[chunk] -= forest.records_before[leaf + 1] - forest.records_before[leaf]
    return hidden_below, differs, conflicted, room


@njit
def _is_below(forest: _Forest, node: int, holders: _Holders, term: int) -> bool:
    """Whether the node or one below it holds the term."""
    nodes = holders.nodes[holders.offsets[term] : holders.offsets[term + 1]]
    at = np.searchsorted(nodes, forest.rank[node])
    return bool(at < len(nodes) and nodes[at] < forest.end[node])


@njit
def _exclude(forest: _Forest, node: int, holders: _Holders, term: int, runs: _Runs) -> int:
    """Write the runs of leaves strictly below the node that account for the term themselves; returns how many."""
    nodes = holders.nodes[holders.offsets[term] : holders.offsets[term + 1]]
    count = 0
    at = np.searchsorted(nodes, forest.rank[node] + 1)
    while at < len(nodes) and nodes[at] < forest.end[node]:
        below = forest.order[nodes[at]]
        if count > 0 and runs.ends[count - 1] == forest.first_leaf[below]:
            runs.ends[count - 1] = forest.end_leaf[below]
        else:
            runs.starts[count], runs.ends[count] = forest.first_leaf[below], forest.end_leaf[below]
            count += 1
        at += 1
        while at < len(nodes) and nodes[at] < forest.end[below]:  # covered by the node above them
            at += 1
    return count


@njit
def _equal(one: _Runs, n_one: int, other: _Runs, n_other: int) -> bool:
    """Return whether two lists of runs are the same."""
    if n_one != n_other:
        return False
    for run in range(n_one):  # noqa: SIM110 (compiled)
        if one.starts[run] != other.starts[run] or one.ends[run] != other.ends[run]:
            return False
    return True
