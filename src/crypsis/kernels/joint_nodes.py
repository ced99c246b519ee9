"""Joint nodes: clusters joined so far, with what each hides and where its terms are placed.

Pair p says that leaf pairs.leaf[p] hides the term pairs.term[p] of its records postings[starts[p]:starts[p + 1]].
Nodes are leaves, then joint nodes in the order of their making. What a node hides lies in an arena, by term:
its virtual term chunk is term[hidden_at[n]:][:hidden_len[n]], each term with its support and its pairs,
entries[first[i]:][:pairs_of[i]]; where its terms are placed already is placed_term[placed_at[n]:][:placed_len[n]],
each with the exclusive or of random words of the leaves concerned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit

MARK_BYTES = 64
MARK_TWICE_BYTES = 32
STRONG_AT_HAND = 8


class Pairs(NamedTuple):
    """What leaves hide; `node` and `chunk` say which shared chunk took it, -1 if none did."""

    leaf: Int32s
    term: Int32s
    starts: Int64s
    postings: Int32s
    node: Int32s
    chunk: Int32s


class Leaves(NamedTuple):
    """Size, and whether Lemma 2 rests on the term chunk.

    terms_to_lose: how many terms must leave the term chunk to break Lemma 2; more than there are where it is safe.
    """

    size: Int32s
    needs_term: Bools
    terms_to_lose: Int32s


class Nodes(NamedTuple):
    """Where a node's parts lie in the arena, its records, and the word of all its leaves.

    marks and marks_twice have a bit set for each term that the node hides at all, or in two records; several terms
    may have one bit. strong_term are its first strong terms, see `mark`.
    """

    hidden_at: Int64s
    hidden_len: Int64s
    strong_len: Int64s
    entries_len: Int64s
    placed_at: Int64s
    placed_len: Int64s
    size: Int64s
    leaves_at: Int64s
    leaves_len: Int64s
    word: NDArray[np.uint64]
    parent: Int64s
    n_chunks: Int64s
    marks: NDArray[np.uint8]
    marks_twice: NDArray[np.uint8]
    strong_term: NDArray[np.int32]


class Arena(NamedTuple):
    """Parts of nodes one after another; those of joined nodes are garbage until `compacted` is called.

    strong[hidden_at[n]:][:strong_len[n]] are the places among a node's hidden terms of those that k / 2 records have;
    leaves[leaves_at[n]:][:leaves_len[n]] are its leaves, and entry_leaf of an entry is a number among these.
    """

    term: Int32s
    support: Int32s
    first: Int64s
    pairs_of: Int32s
    strong: Int32s
    entries: Int32s
    entry_leaf: Int32s
    placed_term: Int32s
    placed_word: NDArray[np.uint64]
    leaves: Int32s


class Leading(NamedTuple):
    """By node: some terms that most nodes hide, how many, and how many nodes at most hide any other of its terms.

    -1 terms: not known yet. -1 nodes: it hides no others. What is known stays true, for counts of nodes only fall.
    """

    term: NDArray[np.int32]
    n_terms: Int64s
    at_most: Int64s


@njit
def first_not_below(terms: Int32s, low: int, end: int, term: int) -> int:
    """The first place from `low` on whose term is not below the one given."""
    high = end
    while low < high:
        middle = (low + high) // 2
        if terms[middle] < term:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def mark(node: int, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the node's strong terms, those that half of k of its records have, and set its marks.

    A strong term is kept as it is if one more record makes k, and as -1 - term if it takes two or more.
    """
    begin = nodes.hidden_at[node]
    marks = nodes.marks[node]
    marks_twice = nodes.marks_twice[node]
    marks[:] = 0
    marks_twice[:] = 0
    n_strong = 0
    for index in range(nodes.hidden_len[node]):
        term = np.int64(arena.term[begin + index])
        support = np.int64(arena.support[begin + index])
        marks[(term >> 3) % MARK_BYTES] |= 1 << (term & 7)
        if support >= 2:
            marks_twice[(term >> 3) % MARK_TWICE_BYTES] |= 1 << (term & 7)
        if 2 * support >= k:
            arena.strong[begin + n_strong] = index
            if n_strong < STRONG_AT_HAND:
                nodes.strong_term[node, n_strong] = term if support >= k - 1 else ~term
            n_strong += 1
    nodes.strong_len[node] = n_strong


@njit
def mark_all(listed: Int64s, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the strong terms of each node and set its marks."""
    for index in range(len(listed)):
        mark(listed[index], nodes, arena, k)


@njit
def in_use(listed: Int64s, nodes: Nodes) -> tuple[int, int, int]:
    """Hidden terms, entries and placed terms of the listed nodes."""
    hidden, entries, placed = 0, 0, 0
    for index in range(len(listed)):
        hidden += nodes.hidden_len[listed[index]]
        entries += nodes.entries_len[listed[index]]
        placed += nodes.placed_len[listed[index]]
    return hidden, entries, placed


@njit
def compacted(
    listed: Int64s, nodes: Nodes, arena: Arena, used: Int64s, hidden: int, entries: int, placed: int, n_leaves: int
) -> Arena:
    """A new arena of these capacities with the listed nodes only."""
    new = Arena(
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int64),
        np.empty(hidden, np.int32),
        np.empty(hidden, np.int32),
        np.empty(entries, np.int32),
        np.empty(entries, np.int32),
        np.empty(placed, np.int32),
        np.empty((placed, 2), np.uint64),
        np.empty(n_leaves, np.int32),
    )
    out = 0
    out_entries = 0
    out_placed = 0
    out_leaves = 0
    for index in range(len(listed)):
        node = listed[index]
        begin = nodes.hidden_at[node]
        length = nodes.hidden_len[node]
        nodes.hidden_at[node] = out
        for at in range(begin, begin + length):
            new.term[out] = arena.term[at]
            new.support[out] = arena.support[at]
            new.pairs_of[out] = arena.pairs_of[at]
            new.first[out] = out_entries
            new.strong[out] = arena.strong[at]
            for entry in range(arena.first[at], arena.first[at] + arena.pairs_of[at]):
                new.entries[out_entries] = arena.entries[entry]
                new.entry_leaf[out_entries] = arena.entry_leaf[entry]
                out_entries += 1
            out += 1
        begin = nodes.placed_at[node]
        nodes.placed_at[node] = out_placed
        for at in range(begin, begin + nodes.placed_len[node]):
            new.placed_term[out_placed] = arena.placed_term[at]
            new.placed_word[out_placed] = arena.placed_word[at]
            out_placed += 1
        begin = nodes.leaves_at[node]
        nodes.leaves_at[node] = out_leaves
        for at in range(begin, begin + nodes.leaves_len[node]):
            new.leaves[out_leaves] = arena.leaves[at]
            out_leaves += 1
    used[5] = out_leaves
    used[1] = out
    used[2] = out_entries
    used[3] = out_placed
    return new
