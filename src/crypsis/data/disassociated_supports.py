"""What a disassociated release says about how often terms occur together: bounds, estimates and the bare subrecords."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, offsets_of, take_records
from crypsis.arrays.chunk_expectation import Queries, expect_supports
from crypsis.data.disassociated import DisassociatedTransactions
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
    """Records with each itemset if chunks were put together independently, leaf by leaf."""
    if term_multiplicity < 1:
        raise BadParameter(f"expected_supports: term_multiplicity must be at least 1, got {term_multiplicity}.")
    data = arranged(data)
    listed = [sorted(set(_labels(itemset))) for itemset in itemsets]
    offsets = offsets_of(np.array([len(itemset) for itemset in listed], np.int64))
    codes = data.vocabulary.encode(pl.Series([label for itemset in listed for label in itemset], dtype=pl.String))
    return expect_supports(data.forest, data.layout, Queries(offsets, codes), float(term_multiplicity))


def subrecords(data: DisassociatedTransactions) -> Transactions:
    """Every subrecord of every record and shared chunk as a record of its own."""
    data = arranged(data)
    offsets, positions = take_records(data.entry_offsets, np.repeat(np.arange(len(data.counts)), data.counts))
    return Transactions(offsets, data.items[positions], data.vocabulary)


def _labels(itemset: Collection[str]) -> Collection[str]:
    if isinstance(itemset, str):
        raise BadParameter(f"An itemset is a collection of terms, got the string {itemset!r}.")
    return itemset
