"""Canonical order and text of disassociated transactions.

Items are sorted by label, entries of a chunk by their items, and chunks, children and nodes by their own text, compared
by code point (which for UTF-8 is comparing bytes). Texts of chunks are laid out by compiled code; Python objects exist
per chunk and per node only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.arrays.chunk_text import Bytes, Labels, find_equal_entry, order_entries, write_chunks, write_lists
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.forest_parts import take_nodes
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication


def canonical_text(data: DisassociatedTransactions) -> bytes:
    """The whole object as UTF-8."""
    roots = Forest(arranged(data)).roots
    return header(data) + b'"nodes":[' + b",".join(text for text, _ in roots) + b"]}"


def header(data: DisassociatedTransactions) -> bytes:
    """How the object begins, up to its nodes."""
    return b'{"empty_records":%d,"k":%d,"m":%d,' % (data.empty_records, data.k, data.m)


def in_canonical_order(data: DisassociatedTransactions) -> DisassociatedTransactions:
    """The same data with everything in canonical order; codes are by label, and only labels that occur are kept."""
    return with_root_texts(data)[0]


def with_root_texts(data: DisassociatedTransactions) -> tuple[DisassociatedTransactions, list[bytes]]:
    """The same data in canonical order, and the text of each root."""
    within = arranged(data)
    forest = Forest(within)
    nodes: list[int] = []
    waiting = [root for _, root in reversed(forest.roots)]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting.extend(reversed(forest.children[node]))
    number = np.empty(len(nodes), np.int64)
    number[nodes] = np.arange(len(nodes))
    order = np.array(nodes, np.int64)
    chunks = np.array([chunk for node in nodes for chunk in forest.chunks[node]], np.int64)
    parent = within.parent[order]
    ordered = take_nodes(
        within,
        order,
        chunks,
        parent=np.where(parent < 0, -1, number[parent]) if len(parent) else parent,
        chunk_node=number[within.chunk_node[chunks]],
        leaf_of_record=None if within.leaf_of_record is None else number[within.leaf_of_record],
    )
    return ordered, [text for text, _ in forest.roots]


def arranged(data: DisassociatedTransactions) -> DisassociatedTransactions:
    """Codes by label; items sorted inside entries, entries inside chunks, terms inside term chunks."""
    occurs = np.zeros(len(data.vocabulary), np.bool_)
    occurs[data.items] = True
    occurs[data.terms] = True
    kept = data.vocabulary.series.filter(occurs)
    by_label = kept.arg_sort().to_numpy()
    code = np.full(len(data.vocabulary), -1, np.int32)
    code[np.flatnonzero(occurs)[by_label]] = np.arange(len(by_label), dtype=np.int32)
    items = _sorted_inside(data.entry_offsets, code[data.items], "subrecord")
    order = order_entries(data.chunk_offsets, data.entry_offsets, items)
    twice = find_equal_entry(data.chunk_offsets, data.entry_offsets, items, order)
    if twice >= 0:
        raise BadPublication("A chunk lists the same subrecord twice.", where=f"entry {twice}")
    entry_offsets, positions = take_records(data.entry_offsets, order)
    return replace(
        data,
        vocabulary=Vocabulary(kept.gather(by_label)),
        counts=data.counts[order],
        entry_offsets=entry_offsets,
        items=items[positions],
        terms=_sorted_inside(data.term_offsets, code[data.terms], "term chunk"),
    )


@dataclass(frozen=True)
class Forest:
    """The text of every root, and what is below each node, all in canonical order."""

    data: DisassociatedTransactions

    @cached_property
    def _labels(self) -> Labels:
        quoted = [json.dumps(label, ensure_ascii=False).encode() for label in self.data.vocabulary.labels]
        offsets = offsets_of(np.array([len(text) for text in quoted], np.int64))
        return Labels(np.frombuffer(b"".join(quoted), np.uint8), offsets)

    @cached_property
    def _chunk_texts(self) -> list[bytes]:
        data = self.data
        laid, ends = write_chunks(
            data.chunk_offsets, data.counts, data.entry_offsets, data.items, self._labels
        )  # fmt: skip
        return list(_cut(laid, ends))

    @cached_property
    def _term_texts(self) -> list[bytes]:
        return list(_cut(*write_lists(self.data.term_offsets, self.data.terms, self._labels)))

    @cached_property
    def chunks(self) -> list[list[int]]:
        """The chunks of each node."""
        ends = np.searchsorted(self.data.chunk_node, np.arange(self.data.n_nodes + 1)).tolist()
        texts = self._chunk_texts
        return [sorted(range(ends[node], ends[node + 1]), key=texts.__getitem__) for node in range(self.data.n_nodes)]

    @cached_property
    def _assembled(self) -> tuple[list[list[int]], list[tuple[bytes, int]]]:
        parent = self.data.parent.tolist()
        sizes = self.data.size.tolist()
        leaf = self.data.is_leaf.tolist()
        waiting: list[list[tuple[bytes, int]]] = [[] for _ in parent]
        children: list[list[int]] = [[] for _ in parent]
        roots: list[tuple[bytes, int]] = []
        for node in np.argsort(-self.data.preorder[0]).tolist():
            chunks = b",".join([self._chunk_texts[chunk] for chunk in self.chunks[node]])
            if leaf[node]:
                text = b'{"record_chunks":[%b],"size":%d,"term_chunk":%b,"type":"leaf"}' % (
                    chunks, sizes[node], self._term_texts[node],
                )  # fmt: skip
            else:
                below = sorted(waiting[node])
                children[node] = [child for _, child in below]
                text = b'{"children":[%b],"shared_chunks":[%b],"size":%d,"type":"joint"}' % (
                    b",".join([child for child, _ in below]), chunks, sizes[node],
                )  # fmt: skip
                waiting[node] = []
            (roots if parent[node] < 0 else waiting[parent[node]]).append((text, node))
        return children, sorted(roots)

    @property
    def children(self) -> list[list[int]]:
        """The nodes right below each node."""
        return self._assembled[0]

    @property
    def roots(self) -> list[tuple[bytes, int]]:
        """Text and number of each root."""
        return self._assembled[1]


def _cut(laid: Bytes, ends: Int64s) -> Iterator[bytes]:
    whole = laid.tobytes()
    start = 0
    for end in ends.tolist():
        yield whole[start:end]
        start = end


def _sorted_inside(offsets: Int64s, codes: Int32s, what: str) -> Int32s:
    """The codes of each record ascending; a code twice in one record is refused."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    width = int(codes.max(initial=0)) + 1
    keys = rows * width + codes
    if (np.diff(keys) < 0).any():
        keys.sort()
    twice = np.flatnonzero(np.diff(keys) == 0)
    if len(twice):
        raise BadPublication(f"A {what} lists the same term twice.", where=f"{what} {int(keys[twice[0]]) // width}")
    return (keys - rows * width).astype(np.int32)
