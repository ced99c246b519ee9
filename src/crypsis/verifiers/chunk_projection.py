"""Are the chunks really the projections of the records? With the private knowledge of each record's leaf.

Every term of a record has one place: a record chunk of its leaf, else the lowest shared chunk above the leaf that
holds the term, else the leaf's term chunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, Lists, offsets_of
from crypsis.compilation import njit
from crypsis.data.disassociated import DisassociatedTransactions


@dataclass(frozen=True)
class Projection:
    """`homeless`: a (leaf, term) that has no place, or (-1, -1). `wrong_chunk`: a chunk that is not the projection of
    the records, or -1. `hidden`: of each term of a term chunk, the records of the leaf that hold it."""

    homeless: tuple[int, int]
    wrong_chunk: int
    hidden: Int64s


class _Forest(NamedTuple):
    """The nodes in preorder, those below node n up to the rank end[n] - 1, and what each of them says of terms.

    Node n has the chunks chunk_starts[n]:chunk_starts[n + 1], and chunk c has the subrecords
    chunk_offsets[c]:chunk_offsets[c + 1].
    """

    order: Int64s
    end: Int64s
    is_leaf: Bools
    chunk_starts: Int64s
    chunk_offsets: Int64s
    subrecords: Lists
    terms: Lists


class _Records(NamedTuple):
    """The original records; those of leaf n are by_leaf[starts[n]:starts[n + 1]]."""

    starts: Int64s
    by_leaf: Int64s
    items: Lists


def projection_of(data: DisassociatedTransactions, leaf: Int64s, offsets: Int64s, items: Int32s) -> Projection:
    """Compare with records items[offsets[r]:offsets[r + 1]] in the leaf of each, coded by the vocabulary of `data`."""
    by_leaf = np.argsort(leaf, kind="stable")
    starts = offsets_of(np.bincount(leaf, minlength=data.n_nodes))
    order = np.argsort(data.preorder[0])
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    subrecords, terms = Lists(data.entry_offsets, data.items), Lists(data.term_offsets, data.terms)
    forest = _Forest(
        order, data.preorder[1], data.is_leaf, chunk_starts, data.chunk_offsets, subrecords, terms
    )  # fmt: skip
    home = _find_homes(forest, _Records(starts, by_leaf, Lists(offsets, items)), len(data.vocabulary))
    rows = np.repeat(np.arange(len(leaf)), np.diff(offsets))
    nowhere = np.flatnonzero(home == -1)
    homeless = (-1, -1) if not len(nowhere) else (int(leaf[rows[nowhere[0]]]), int(items[nowhere[0]]))
    hidden = np.bincount(-2 - home[home < -1], minlength=len(data.terms)).astype(np.int64)
    placed = np.flatnonzero(home >= 0)
    placed = placed[np.argsort(home[placed], kind="stable")]  # by chunk, then as they came: by record, items ascending
    placed_offsets = offsets_of(np.bincount(home[placed], minlength=data.n_chunks))
    wrong = _first_wrong_chunk(
        data.chunk_offsets, data.counts, subrecords, placed_offsets, rows[placed], items[placed]
    )  # fmt: skip
    return Projection(homeless, int(wrong), hidden)


@njit
def _find_homes(forest: _Forest, records: _Records, n_terms: int) -> Int64s:
    """Of each item of each record: its chunk, -2 - (position among all terms of term chunks), or -1 for nowhere.

    The forest is walked once, in preorder. `home_here` is what the nodes from the root to this one say of each term;
    what a node says is noted in `changed`, with what was said `before`, and taken back when the node is left.
    """
    homes = np.full(len(records.items.values), -1, np.int64)
    home_here = np.full(n_terms, -1, np.int64)
    # A node notes each of its terms once per chunk at most.
    most_changes = len(forest.subrecords.values) + len(forest.terms.values)
    changed, before = np.empty(most_changes, np.int64), np.empty(most_changes, np.int64)
    n_changes = 0
    open_end, open_change = np.empty(len(forest.order), np.int64), np.empty(len(forest.order), np.int64)
    height = 0
    for rank in range(len(forest.order)):
        node = forest.order[rank]
        # Leave the nodes that end here.
        while height > 0 and open_end[height - 1] <= rank:
            height -= 1
            while n_changes > open_change[height]:
                n_changes -= 1
                home_here[changed[n_changes]] = before[n_changes]
        # Enter this one: its term chunk first, because a record chunk goes before it.
        open_end[height], open_change[height] = forest.end[node], n_changes
        height += 1
        for position in range(forest.terms.offsets[node], forest.terms.offsets[node + 1]):
            term = forest.terms.values[position]
            changed[n_changes], before[n_changes] = term, home_here[term]
            n_changes += 1
            home_here[term] = -2 - position
        for chunk in range(forest.chunk_starts[node], forest.chunk_starts[node + 1]):
            first_entry, end_entry = forest.chunk_offsets[chunk], forest.chunk_offsets[chunk + 1]
            for position in range(forest.subrecords.offsets[first_entry], forest.subrecords.offsets[end_entry]):
                term = forest.subrecords.values[position]
                if home_here[term] != chunk:
                    changed[n_changes], before[n_changes] = term, home_here[term]
                    n_changes += 1
                    home_here[term] = chunk
        # The records of a leaf have their items where the nodes above them say.
        if forest.is_leaf[node]:
            for index in range(records.starts[node], records.starts[node + 1]):
                row = records.by_leaf[index]
                for position in range(records.items.offsets[row], records.items.offsets[row + 1]):
                    homes[position] = home_here[records.items.values[position]]
    return homes


@njit
def _first_wrong_chunk(
    chunk_offsets: Int64s, counts: Int64s, published: Lists, placed_offsets: Int64s, rows: Int64s, items: Int32s
) -> int:
    """Take each projected subrecord from the published ones; the first chunk that lacks one or keeps one, else -1.

    The items placed in chunk c are items[placed_offsets[c]:placed_offsets[c + 1]], those of one record together. The
    published subrecords of a chunk are found through a table by a hash of their items and compared item by item.
    """
    left = counts.copy()
    table = np.full(16, -1, np.int64)
    for chunk in range(len(chunk_offsets) - 1):
        first, end = chunk_offsets[chunk], chunk_offsets[chunk + 1]
        width = 16
        while width < 2 * (end - first):
            width *= 2
        if len(table) < width:
            table = np.empty(width, np.int64)
        table[:width] = -1
        for entry in range(first, end):
            slot = _hash(published.values, published.offsets[entry], published.offsets[entry + 1]) & (width - 1)
            while table[slot] >= 0:
                slot = (slot + 1) & (width - 1)
            table[slot] = entry
        start = placed_offsets[chunk]
        while start < placed_offsets[chunk + 1]:
            stop = start + 1
            while stop < placed_offsets[chunk + 1] and rows[stop] == rows[start]:
                stop += 1
            slot = _hash(items, start, stop) & (width - 1)
            while table[slot] >= 0 and not _equal(items, start, stop, published, table[slot]):
                slot = (slot + 1) & (width - 1)
            if table[slot] < 0:
                return chunk
            left[table[slot]] -= 1
            start = stop
        for entry in range(first, end):
            if left[entry] != 0:
                return chunk
    return -1


@njit
def _hash(items: Int32s, start: int, end: int) -> int:
    """Mix a set of items into one number."""
    mixed = np.int64(1469598103)
    for position in range(start, end):
        mixed = (mixed * np.int64(1000003) + np.int64(items[position]) + np.int64(1)) & np.int64(0x7FFFFFFFFFF)
    return mixed ^ (mixed >> np.int64(20))  # type: ignore[return-value]


@njit
def _equal(items: Int32s, start: int, end: int, published: Lists, entry: int) -> bool:
    """Return whether a set of items is that of a published entry."""
    first = published.offsets[entry]
    if end - start != published.offsets[entry + 1] - first:
        return False
    for step in range(end - start):  # noqa: SIM110 (compiled)
        if items[start + step] != published.values[first + step]:
            return False
    return True
