"""Between what bounds the number of records with given terms lies, as the chunks of a disassociated release tell it.

In a cluster every term has one home: a record chunk, the term chunk, or a shared chunk above. Terms with the same home
were seen together so many times as subrecords show them; terms with different homes met as often as the counts of both
force them to (`a + b - size`, if that is more than 0) and at most as often as the rarer of them occurs. A term of the
term chunk is in one record at least and in all at most. Where all terms of an itemset have one home in each cluster
that is not the term chunk, both bounds are the number itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions

_NOWHERE, _HIDDEN = -1, -2


class SupportBounds:
    """Bounds of supports in one release; what does not depend on the itemset is looked up once."""

    def __init__(self, data: DisassociatedTransactions) -> None:
        self.data = data
        index, end = data.preorder
        order = np.argsort(index)
        leaves_before = offsets_of(data.is_leaf[order].astype(np.int64))
        self.first_leaf, self.end_leaf = leaves_before[index], leaves_before[end]
        self.sizes = data.size[order][data.is_leaf[order]]
        self.is_shared = data.is_shared
        entries = np.repeat(np.arange(len(data.counts)), np.diff(data.entry_offsets))
        chunk_of_entry = np.repeat(np.arange(data.n_chunks), np.diff(data.chunk_offsets))
        self._entries = _Postings.of(data.items, entries, len(data.vocabulary))
        self._chunk_of_entry = chunk_of_entry
        nodes = np.repeat(np.arange(data.n_nodes), np.diff(data.term_offsets))
        self._hiding = _Postings.of(data.terms, nodes, len(data.vocabulary))
        self._place = index

    def bounds(self, itemset: Collection[str]) -> tuple[int, int]:
        """At least and at most so many records hold all these terms."""
        data = self.data
        codes = data.vocabulary.encode(pl.Series(sorted(set(itemset)), dtype=pl.String))
        if (codes < 0).any():
            return 0, 0
        homes = np.stack([self._homes(int(code)) for code in codes])
        leaves = np.flatnonzero((homes != _NOWHERE).all(axis=0))
        together = _Together(self, codes.tolist())
        least = greatest = 0
        rooms: dict[tuple[tuple[int, tuple[int, ...]], ...], int] = {}
        for leaf in leaves.tolist():
            size = int(self.sizes[leaf])
            groups: dict[int, list[int]] = {}
            for term, home in enumerate(homes[:, leaf].tolist()):
                groups.setdefault(home, []).append(term)
            hidden = len(groups.pop(_HIDDEN, ()))
            shared = tuple((home, tuple(terms)) for home, terms in sorted(groups.items()) if self.is_shared[home])
            counts = [together.count(home, tuple(terms)) for home, terms in groups.items() if not self.is_shared[home]]
            if shared:
                rooms[shared] = rooms.get(shared, 0) + min([size, *counts])
            else:
                counts += [1] * hidden
                least += max(0, sum(counts) - (len(counts) - 1) * size)
                greatest += min([size, *counts[: len(counts) - hidden]])
        whole = tuple(range(len(codes)))
        for chunk in {shares[0][0] for shares in rooms if shares[0][1] == whole}:
            least += together.count(chunk, whole)
        for shares, room in rooms.items():
            greatest += min([room, *(together.count(chunk, held) for chunk, held in shares)])
        return least, greatest

    def _homes(self, code: int) -> Int64s:
        """The chunk in which each leaf holds the term, the lowest where several above it do."""
        homes = np.full(len(self.sizes), _NOWHERE, np.int64)
        chunks = np.unique(self._chunk_of_entry[self._entries.rows(code)])
        nodes = self.data.chunk_node[chunks]
        for index in np.argsort(self._place[nodes], kind="stable").tolist():  # from above, so that the lowest stays
            node = int(nodes[index])
            homes[self.first_leaf[node] : self.end_leaf[node]] = chunks[index]
        homes[self.first_leaf[self._hiding.rows(code)]] = _HIDDEN
        return homes

    def entries_with(self, code: int) -> Int64s:
        """The entries of all chunks that hold a term, ascending."""
        return self._entries.rows(code)

    def chunk_supports(self, entries: Int64s) -> Int64s:
        """The number of subrecords of each chunk among these entries."""
        weights = self.data.counts[entries]
        return np.bincount(self._chunk_of_entry[entries], weights, self.data.n_chunks).astype(np.int64)


class _Together:
    """How many subrecords of a chunk hold some of the terms of one query; all chunks are counted at once."""

    def __init__(self, release: SupportBounds, codes: list[int]) -> None:
        self.release, self.codes = release, codes
        self.known: dict[tuple[int, ...], Int64s] = {}

    def count(self, chunk: int, terms: tuple[int, ...]) -> int:
        if terms not in self.known:
            entries = self.release.entries_with(self.codes[terms[0]])
            for term in terms[1:]:
                other = self.release.entries_with(self.codes[term])
                entries = entries[np.isin(entries, other, assume_unique=True)]
            self.known[terms] = self.release.chunk_supports(entries)
        return int(self.known[terms][chunk])


class _Postings(NamedTuple):
    """Where each code occurs, ascending."""

    starts: Int64s
    places: Int64s

    @classmethod
    def of(cls, codes: np.ndarray[tuple[int], np.dtype[np.int32]], places: Int64s, n_codes: int) -> _Postings:
        return cls(offsets_of(np.bincount(codes, minlength=n_codes)), places[np.argsort(codes, kind="stable")])

    def rows(self, code: int) -> Int64s:
        return self.places[self.starts[code] : self.starts[code + 1]]
