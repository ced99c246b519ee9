"""Disassociated transactions as a table to look at: a line per record slot, every chunk in an order of its own.

    node,parent,type,size,line,term_chunk,chunk_1,chunk_2
    0,,joint,10,1,,"[""ikea"",""ruby""]",
    1,0,leaf,5,1,"[""viagra""]","[""flu"",""madonna""]","[""audi_a4""]"
    1,0,leaf,5,2,,"[""madonna""]",

Cells are JSON lists. What stands on one line belongs to nobody in particular: each chunk, the leaves inside a joint
node and the nodes are shuffled with randomness of the operating system, so no seed undoes it. Shared chunks stand at
their joint node. A leaf has as many lines as records, a joint node as many as its largest shared chunk;
where it has more chunks than any leaf, the others follow below.
"""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.arrays.shuffling import shuffle_runs
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_text import arranged


def disassociated_table(data: DisassociatedTransactions) -> pl.DataFrame:
    """The lines, shuffled anew at every call."""
    data = arranged(data)
    nodes = _shuffled_nodes(data)
    number = np.empty(data.n_nodes, np.int64)
    number[nodes] = np.arange(data.n_nodes)
    chunk_starts = np.searchsorted(data.chunk_node, np.arange(data.n_nodes + 1)).astype(np.int64)
    # Which column a chunk takes is shuffled, too: by default chunks are kept in the order in which they were made.
    columns = shuffle_runs(np.arange(data.n_chunks), chunk_starts) - chunk_starts[data.chunk_node]
    width = max(1, int(np.bincount(data.chunk_node, minlength=data.n_nodes)[data.is_leaf].max(initial=0)))
    block, columns = np.divmod(columns, width)
    blocks, block_of_chunk = np.unique(data.chunk_node * (data.n_chunks + 1) + block, return_inverse=True)
    height = np.zeros(len(blocks), np.int64)
    np.maximum.at(height, block_of_chunk, np.where(data.is_shared, data.chunk_sizes, data.size[data.chunk_node]))
    node_of_block = blocks // (data.n_chunks + 1)
    lines = np.where(data.is_leaf, data.size, np.bincount(node_of_block, height, data.n_nodes)).astype(np.int64)
    before = np.cumsum(height) - height
    first_block = np.searchsorted(node_of_block, node_of_block)
    block_line = before - before[first_block] if len(blocks) else before
    first_line = np.empty(data.n_nodes, np.int64)
    first_line[nodes] = offsets_of(lines[nodes])[:-1]
    node_of_line = np.repeat(nodes, lines[nodes])
    n_lines = len(node_of_line)

    # Every chunk takes distinct lines of its node: its subrecords and empty places, shuffled together.
    room = height[block_of_chunk]
    cells = np.full(int(room.sum()), -1, np.int64)
    cell_offsets = offsets_of(room)
    entry_of_subrecord = np.repeat(np.arange(len(data.counts)), data.counts)
    subrecord_offsets = offsets_of(data.chunk_sizes)
    within = np.arange(len(entry_of_subrecord)) - np.repeat(subrecord_offsets[:-1], data.chunk_sizes)
    cells[np.repeat(cell_offsets[:-1], data.chunk_sizes) + within] = entry_of_subrecord
    cells = shuffle_runs(cells, cell_offsets)
    start = first_line[data.chunk_node] + block_line[block_of_chunk]
    place = np.repeat(start - cell_offsets[:-1], room) + np.arange(len(cells))
    column_of_cell = np.repeat(columns, room)

    texts = _texts(data, data.entry_offsets, data.items)
    told = {
        "node": number[node_of_line],
        "parent": np.where(data.parent[node_of_line] < 0, -1, number[data.parent[node_of_line]]),
        "type": pl.Series(["joint", "leaf"], dtype=pl.String).gather(data.is_leaf[node_of_line].astype(np.uint32)),
        "size": data.size[node_of_line],
        "line": np.arange(n_lines) - first_line[node_of_line] + 1,
        "term_chunk": _term_cells(data, first_line, lines, n_lines),
    }
    table = pl.DataFrame(told).with_columns(pl.col("parent").replace(-1, None))
    chunks = []
    for column in range(int(columns.max(initial=-1)) + 1):
        entry = np.full(n_lines, -1, np.int64)
        chosen = column_of_cell == column
        entry[place[chosen]] = cells[chosen]
        wanted = pl.Series(entry)
        chunks.append(texts.gather(wanted.set(wanted < 0, None)).alias(f"chunk_{column + 1}"))
    return table.with_columns(chunks)


def _term_cells(data: DisassociatedTransactions, first_line: Int64s, lines: Int64s, n_lines: int) -> pl.Series:
    """The term chunk of a leaf on its first line."""
    leaves = np.flatnonzero(data.is_leaf & (np.diff(data.term_offsets) > 0) & (lines > 0))
    texts = _texts(data, data.term_offsets, data.terms)
    which = np.full(n_lines, -1, np.int64)
    which[first_line[leaves]] = leaves
    wanted = pl.Series(which)
    return texts.gather(wanted.set(wanted < 0, None))


def _texts(data: DisassociatedTransactions, offsets: Int64s, codes: Int32s) -> pl.Series:
    """A JSON list for each record."""
    quoted = pl.Series([json.dumps(label, ensure_ascii=False) for label in data.vocabulary.labels], dtype=pl.String)
    rows = pl.Series(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), dtype=pl.Int64)
    held = pl.DataFrame({"row": rows, "label": quoted.gather(pl.Series(codes))})
    joined = held.group_by("row", maintain_order=True).agg(pl.col("label").str.join(","))
    every = pl.DataFrame({"row": pl.Series(range(len(offsets) - 1), dtype=pl.Int64)})
    texts = every.join(joined, on="row", how="left", maintain_order="left")["label"].fill_null("")
    return "[" + texts + "]"


def _shuffled_nodes(data: DisassociatedTransactions) -> Int64s:
    """Nodes, each before its children; siblings in random order."""
    by_parent = np.argsort(data.parent, kind="stable")
    starts = offsets_of(np.bincount(data.parent + 1, minlength=data.n_nodes + 1))
    children = shuffle_runs(by_parent.astype(np.int64), starts).tolist()
    bounds = starts.tolist()
    order: list[int] = []
    waiting = children[bounds[0] : bounds[1]]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children[bounds[node + 1] : bounds[node + 2]])
    return np.array(order, np.int64)
