"""How many records are expected to hold a set of terms, if the chunks of a disassociated release meet independently.

In a leaf of s records a record chunk contributes the share of records that hold its part of the set, a shared chunk the
share among all records it may lie in, a term of the term chunk `multiplicity` / s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.arrays.chunk_layout import Forest, Layout
from crypsis.compilation import njit

NOWHERE = -1
TERM_CHUNK = -2


class Queries(NamedTuple):
    """Sets of terms: query q asks for terms[offsets[q]:offsets[q + 1]]; a term of -1 occurs nowhere."""

    offsets: Int64s
    terms: Int32s


class _Homes(NamedTuple):
    """Where each term is on the way from a root to a node, and what to restore on the way back.

    `home` of a term is its position in the domains of chunks, or TERM_CHUNK, or NOWHERE. The nodes on the way are open
    until the ranks `open_end`; what they changed is term[i], before[i] from open_change on.
    """

    home: Int64s
    term: Int64s
    before: Int64s
    open_end: Int64s
    open_change: Int64s


class _Known(NamedTuple):
    """What was last counted for several terms of one query in one chunk: neighbouring leaves ask the same."""

    chunk: Int64s
    mask: Int64s
    support: Int64s


@njit
def expect_supports(forest: Forest, layout: Layout, queries: Queries, multiplicity: float) -> Float64s:
    """The expected number of records of each query. The forest is walked once, in preorder."""
    domains = layout.domains
    n_queries, n_places = len(queries.offsets) - 1, len(domains.terms) + len(forest.terms) + 1
    expected = np.zeros(n_queries, np.float64)
    chunk_of = np.empty(len(domains.terms), np.int64)
    for chunk in range(len(forest.chunk_node)):
        for position in range(domains.offsets[chunk], domains.offsets[chunk + 1]):
            chunk_of[position] = chunk
    asked = np.zeros(forest.n_terms, np.bool_)
    for term in queries.terms:
        if term >= 0:
            asked[term] = True
    n_nodes = len(layout.leaves.order)
    homes = _Homes(
        np.full(forest.n_terms, NOWHERE, np.int64),
        np.empty(n_places, np.int64),
        np.empty(n_places, np.int64),
        np.empty(n_nodes + 1, np.int64),
        np.empty(n_nodes + 1, np.int64),
    )
    known = _Known(np.full(n_queries, -1, np.int64), np.zeros(n_queries, np.int64), np.zeros(n_queries, np.int64))
    height, n_changes = 0, 0
    for rank in range(n_nodes):
        node = layout.leaves.order[rank]
        # Leave the nodes that end here, and forget where their terms were.
        while height > 0 and homes.open_end[height - 1] <= rank:
            height -= 1
            while n_changes > homes.open_change[height]:
                n_changes -= 1
                homes.home[homes.term[n_changes]] = homes.before[n_changes]
        # Enter the node: its term chunk and its chunks are the homes of their terms.
        homes.open_end[height], homes.open_change[height] = forest.end[node], n_changes
        height += 1
        for position in range(forest.term_offsets[node], forest.term_offsets[node + 1]):
            if asked[forest.terms[position]]:
                n_changes = _move(homes, n_changes, forest.terms[position], TERM_CHUNK)
        first_chunk, end_chunk = layout.leaves.chunk_starts[node], layout.leaves.chunk_starts[node + 1]
        for position in range(domains.offsets[first_chunk], domains.offsets[end_chunk]):
            if asked[domains.terms[position]]:
                n_changes = _move(homes, n_changes, domains.terms[position], position)
        if forest.is_leaf[node]:
            leaf = layout.leaves.first_leaf[node]
            size = layout.leaves.slots[leaf + 1] - layout.leaves.slots[leaf]
            for query in range(n_queries):
                expected[query] += _expect_in_leaf(
                    forest, layout, queries, query, homes.home, chunk_of, known, size, multiplicity
                )
    return expected


@njit
def _move(homes: _Homes, n_changes: int, term: int, home: int) -> int:
    """Note where a term was and where it is now; returns how many changes are noted."""
    homes.term[n_changes], homes.before[n_changes] = term, homes.home[term]
    homes.home[term] = home
    return n_changes + 1


@njit
def _expect_in_leaf(
    forest: Forest,
    layout: Layout,
    queries: Queries,
    query: int,
    home: Int64s,
    chunk_of: Int64s,
    known: _Known,
    size: int,
    multiplicity: float,
) -> float:
    """The records of one leaf of this size that are expected to hold all terms of a query."""
    first, end = queries.offsets[query], queries.offsets[query + 1]
    for index in range(first, end):
        if queries.terms[index] < 0 or home[queries.terms[index]] == NOWHERE:
            return 0.0
    records = float(size)
    for index in range(first, end):
        position = home[queries.terms[index]]
        if position == TERM_CHUNK:
            records *= min(multiplicity / size, 1.0)
            continue
        # The terms of the query that are in the same chunk are counted together, with the first of them.
        chunk = chunk_of[position]
        mask = np.int64(1) << np.int64(index - first)
        is_first, is_alone = True, True
        for other in range(first, end):
            other_position = home[queries.terms[other]]
            if other != index and other_position >= 0 and chunk_of[other_position] == chunk:
                is_first, is_alone = is_first and other > index, False
                mask |= np.int64(1) << np.int64(other - first)
        if not is_first:
            continue
        support = layout.domains.supports[position]
        if not is_alone:
            if known.chunk[query] != chunk or known.mask[query] != mask:
                known.chunk[query], known.mask[query] = chunk, mask
                known.support[query] = _count_together(forest, queries, first, chunk, mask)
            support = known.support[query]
        records *= support / (size if forest.is_leaf[forest.chunk_node[chunk]] else max(layout.room.records[chunk], 1))
    return records


@njit
def _count_together(forest: Forest, queries: Queries, first: int, chunk: int, mask: np.int64) -> int:
    """Subrecords of a chunk that hold all terms of a query that the mask names."""
    support = 0
    for entry in range(forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]):
        holds_all = True
        left, index = mask, first
        while left > 0 and holds_all:
            if left & 1:
                holds_all = False
                for position in range(forest.entry_offsets[entry], forest.entry_offsets[entry + 1]):
                    if forest.items[position] == queries.terms[index]:
                        holds_all = True
                        break
            left >>= 1
            index += 1
        if holds_all:
            support += forest.counts[entry]
    return support
