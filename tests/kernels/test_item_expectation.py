"""Expected number of records that hold some items: by subsets that are written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.containment import records_of_symbols
from crypsis.kernels.item_expectation import expected_records, symbol_probability

SYMBOLS = [(0,), (1, 2), (0, 1, 2), (3,), (2, 3)]  # some overlap: the smallest counts


@pytest.mark.parametrize("size", range(1, 6))
def test_a_symbol_stands_for_each_of_its_subsets_alike(size: int) -> None:
    subsets = [some for length in range(1, size + 1) for some in combinations(range(size), length)]
    for asked in range(1, size + 1):
        holding = [some for some in subsets if set(range(asked)) <= set(some)]
        assert symbol_probability(size, asked, False) == pytest.approx(len(holding) / len(subsets), rel=1e-12)
        assert symbol_probability(size, asked, True) == pytest.approx(size**-asked, rel=1e-12)


@given(
    st.lists(st.sets(st.integers(0, len(SYMBOLS) - 1), max_size=4), min_size=1, max_size=6),
    st.sets(st.integers(0, 3), min_size=1, max_size=3),
    st.booleans(),
)
def test_every_record_counts_its_probability(rows: list[set[int]], items: set[int], uniform: bool) -> None:
    weights = np.linspace(0, 1, len(rows))
    by_hand = 0.0
    for weight, row in zip(weights.tolist(), rows, strict=True):
        through = [
            min((len(SYMBOLS[s]), s) for s in row if item in SYMBOLS[s])[1]
            if any(item in SYMBOLS[s] for s in row)
            else None
            for item in items
        ]
        if None in through:
            continue
        for symbol in set(through):
            weight *= symbol_probability(len(SYMBOLS[symbol]), through.count(symbol), uniform)
        by_hand += weight
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    codes = np.array([symbol for row in rows for symbol in sorted(row)], np.int32)
    record_offsets, records = records_of_symbols(offsets, codes, len(SYMBOLS))
    holders = [
        sorted((s for s in range(len(SYMBOLS)) if item in SYMBOLS[s]), key=lambda s: (-len(SYMBOLS[s]), -s))
        for item in range(4)
    ]
    holder_offsets = np.concatenate([[0], np.cumsum([len(held) for held in holders])]).astype(np.int64)
    found = expected_records(
        weights,
        record_offsets,
        records,
        holder_offsets,
        np.array([symbol for held in holders for symbol in held], np.int64),
        np.array([len(symbol) for symbol in SYMBOLS], np.int64),
        np.array(sorted(items), np.int32),
        uniform,
    )
    assert found.sum() == pytest.approx(by_hand, rel=1e-12)
