"""Distances inside symbols, the place of a code in its symbol, and the diameter agree with all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.arrays import offsets_of
from crypsis.kernels.diameter import largest_distance
from crypsis.kernels.symbol_distances import distances_to_members, member_slots
from tests.reference import utility

coordinate = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6, width=32))
point_lists = st.lists(st.tuples(coordinate, coordinate), max_size=30)
N_CODES = 6
symbol_lists = st.lists(st.sets(st.integers(0, N_CODES - 1), min_size=1).map(sorted), min_size=1, max_size=5)


@given(symbol_lists, st.lists(st.tuples(coordinate, coordinate), min_size=N_CODES, max_size=N_CODES))
def test_sums_of_distances_are_those_of_all_pairs(symbols: list[list[int]], points: list[tuple[float, float]]) -> None:
    offsets = offsets_of(np.array([len(symbol) for symbol in symbols]))
    members = np.array([code for symbol in symbols for code in symbol], np.int32)
    x, y = np.array(points).T
    expected = [sum(math.dist(points[one], points[other]) for other in symbol) for symbol in symbols for one in symbol]
    assert distances_to_members(offsets, members, x, y) == pytest.approx(expected, rel=1e-12)


@given(symbol_lists)
def test_every_code_is_found_in_its_symbol_and_nowhere_else(symbols: list[list[int]]) -> None:
    offsets = offsets_of(np.array([len(symbol) for symbol in symbols]))
    members = np.array([code for symbol in symbols for code in symbol], np.int32)
    for number, symbol in enumerate(symbols):
        codes = np.arange(N_CODES, dtype=np.int32)
        slots = member_slots(offsets, members, codes, np.full(N_CODES, number, np.int32))
        assert [code for code in range(N_CODES) if slots[code] >= 0] == symbol
        assert all(offsets[number] <= slots[code] < offsets[number + 1] for code in symbol)
        assert members[slots[symbol]].tolist() == symbol


@given(point_lists)
def test_diameter_is_the_largest_distance_of_all_pairs(points: list[tuple[float, float]]) -> None:
    ordered = np.array(sorted(points), np.float64).reshape(-1, 2)
    found = largest_distance(ordered[:, 0].copy(), ordered[:, 1].copy())
    assert found == pytest.approx(utility.diameter(points), rel=1e-12)


@pytest.mark.parametrize("shape", ["circle", "line", "grid"])
def test_diameter_of_shapes_with_many_or_collinear_corners(shape: str) -> None:
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    points = {
        "circle": np.column_stack([1e5 + 70 * np.cos(angle), 70 * np.sin(angle)]),
        "line": np.column_stack([np.arange(400) * 0.1, np.arange(400) * 0.3]),
        "grid": np.stack(np.meshgrid(np.arange(20), np.arange(20)), -1).reshape(-1, 2).astype(float),
    }[shape]
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    found = largest_distance(ordered[:, 0].copy(), ordered[:, 1].copy())
    assert found == pytest.approx(utility.diameter(points.tolist()), rel=1e-12)
