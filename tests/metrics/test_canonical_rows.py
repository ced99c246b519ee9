"""The order of sets that does not tell the order of the input."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.metrics.canonical_rows import canonical_rows

labels = st.integers(0, 40).map(str)
sets = st.lists(st.sets(labels, max_size=20), min_size=1, max_size=40)


@given(sets)
def test_sets_are_in_the_order_of_their_sorted_labels(records):
    data = Transactions.from_lists([sorted(record) for record in records])
    expected = sorted(range(len(records)), key=lambda row: sorted(records[row]))
    assert canonical_rows(data).tolist() == expected


@given(sets, st.permutations([str(item) for item in range(41)]))
def test_the_order_does_not_depend_on_how_labels_are_numbered(records, order):
    code = {label: number for number, label in enumerate(order)}
    rows = [sorted(code[label] for label in record) for record in records]
    items = np.array([item for row in rows for item in row], np.int32)
    offsets = offsets_of(np.array([len(row) for row in rows], np.int64))
    data = Transactions(offsets, items, Vocabulary(pl.Series(order)))
    expected = sorted(range(len(records)), key=lambda row: sorted(records[row]))
    assert canonical_rows(data).tolist() == expected
