"""What a disassociated release says about how often terms occur together: bounds, estimates and the bare subrecords."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.disassociated_places import Places
from crypsis.data.disassociated_text import arranged
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter


def support_lower_bound(data: DisassociatedTransactions, itemset: Collection[str]) -> int:
    """Subrecords that hold all the terms; a single term also occurs once for each term chunk that holds it."""
    wanted = sorted(set(_labels(itemset)))
    if not wanted:
        return data.records
    codes = data.vocabulary.encode(pl.Series(wanted, dtype=pl.String))
    if (codes < 0).any():
        return 0
    entries = np.repeat(np.arange(len(data.counts)), np.diff(data.entry_offsets))
    held = np.bincount(entries[np.isin(data.items, codes)], minlength=len(data.counts))
    bound = int(data.counts[held == len(codes)].sum())
    return bound + (int(data.hidden_leaves[codes[0]]) if len(codes) == 1 else 0)


def expected_supports(
    data: DisassociatedTransactions, itemsets: Collection[Collection[str]], term_multiplicity: int = 1
) -> Float64s:
    """Records with each itemset if chunks were put together independently, leaf by leaf.

    In a leaf of s records a record chunk contributes the share of records that hold its part of the itemset, a shared
    chunk the share among all records it may lie in, a term of the term chunk `term_multiplicity` / s.
    """
    if term_multiplicity < 1:
        raise BadParameter(f"expected_supports: term_multiplicity must be at least 1, got {term_multiplicity}.")
    data = arranged(data)
    places = Places.of(data)
    listed = [sorted(set(_labels(itemset))) for itemset in itemsets]
    offsets = offsets_of(np.array([len(itemset) for itemset in listed], np.int64))
    codes = data.vocabulary.encode(pl.Series([label for itemset in listed for label in itemset], dtype=pl.String))
    return _expected(
        offsets, codes, float(term_multiplicity), data.is_leaf, data.preorder[1], data.chunk_offsets, data.counts,
        data.entry_offsets, data.items, data.term_offsets, data.terms, places.order, places.first_leaf, places.slots,
        places.chunk_starts, places.domain_offsets, places.domain, places.supports, places.room, data.chunk_node,
        len(data.vocabulary),
    )  # fmt: skip


def subrecords(data: DisassociatedTransactions) -> Transactions:
    """Every subrecord of every record and shared chunk as a record of its own."""
    data = arranged(data)
    offsets, positions = take_records(data.entry_offsets, np.repeat(np.arange(len(data.counts)), data.counts))
    return Transactions(offsets, data.items[positions], data.vocabulary)


def _labels(itemset: Collection[str]) -> Collection[str]:
    if isinstance(itemset, str):
        raise BadParameter(f"An itemset is a collection of terms, got the string {itemset!r}.")
    return itemset


@njit
def _expected(
    query_offsets: Int64s,
    queries: Int32s,
    multiplicity: float,
    is_leaf: Bools,
    end_of: Int64s,
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
    term_offsets: Int64s,
    terms: Int32s,
    order: Int64s,
    first_leaf: Int64s,
    slots: Int64s,
    chunk_starts: Int64s,
    domain_offsets: Int64s,
    domain: Int32s,
    supports: Int64s,
    room: Int64s,
    chunk_node: Int64s,
    n_terms: int,
) -> Float64s:
    """The forest is walked once; `home` of a term is its place in `domain`, or -2 for the term chunk, or -1."""
    n_queries = len(query_offsets) - 1
    expected = np.zeros(n_queries, np.float64)
    home = np.full(n_terms, -1, np.int64)
    chunk_of = np.empty(len(domain), np.int64)
    for chunk in range(len(chunk_node)):
        chunk_of[domain_offsets[chunk] : domain_offsets[chunk + 1]] = chunk
    asked = np.zeros(n_terms, np.bool_)
    for code in queries:
        if code >= 0:
            asked[code] = True
    undo_term, undo_home = (
        np.empty(len(domain) + len(terms) + 1, np.int64),
        np.empty(len(domain) + len(terms) + 1, np.int64),
    )
    undone = 0
    open_end, open_undo = np.empty(len(order) + 1, np.int64), np.empty(len(order) + 1, np.int64)
    height = 0
    # What was last counted for several terms of one query in one chunk: neighbouring leaves ask the same.
    known_chunk = np.full(n_queries, -1, np.int64)
    known_mask = np.zeros(n_queries, np.int64)
    known_support = np.zeros(n_queries, np.int64)
    for place in range(len(order)):
        while height > 0 and open_end[height - 1] <= place:
            height -= 1
            while undone > open_undo[height]:
                undone -= 1
                home[undo_term[undone]] = undo_home[undone]
        node = order[place]
        open_end[height], open_undo[height] = end_of[node], undone
        height += 1
        for position in range(term_offsets[node], term_offsets[node + 1]):
            if asked[terms[position]]:
                undo_term[undone], undo_home[undone] = terms[position], home[terms[position]]
                undone += 1
                home[terms[position]] = -2
        for position in range(domain_offsets[chunk_starts[node]], domain_offsets[chunk_starts[node + 1]]):
            if asked[domain[position]]:
                undo_term[undone], undo_home[undone] = domain[position], home[domain[position]]
                undone += 1
                home[domain[position]] = position
        if not is_leaf[node]:
            continue
        size = slots[first_leaf[node] + 1] - slots[first_leaf[node]]
        for query in range(n_queries):
            first, end = query_offsets[query], query_offsets[query + 1]
            records = float(size)
            for position in range(first, end):
                if queries[position] < 0 or home[queries[position]] == -1:
                    records = 0.0
                    break
            if records == 0.0:
                continue
            for position in range(first, end):
                at = home[queries[position]]
                if at == -2:
                    records *= min(multiplicity / size, 1.0)
                    continue
                chunk = chunk_of[at]
                together, leads, mask = 1, True, np.int64(0)
                for other in range(first, end):
                    there = home[queries[other]]
                    if other != position and there >= 0 and chunk_of[there] == chunk:
                        together += 1
                        leads = leads and other > position
                        mask |= np.int64(1) << np.int64(other - first)
                if not leads:
                    continue  # counted with the first term of this chunk
                support = supports[at]
                if together > 1:
                    mask |= np.int64(1) << np.int64(position - first)
                    if known_chunk[query] != chunk or known_mask[query] != mask:
                        known_chunk[query], known_mask[query] = chunk, mask
                        known_support[query] = _together(
                            chunk, first, mask, queries, chunk_offsets, counts, entry_offsets, items
                        )
                    support = known_support[query]
                records *= support / size if is_leaf[chunk_node[chunk]] else support / max(room[chunk], 1)
            expected[query] += records
    return expected


@njit
def _together(
    chunk: int,
    first: int,
    mask: np.int64,
    queries: Int32s,
    chunk_offsets: Int64s,
    counts: Int64s,
    entry_offsets: Int64s,
    items: Int32s,
) -> int:
    """Subrecords of a chunk that hold all terms of a query that the mask names."""
    support = 0
    for entry in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
        whole = True
        left = mask
        index = first
        while left > 0 and whole:
            if left & 1:
                whole = False
                for position in range(entry_offsets[entry], entry_offsets[entry + 1]):
                    if items[position] == queries[index]:
                        whole = True
                        break
            left >>= 1
            index += 1
        if whole:
            support += counts[entry]
    return support
