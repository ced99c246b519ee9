"""Counting published records that contain a query agrees with going through all they may stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import Float64s, Int64s, offsets_of
from crypsis.kernels.containment import containing_records, records_of_symbols
from tests.reference.utility import expected_support, upper_support

N_MEMBERS = 4
symbol_lists = st.lists(
    st.frozensets(st.integers(0, N_MEMBERS - 1), min_size=1, max_size=3), min_size=1, max_size=5, unique=True
)
query_lists = st.lists(st.lists(st.integers(0, N_MEMBERS - 1), min_size=1, max_size=4), min_size=1, max_size=4)


@st.composite
def symbols_and_rows(draw: st.DrawFn) -> tuple[list[frozenset[int]], list[list[int]]]:
    symbols = draw(symbol_lists)
    number = st.integers(0, len(symbols) - 1)
    return symbols, draw(st.lists(st.lists(number, max_size=5), max_size=6))


def flat(rows: list[list[int]]) -> tuple[Int64s, Int64s]:
    offsets = offsets_of(np.array([len(row) for row in rows], np.int64))
    return offsets, np.array([value for row in rows for value in row], np.int64)


def counted(symbols: list[frozenset[int]], rows: list[list[int]], queries: list[list[int]]) -> tuple[Float64s, Int64s]:
    offsets, codes = flat(rows)
    holders = [[s for s, members in enumerate(symbols) if member in members] for member in range(N_MEMBERS)]
    query_offsets, query_codes = flat(queries)
    return containing_records(
        offsets,
        codes.astype(np.int32),
        np.array([len(members) for members in symbols]),
        *records_of_symbols(offsets, codes.astype(np.int32), len(symbols)),
        *flat(holders),
        query_offsets,
        query_codes.astype(np.int32),
    )


@given(symbols_and_rows(), query_lists)
def test_counts_are_those_over_all_interpretations(
    published: tuple[list[frozenset[int]], list[list[int]]], queries: list[list[int]]
) -> None:
    symbols, rows = published
    expected, possible = counted(symbols, rows, queries)
    meant = [[symbols[code] for code in row] for row in rows]
    assert possible.tolist() == [upper_support(meant, query) for query in queries]
    assert expected == pytest.approx([float(expected_support(meant, query)) for query in queries], rel=1e-12)


@given(symbols_and_rows())
def test_each_symbol_lists_the_records_that_hold_it(
    published: tuple[list[frozenset[int]], list[list[int]]],
) -> None:
    symbols, rows = published
    offsets, codes = flat(rows)
    record_offsets, records = records_of_symbols(offsets, codes.astype(np.int32), len(symbols))
    for symbol in range(len(symbols)):
        held = records[record_offsets[symbol] : record_offsets[symbol + 1]].tolist()
        assert held == [row for row, elements in enumerate(rows) if symbol in elements]


def test_a_record_with_two_symbols_for_the_rarest_member_is_counted_once() -> None:
    expected, possible = counted([frozenset({0, 1}), frozenset({0, 2})], [[0, 1]], [[0]])
    assert possible.tolist() == [1]
    assert expected.tolist() == [0.75]


def test_a_query_for_something_that_no_symbol_holds_finds_nothing() -> None:
    expected, possible = counted([frozenset({0})], [[0, 0]], [[0, 3], [0, 0]])
    assert possible.tolist() == [0, 1]
    assert expected.tolist() == [0.0, 1.0]
