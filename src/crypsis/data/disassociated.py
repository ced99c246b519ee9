"""Disassociated transactions: which terms occurred together in small pieces, without whose piece is whose.

A release is a forest. A leaf (cluster of `size` records) carries record chunks, each a bag of subrecords, and a term
chunk, a set of terms of which only the presence is told. A joint node carries children and shared chunks, whose
subrecords belong to records of any of the leaves below. Nothing says which subrecords of two chunks are of one record.

    node n      parent[n] (-1: a root), size[n]; a leaf iff no node names it as parent
    chunk c     of node chunk_node[c] (ascending), entries chunk_offsets[c]:chunk_offsets[c + 1]
    entry e     the subrecord items[entry_offsets[e]:entry_offsets[e + 1]], counts[e] times in its chunk
    terms       the term chunk of node n is terms[term_offsets[n]:term_offsets[n + 1]]; empty at joint nodes

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, FrozenArrays, Int32s, Int64s, frozen, offsets_of
from crypsis.arrays.chunk_layout import Forest, Layout, lay_out
from crypsis.data.microdata import ITEMS, PublishedData
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication

if TYPE_CHECKING:
    from crypsis.data.count_bounds import CountBounds
    from crypsis.data.count_query import CountQuery
    from crypsis.data.transaction import Transactions

VERSION = 1


@dataclass(frozen=True, eq=False)
class DisassociatedTransactions(FrozenArrays, PublishedData):
    """A forest of clusters; two are equal when they say the same, in whatever order nodes and chunks are kept.

    `sensitive` names the terms that may stand in term chunks only. `leaf_of_record` says for each non-empty input
    record, in input order, in which leaf it is: only the publisher may know it, and it is never written.
    """

    vocabulary: Vocabulary
    k: int
    m: int
    empty_records: int
    parent: Int64s
    size: Int64s
    chunk_node: Int64s
    chunk_offsets: Int64s
    counts: Int64s
    entry_offsets: Int64s
    items: Int32s
    term_offsets: Int64s
    terms: Int32s
    sensitive: tuple[str, ...] = ()
    leaf_of_record: Int64s | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        problem = _malformed(self)
        if problem is not None:
            raise BadPublication(problem)

    @classmethod
    def from_canonical(cls, published: Mapping[str, Any], sensitive: tuple[str, ...] = ()) -> DisassociatedTransactions:
        """From the object that `to_canonical` gives; whatever is wrong with it is a BadPublication."""
        from crypsis.data.disassociated_objects import parsed

        return parsed(published, sensitive)

    def to_canonical(self) -> dict[str, Any]:
        """The forest as JSON writes it, in the one order that says nothing about how it was made."""
        import json

        written: dict[str, Any] = json.loads(self.canonical_text)
        return written

    @cached_property
    def canonical_text(self) -> bytes:
        """`to_canonical` as UTF-8: keys sorted, no blanks, labels unescaped."""
        from crypsis.data.disassociated_text import canonical_text

        return canonical_text(self)

    @property
    def document(self) -> bytes:
        """The file that holds these data: the canonical text with the version of its form."""
        return self.canonical_text[:-1] + b',"version":%d}\n' % VERSION

    def canonical(self) -> DisassociatedTransactions:
        """The same, with nodes, chunks, entries and items kept in canonical order: each node before its children."""
        from crypsis.data.disassociated_text import in_canonical_order

        return in_canonical_order(self)

    def __len__(self) -> int:
        """Records that are not empty."""
        return self.records

    @cached_property
    def records(self) -> int:
        return int(self.size[self.is_leaf].sum())

    @property
    def n_nodes(self) -> int:
        return len(self.parent)

    @property
    def n_chunks(self) -> int:
        return len(self.chunk_node)

    @cached_property
    def is_leaf(self) -> Bools:
        leaf = np.ones(len(self.parent), np.bool_)
        leaf[self.parent[self.parent >= 0]] = False
        return frozen(leaf)

    @property
    def leaves(self) -> Int64s:
        """The nodes that are leaves."""
        return np.flatnonzero(self.is_leaf)

    @property
    def is_shared(self) -> Bools:
        """Whether each chunk belongs to a joint node."""
        shared: Bools = ~self.is_leaf[self.chunk_node]
        return shared

    @cached_property
    def chunk_sizes(self) -> Int64s:
        """The number of subrecords of each chunk, repetitions counted."""
        return frozen(np.add.reduceat(self.counts, self.chunk_offsets[:-1]) if self.n_chunks else self.counts[:0])

    @cached_property
    def preorder(self) -> tuple[Int64s, Int64s]:
        """Place of each node in an order in which a node is followed by all below it, and where those end.

        The nodes below node n are those at the places `place[n] + 1` to `end[n] - 1`.
        """
        order, place = _preorder(self.parent)
        weight = np.ones(len(self.parent), np.int64)
        parent = self.parent.tolist()
        below = weight.tolist()
        for node in reversed(order):
            if parent[node] >= 0:
                below[parent[node]] += below[node]
        return frozen(place), frozen(place + np.array(below, np.int64))

    @cached_property
    def depth(self) -> Int64s:
        """Joint nodes above each node."""
        depth = [0] * len(self.parent)
        parent = self.parent.tolist()
        for node in np.argsort(self.preorder[0]).tolist():
            if parent[node] >= 0:
                depth[node] = depth[parent[node]] + 1
        return frozen(np.array(depth, np.int64))

    @cached_property
    def visible_supports(self) -> Int64s:
        """The number of subrecords that hold each term, over all chunks."""
        weights = np.repeat(self.counts, np.diff(self.entry_offsets))
        return frozen(np.bincount(self.items, weights, len(self.vocabulary)).astype(np.int64))

    @cached_property
    def hidden_leaves(self) -> Int64s:
        """The number of leaves whose term chunk holds each term."""
        return frozen(np.bincount(self.terms, minlength=len(self.vocabulary)).astype(np.int64))

    @cached_property
    def forest(self) -> Forest:
        """The arrays as compiled code takes them."""
        return Forest(
            self.is_leaf, self.depth, *self.preorder, self.chunk_node, self.chunk_offsets, self.counts,
            self.entry_offsets, self.items, self.term_offsets, self.terms, len(self.vocabulary),
        )  # fmt: skip

    @cached_property
    def layout(self) -> Layout:
        """Where the subrecords can be."""
        return lay_out(self.forest, self.size)

    def reconstruct(self, n: int = 1, seed: int = 0, term_multiplicity: str | int = "one") -> list[Transactions]:
        """Draw n datasets that could have been the original; none is likelier to be it for having been drawn.

        Draw i uses the i-th stream of the seed, so asking for more changes none of the earlier ones. A term of a term
        chunk is put in one record (`"one"`), in 1 to k - 1 (`"uniform"`) or in the number given.
        """
        from crypsis.data.reconstruction import reconstructions

        return reconstructions(self, n, seed, term_multiplicity)

    def support_lower_bound(self, itemset: Collection[str]) -> int:
        """Records that must contain all these terms, whatever the original was."""
        from crypsis.data.disassociated_supports import support_lower_bound

        return support_lower_bound(self, itemset)

    @property
    def known_items(self) -> frozenset[str]:
        labels = self.vocabulary.labels
        return frozenset(labels[code] for code in np.unique(np.concatenate([self.items, self.terms])).tolist())

    def bound_counts(self, queries: Sequence[CountQuery], *, complete: bool = True) -> list[CountBounds]:
        from crypsis.data.count_bounds import CountBounds
        from crypsis.data.count_conditions import Asked
        from crypsis.data.disassociated_bounds import SupportBounds

        known = SupportBounds(self)
        return [CountBounds(*known.bounds(Asked.of(query, None, ITEMS).items)) for query in queries]

    def expected_count(self, query: CountQuery) -> float:
        return float(self.expected_supports([query.items])[0])

    def expected_supports(self, itemsets: Collection[Collection[str]], term_multiplicity: int = 1) -> Float64s:
        """Records that contain each itemset if subrecords of different chunks meet independently."""
        from crypsis.data.disassociated_supports import expected_supports

        return expected_supports(self, itemsets, term_multiplicity)

    def subrecords(self) -> Transactions:
        """The bag of all subrecords of record and shared chunks; term chunks are left out."""
        from crypsis.data.disassociated_supports import subrecords

        return subrecords(self)

    def to_frame(self) -> pl.DataFrame:
        """A line per record slot, every chunk in an order of its own, shuffled again at every call."""
        from crypsis.data.formats.disassociated_table import disassociated_table

        return disassociated_table(self)

    def to_export(self) -> pl.DataFrame:
        return self.to_frame()

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.canonical_text,)

    def __repr__(self) -> str:
        shared = int(self.is_shared.sum())
        return (
            f"DisassociatedTransactions({self.records} records in {len(self.leaves)} clusters, "
            f"{self.n_chunks - shared} record chunks, {shared} shared chunks, k={self.k}, m={self.m})"
        )


def _malformed(data: DisassociatedTransactions) -> str | None:
    """What is wrong with the arrays themselves; what they promise is the verifier's business."""
    nodes, chunks, entries = len(data.parent), len(data.chunk_node), len(data.counts)
    if data.k < 1 or data.m < 1 or data.empty_records < 0:
        return "k and m must be at least 1 and the number of empty records at least 0."
    if len(data.size) != nodes or len(data.term_offsets) != nodes + 1:
        return "Nodes need one parent, one size and one term chunk each."
    if len(data.chunk_offsets) != chunks + 1 or len(data.entry_offsets) != entries + 1:
        return "Chunks and entries need one more offset than there are of them."
    for offsets, end in (
        (data.chunk_offsets, entries),
        (data.entry_offsets, len(data.items)),
        (data.term_offsets, len(data.terms)),
    ):
        if offsets[0] != 0 or offsets[-1] != end or (np.diff(offsets) < 0).any():
            return "Offsets must rise from 0 to the end of what they divide."
    if nodes and not (-1 <= int(data.parent.min()) and int(data.parent.max()) < nodes):
        return "A node names a parent that does not exist."
    if chunks and not (0 <= int(data.chunk_node.min()) and int(data.chunk_node.max()) < nodes):
        return "A chunk belongs to a node that does not exist."
    if (np.diff(data.chunk_node) < 0).any():
        return "Chunks must be kept by node."
    for codes in (data.items, data.terms):
        if len(codes) and not (0 <= int(codes.min()) and int(codes.max()) < len(data.vocabulary)):
            return "A term is not in the vocabulary."
    if (data.size < 1).any():
        return "A node has a size below 1."
    if (data.counts < 1).any():
        return "A subrecord has a count below 1."
    if (np.diff(data.entry_offsets) < 1).any():
        return "A subrecord is empty; empty subrecords are not listed."
    if (np.diff(data.chunk_offsets) < 1).any():
        return "A chunk has no subrecords."
    if len(data.terms) and (np.diff(data.term_offsets)[~data.is_leaf] > 0).any():
        return "A joint node has a term chunk."
    if len(_preorder(data.parent)[0]) != nodes:
        return "Nodes are below themselves."
    leaf = data.leaf_of_record
    if leaf is not None and len(leaf) and not (0 <= int(leaf.min()) and int(leaf.max()) < nodes):
        return "A record is in a leaf that does not exist."
    return None


def _preorder(parent: Int64s) -> tuple[list[int], Int64s]:
    """Nodes, each followed by all below it, and the place of each node; nodes on a circle are left out."""
    n = len(parent)
    below = np.argsort(parent, kind="stable")
    starts = offsets_of(np.bincount(parent + 1, minlength=n + 1)).tolist()
    children = below.tolist()
    order: list[int] = []
    waiting = children[starts[0] : starts[1]][::-1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(reversed(children[starts[node + 1] : starts[node + 2]]))
    place = np.full(n, -1, np.int64)
    place[order] = np.arange(len(order))
    return order, place
