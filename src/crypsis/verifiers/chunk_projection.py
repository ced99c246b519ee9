"""Are the chunks really the projections of the records? With the private knowledge of each record's leaf.

Every term of a record has one place: a record chunk of its leaf, else the lowest shared chunk above the leaf that
holds the term, else the leaf's term chunk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions


@dataclass(frozen=True)
class Projection:
    """`homeless`: a (leaf, term) that has no place, or (-1, -1). `wrong_chunk`: a chunk that is not the projection of
    the records, or -1. `hidden`: of each term of a term chunk, the records of the leaf that hold it."""

    homeless: tuple[int, int]
    wrong_chunk: int
    hidden: Int64s


def projection_of(data: DisassociatedTransactions, leaf: Int64s, offsets: Int64s, items: Int32s) -> Projection:
    """Compare with records items[offsets[r]:offsets[r + 1]] in the leaf of each, coded by the vocabulary of `data`."""
    by_leaf = np.argsort(leaf, kind="stable")
    starts = offsets_of(np.bincount(leaf, minlength=data.n_nodes))
    order = np.argsort(data.preorder[0])
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    home = _homes(
        order, data.preorder[1], data.is_leaf, chunk_starts, data.chunk_offsets, data.entry_offsets, data.items,
        data.term_offsets, data.terms, starts, by_leaf, offsets, items, len(data.vocabulary),
    )  # fmt: skip
    rows = np.repeat(np.arange(len(leaf)), np.diff(offsets))
    nowhere = np.flatnonzero(home == -1)
    homeless = (-1, -1) if not len(nowhere) else (int(leaf[rows[nowhere[0]]]), int(items[nowhere[0]]))
    hidden = np.bincount(-2 - home[home < -1], minlength=len(data.terms)).astype(np.int64)
    placed = np.flatnonzero(home >= 0)
    placed = placed[np.argsort(home[placed], kind="stable")]  # by chunk, then as they came: by record, items ascending
    wrong = _first_wrong_chunk(
        data.chunk_offsets, data.counts, data.entry_offsets, data.items,
        offsets_of(np.bincount(home[placed], minlength=data.n_chunks)), rows[placed], items[placed],
    )  # fmt: skip
    return Projection(homeless, int(wrong), hidden)


@njit
def _homes(
    order: Int64s,
    end_of: Int64s,
    is_leaf: NDArray[np.bool_],
    chunk_starts: Int64s,
    chunk_offsets: Int64s,
    entry_offsets: Int64s,
    chunk_items: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    record_starts: Int64s,
    records: Int64s,
    offsets: Int64s,
    items: Int32s,
    n_terms: int,
) -> Int64s:
    """Of each item of each record: its chunk, -2 - (position among all terms of term chunks), or -1 for nowhere.

    The forest is walked once; what a node says of a term holds below it and is taken back when it is left.
    """
    home = np.full(len(items), -1, np.int64)
    said = np.full(n_terms, -1, np.int64)
    undo_term, undo_said = np.empty(1024, np.int64), np.empty(1024, np.int64)
    undone = 0
    open_end, open_undo = np.empty(len(order) + 1, np.int64), np.empty(len(order) + 1, np.int64)
    height = 0
    for place in range(len(order)):
        while height > 0 and open_end[height - 1] <= place:
            height -= 1
            while undone > open_undo[height]:
                undone -= 1
                said[undo_term[undone]] = undo_said[undone]
        node = order[place]
        open_end[height], open_undo[height] = end_of[node], undone
        height += 1
        for position in range(term_offsets[node], term_offsets[node + 1]):
            if undone == len(undo_term):
                undo_term, undo_said = _longer(undo_term), _longer(undo_said)
            undo_term[undone], undo_said[undone] = terms[position], said[terms[position]]
            undone += 1
            said[terms[position]] = -2 - position
        for chunk in range(chunk_starts[node], chunk_starts[node + 1]):
            for position in range(entry_offsets[chunk_offsets[chunk]], entry_offsets[chunk_offsets[chunk + 1]]):
                term = chunk_items[position]
                if said[term] != chunk:
                    if undone == len(undo_term):
                        undo_term, undo_said = _longer(undo_term), _longer(undo_said)
                    undo_term[undone], undo_said[undone] = term, said[term]
                    undone += 1
                    said[term] = chunk
        if is_leaf[node]:
            for index in range(record_starts[node], record_starts[node + 1]):
                for position in range(offsets[records[index]], offsets[records[index] + 1]):
                    home[position] = said[items[position]]
    return home


@njit
def _first_wrong_chunk(
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    chunk_items: Int32s,
    placed_offsets: Int64s,
    rows: Int64s,
    items: Int32s,
) -> int:
    """Take each projected subrecord from the published ones; the first chunk that lacks one or keeps one, else -1.

    Published subrecords of a chunk are found through a table by a hash of their items and compared item by item.
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
            slot = _hash(chunk_items, entry_offsets[entry], entry_offsets[entry + 1]) & (width - 1)
            while table[slot] >= 0:
                slot = (slot + 1) & (width - 1)
            table[slot] = entry
        start = placed_offsets[chunk]
        while start < placed_offsets[chunk + 1]:
            stop = start + 1
            while stop < placed_offsets[chunk + 1] and rows[stop] == rows[start]:
                stop += 1
            slot = _hash(items, start, stop) & (width - 1)
            while table[slot] >= 0 and not _equal(
                items, start, stop, chunk_items, entry_offsets[table[slot]], entry_offsets[table[slot] + 1]
            ):
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
    mixed = np.int64(1469598103)
    for position in range(start, end):
        mixed = (mixed * np.int64(1000003) + np.int64(items[position]) + np.int64(1)) & np.int64(0x7FFFFFFFFFF)
    return mixed ^ (mixed >> np.int64(20))  # type: ignore[return-value]


@njit
def _equal(items: Int32s, start: int, end: int, other: Int32s, other_start: int, other_end: int) -> bool:
    if end - start != other_end - other_start:
        return False
    for step in range(end - start):  # noqa: SIM110 (compiled)
        if items[start + step] != other[other_start + step]:
            return False
    return True


@njit
def _longer(values: Int64s) -> Int64s:
    longer = np.empty(2 * len(values), np.int64)
    longer[: len(values)] = values
    return longer
