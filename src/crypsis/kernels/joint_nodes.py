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

MARK_WORDS = 8
MARK_TWICE_WORDS = 4
TWICE = MARK_WORDS  # where in a row of marks its parts begin
LACKS_ONE = TWICE + MARK_TWICE_WORDS
LACKS_MORE = LACKS_ONE + MARK_WORDS
UNKNOWN = 2**62
WORDS_OF_A_NODE = LACKS_MORE + MARK_TWICE_WORDS
_ONE = np.uint64(1)


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
    """Where a node's parts lie in the arena, its records and those of its largest leaf, and the word of all its leaves.

    marks has four parts. The first two have a bit set for each term that the node hides at all, or in two records;
    several terms may have one bit. The others have the same bits for its strong terms alone: those that one more record
    would bring to k, and those that take two or more.
    """

    hidden_at: Int64s
    hidden_len: Int64s
    strong_len: Int64s
    entries_len: Int64s
    placed_at: Int64s
    placed_len: Int64s
    size: Int64s
    largest_leaf: Int64s
    leaves_at: Int64s
    leaves_len: Int64s
    word: NDArray[np.uint64]
    parent: Int64s
    n_chunks: Int64s
    marks: NDArray[np.uint64]


class Arena(NamedTuple):
    """Parts of nodes one after another; those of joined nodes are garbage until the others are moved.

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
    """By node: some terms that most nodes hide, and how many nodes at most hide any other of its terms.

    The number of all terms stands for none; -1 nodes: it hides no others. What is known stays true, for counts of nodes
    only fall. `UNKNOWN` nodes: none of its terms was looked at.
    """

    term: NDArray[np.int32]
    at_most: Int64s


@njit
def mark_of(term: int, n_words: int) -> tuple[int, np.uint64]:
    """The word and the bit in it that stand for a term; the number of words is a power of two."""
    return (term >> 6) & (n_words - 1), _ONE << np.uint64(term & 63)


@njit
def mark(node: int, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the node's strong terms, those that half of k of its records have, and set its marks."""
    begin = nodes.hidden_at[node]
    for word in range(WORDS_OF_A_NODE):
        nodes.marks[node, word] = 0
    n_strong = 0
    for index in range(nodes.hidden_len[node]):
        term = int(arena.term[begin + index])
        support = np.int64(arena.support[begin + index])
        word, bit = mark_of(term, MARK_WORDS)
        word_of_two, bit_of_two = mark_of(term, MARK_TWICE_WORDS)
        nodes.marks[node, word] |= bit
        if support >= 2:
            nodes.marks[node, TWICE + word_of_two] |= bit_of_two
        if 2 * support >= k:
            arena.strong[begin + n_strong] = index
            n_strong += 1
            if support >= k - 1:
                nodes.marks[node, LACKS_ONE + word] |= bit
            else:
                nodes.marks[node, LACKS_MORE + word_of_two] |= bit_of_two
    nodes.strong_len[node] = n_strong


@njit
def mark_all(listed: Int64s, nodes: Nodes, arena: Arena, k: int) -> None:
    """Find the strong terms of each node and set its marks."""
    for index in range(len(listed)):
        mark(listed[index], nodes, arena, k)


@njit
def moved(values: Int32s, begins: Int64s, lengths: Int64s, room: int) -> Int32s:
    """These stretches of the values one after another, in an array with room for so many values."""
    target = np.empty(room, np.int32)
    out = 0
    for index in range(len(begins)):
        begin = begins[index]
        for at in range(begin, begin + lengths[index]):
            target[out] = values[at]
            out += 1
    return target
