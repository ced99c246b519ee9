"""Disassociated transactions in parts: roots share nothing, so a forest can be cut between them and joined again.

All functions expect every node before its children and the nodes below a root right behind it, as canonical order has
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of, take_records
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.vocabulary import Vocabulary


def root_offsets(data: DisassociatedTransactions) -> Int64s:
    """Root r has the nodes offsets[r]:offsets[r + 1]."""
    return np.append(np.flatnonzero(data.parent < 0), data.n_nodes).astype(np.int64)


def root_sizes(data: DisassociatedTransactions) -> Int64s:
    """The records below each root."""
    below = np.concatenate([[0], np.cumsum(np.where(data.is_leaf, data.size, 0))])
    return np.diff(below[root_offsets(data)])


def take_roots(data: DisassociatedTransactions, roots: Int64s) -> DisassociatedTransactions:
    """Some roots with all that is below them, in the order given; who is in which leaf is not told."""
    starts = root_offsets(data)
    kept, nodes = take_records(starts, roots)
    moved = np.repeat(kept[:-1] - starts[:-1][roots], np.diff(kept))  # from the old number of a node to the new one
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    chunks_of_node, chunks = take_records(chunk_starts, nodes)
    parent = data.parent[nodes]
    return take_nodes(
        data,
        nodes,
        chunks,
        parent=np.where(parent < 0, -1, parent + moved),
        chunk_node=np.repeat(np.arange(len(nodes)), np.diff(chunks_of_node)),
        leaf_of_record=None,
    )


def take_nodes(
    data: DisassociatedTransactions, nodes: Int64s, chunks: Int64s, **renumbered: Int64s | None
) -> DisassociatedTransactions:
    """Some nodes with these chunks, in the order given; `renumbered` are the columns that name nodes."""
    chunk_offsets, entries = take_records(data.chunk_offsets, chunks)
    entry_offsets, items = take_records(data.entry_offsets, entries)
    term_offsets, terms = take_records(data.term_offsets, nodes)
    return replace(
        data,
        size=data.size[nodes],
        chunk_offsets=chunk_offsets,
        counts=data.counts[entries],
        entry_offsets=entry_offsets,
        items=data.items[items],
        term_offsets=term_offsets,
        terms=data.terms[terms],
        **renumbered,  # type: ignore[arg-type]
    )


def join_forests(forests: Sequence[DisassociatedTransactions]) -> DisassociatedTransactions:
    """The roots of all, one forest behind the other, and the empty records of all; there must be one.

    Codes are by label where those of every forest are; who is in which leaf is not told.
    """
    first = forests[0]
    if all(forest.vocabulary is first.vocabulary for forest in forests):
        vocabulary, items, terms = (
            first.vocabulary,
            [forest.items for forest in forests],
            [forest.terms for forest in forests],
        )
    else:
        vocabulary = Vocabulary(pl.concat([forest.vocabulary.series for forest in forests]).unique().sort())
        codes = [vocabulary.encode(forest.vocabulary.series) for forest in forests]
        items = [code[one.items] for code, one in zip(codes, forests, strict=True)]
        terms = [code[one.terms] for code, one in zip(codes, forests, strict=True)]
    starts = offsets_of(np.array([forest.n_nodes for forest in forests])).tolist()
    moved = list(zip(forests, starts[:-1], strict=True))
    return replace(
        first,
        vocabulary=vocabulary,
        empty_records=sum(forest.empty_records for forest in forests),
        parent=np.concatenate([np.where(one.parent < 0, -1, one.parent + start) for one, start in moved]),
        size=np.concatenate([forest.size for forest in forests]),
        chunk_node=np.concatenate([one.chunk_node + start for one, start in moved]),
        chunk_offsets=offsets_of(np.concatenate([np.diff(forest.chunk_offsets) for forest in forests])),
        counts=np.concatenate([forest.counts for forest in forests]),
        entry_offsets=offsets_of(np.concatenate([np.diff(forest.entry_offsets) for forest in forests])),
        items=np.concatenate(items),
        term_offsets=offsets_of(np.concatenate([np.diff(forest.term_offsets) for forest in forests])),
        terms=np.concatenate(terms),
        leaf_of_record=None,
    )
