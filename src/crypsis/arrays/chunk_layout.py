"""The forest of a disassociated release as arrays, and which leaves may hold the subrecords of each chunk.

Leaves are counted in preorder, so those below a joint node follow each other. Their records are counted likewise: leaf
l has the record slots slots[l]:slots[l + 1]. A leaf may hold a shared subrecord unless one of its terms is accounted
for elsewhere in the leaf: in a record chunk, in the term chunk, or in a shared chunk further down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.compilation import njit


class Forest(NamedTuple):
    """Nodes, chunks, subrecords and term chunks.

    `rank` of a node is its index in preorder; the nodes below node n have the ranks rank[n] + 1 to end[n] - 1. Chunk c
    belongs to chunk_node[c] and has the entries chunk_offsets[c]:chunk_offsets[c + 1]; entry e is the subrecord
    items[entry_offsets[e]:entry_offsets[e + 1]], which its chunk holds counts[e] times. The term chunk of node n is
    terms[term_offsets[n]:term_offsets[n + 1]].
    """

    is_leaf: Bools
    depth: Int64s
    rank: Int64s
    end: Int64s
    chunk_node: Int64s
    chunk_offsets: Int64s
    counts: Int64s
    entry_offsets: Int64s
    items: Int32s
    term_offsets: Int64s
    terms: Int32s
    n_terms: int


class Leaves(NamedTuple):
    """Where leaves and their records are.

    `order` lists the nodes in preorder; node n has the leaves first_leaf[n]:end_leaf[n] and the chunks
    chunk_starts[n]:chunk_starts[n + 1].
    """

    order: Int64s
    first_leaf: Int64s
    end_leaf: Int64s
    slots: Int64s
    chunk_starts: Int64s


class Domains(NamedTuple):
    """The distinct terms of chunk c, terms[offsets[c]:offsets[c + 1]], each in `supports` of its subrecords."""

    offsets: Int64s
    terms: Int32s
    supports: Int64s


class Room(NamedTuple):
    """The leaves that may hold any subrecord of a chunk.

    For chunk c these are the runs of leaves starts[r]:ends[r] for r in offsets[c]:offsets[c + 1], `records[c]` records
    in all. In a chunk that is not `uniform` some terms exclude more leaves than others do, so that some subrecords fit
    elsewhere, too.
    """

    offsets: Int64s
    starts: Int64s
    ends: Int64s
    records: Int64s
    uniform: Bools


class Layout(NamedTuple):
    """All that follows from a forest about where its subrecords can be."""

    leaves: Leaves
    domains: Domains
    room: Room


class _Holders(NamedTuple):
    """The nodes that hold each term, by their rank: `ranks[offsets[term]:offsets[term + 1]]` rises."""

    offsets: Int64s
    ranks: Int64s


class _Runs(NamedTuple):
    """Runs of neighbouring leaves, `starts[r]` to `ends[r] - 1`; how many there are is counted apart."""

    starts: Int64s
    ends: Int64s


def lay_out(forest: Forest, size: Int64s) -> Layout:
    """The layout of a forest whose nodes have these sizes."""
    order = np.argsort(forest.rank)
    leaves_before = offsets_of(forest.is_leaf[order].astype(np.int64))
    leaves = Leaves(
        order,
        leaves_before[forest.rank],
        leaves_before[forest.end],
        offsets_of(size[order][forest.is_leaf[order]]),
        np.searchsorted(forest.chunk_node, np.arange(len(order) + 1)).astype(np.int64),
    )
    domains = Domains(*_domains(forest))
    return Layout(leaves, domains, Room(*_room(forest, leaves, domains)))


@njit
def _domains(forest: Forest) -> tuple[Int64s, Int32s, Int64s]:
    """Number the terms of each chunk, with the records of the chunk that have each."""
    index_of = np.full(forest.n_terms, -1, np.int64)
    offsets = np.zeros(len(forest.chunk_offsets), np.int64)
    terms = np.empty(len(forest.items), np.int32)
    supports = np.zeros(len(forest.items), np.int64)
    filled = 0
    for chunk in range(len(forest.chunk_offsets) - 1):
        for entry in range(forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]):
            for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
                term = forest.items[position]
                if index_of[term] < offsets[chunk]:
                    index_of[term] = filled
                    terms[filled] = term
                    filled += 1
                supports[index_of[term]] += forest.counts[entry]
        offsets[chunk + 1] = filled
    return offsets, terms[:filled].copy(), supports[:filled].copy()


@njit
def _room(forest: Forest, leaves: Leaves, domains: Domains) -> tuple[Int64s, Int64s, Int64s, Int64s, Bools]:
    """Find for each chunk the runs of leaf slots that its parts may take, and whether all terms share them."""
    holders = _holders(forest, leaves, domains)
    n_chunks, n_leaves = len(forest.chunk_node), len(leaves.slots) - 1
    offsets = np.zeros(n_chunks + 1, np.int64)
    starts, ends = np.empty(2 * n_chunks + 16, np.int64), np.empty(2 * n_chunks + 16, np.int64)
    records = np.zeros(n_chunks, np.int64)
    uniform = np.ones(n_chunks, np.bool_)
    excluded = _Runs(np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64))
    other = _Runs(np.empty(n_leaves + 1, np.int64), np.empty(n_leaves + 1, np.int64))
    excluded_by = np.full(n_leaves, -1, np.int64)
    filled = 0
    for chunk in range(n_chunks):
        node = forest.chunk_node[chunk]
        # The leaves that the first term of a shared chunk excludes; every other term must exclude the same.
        n_excluded = -1
        if not forest.is_leaf[node]:
            for position in range(domains.offsets[chunk], domains.offsets[chunk + 1]):
                term = domains.terms[position]
                if n_excluded < 0:
                    n_excluded = _exclude(forest, leaves, holders, node, term, excluded)
                    continue
                n_other = _exclude(forest, leaves, holders, node, term, other)
                if n_other != n_excluded:
                    uniform[chunk] = False
                for run in range(min(n_other, n_excluded)):
                    if other.starts[run] != excluded.starts[run] or other.ends[run] != excluded.ends[run]:
                        uniform[chunk] = False
        n_excluded = max(n_excluded, 0)
        # Where they do not, a leaf is excluded that any term excludes.
        if not uniform[chunk]:
            for position in range(domains.offsets[chunk], domains.offsets[chunk + 1]):
                for run in range(_exclude(forest, leaves, holders, node, domains.terms[position], other)):
                    for leaf in range(other.starts[run], other.ends[run]):
                        excluded_by[leaf] = chunk
            n_excluded = 0
            for leaf in range(leaves.first_leaf[node], leaves.end_leaf[node]):
                if excluded_by[leaf] == chunk:
                    excluded.starts[n_excluded], excluded.ends[n_excluded] = leaf, leaf + 1
                    n_excluded += 1
        # What lies between the excluded runs may hold the chunk.
        open_at = leaves.first_leaf[node]
        for run in range(n_excluded + 1):
            stop = excluded.starts[run] if run < n_excluded else leaves.end_leaf[node]
            if stop > open_at:
                if filled == len(starts):
                    starts, ends = _longer(starts), _longer(ends)
                starts[filled], ends[filled] = open_at, stop
                records[chunk] += leaves.slots[stop] - leaves.slots[open_at]
                filled += 1
            if run < n_excluded:
                open_at = excluded.ends[run]
        offsets[chunk + 1] = filled
    return offsets, starts[:filled].copy(), ends[:filled].copy(), records, uniform


@njit
def _holders(forest: Forest, leaves: Leaves, domains: Domains) -> _Holders:
    """The nodes that hold each term in a chunk or in their term chunk."""
    offsets = np.zeros(forest.n_terms + 1, np.int64)
    for term in domains.terms:
        offsets[term + 1] += 1
    for term in forest.terms:
        offsets[term + 1] += 1
    offsets = np.cumsum(offsets)
    ranks = np.empty(len(domains.terms) + len(forest.terms), np.int64)
    fill = offsets.copy()
    for node in leaves.order:
        first_chunk, end_chunk = leaves.chunk_starts[node], leaves.chunk_starts[node + 1]
        for position in range(domains.offsets[first_chunk], domains.offsets[end_chunk]):
            ranks[fill[domains.terms[position]]] = forest.rank[node]
            fill[domains.terms[position]] += 1
        for position in range(forest.term_offsets[node], forest.term_offsets[node + 1]):
            ranks[fill[forest.terms[position]]] = forest.rank[node]
            fill[forest.terms[position]] += 1
    return _Holders(offsets, ranks)


@njit
def _exclude(forest: Forest, leaves: Leaves, holders: _Holders, node: int, term: int, runs: _Runs) -> int:
    """Fill in the runs of leaves strictly below the node that hold the term themselves, and count them."""
    held = holders.ranks[holders.offsets[term] : holders.offsets[term + 1]]
    n_runs = 0
    index = np.searchsorted(held, forest.rank[node] + 1)
    while index < len(held) and held[index] < forest.end[node]:
        holder = leaves.order[held[index]]
        if n_runs > 0 and runs.ends[n_runs - 1] == leaves.first_leaf[holder]:
            runs.ends[n_runs - 1] = leaves.end_leaf[holder]
        else:
            runs.starts[n_runs], runs.ends[n_runs] = leaves.first_leaf[holder], leaves.end_leaf[holder]
            n_runs += 1
        index += 1
        while index < len(held) and held[index] < forest.end[holder]:  # what is below it is in the run already
            index += 1
    return n_runs


@njit
def _longer(values: Int64s) -> Int64s:
    """The values with room for as many again."""
    longer = np.empty(2 * len(values), np.int64)
    longer[: len(values)] = values
    return longer
