"""Bins of whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.drawing.binning import MOST_BINS, bins_of

counts = st.one_of(st.integers(0, 40), st.integers(0, 5000), st.integers(0, 10**12))


@given(st.lists(counts, min_size=1), st.none() | st.integers(1, 10**6))
def test_every_value_is_in_one_bin_that_holds_it(drawn: list[int], including: int | None) -> None:
    values = np.array(drawn, np.int64)
    bins = bins_of(values, including)
    counted = bins.count(values)
    assert counted.sum() == len(values)
    for position, n in enumerate(counted):
        low, high = bins.edges[position], bins.edges[position + 1]
        assert low < high
        assert n == ((values >= low) & (values < high)).sum()
    assert len(bins) <= 2 * MOST_BINS
    assert including is None or bins.edges[0] <= including < bins.edges[-1]


@given(st.lists(st.integers(5, 10**6), min_size=1))
def test_a_limit_below_all_values_is_where_the_first_bin_begins(drawn: list[int]) -> None:
    assert bins_of(np.array(drawn), 5).edges[0] == 5


def test_few_different_values_get_a_bin_each() -> None:
    bins = bins_of(np.array([3, 5, 4, 4]))
    assert bins.edges.tolist() == [3, 4, 5, 6]
    assert bins.single_values
    assert bins.range_text(0) == "3"


def test_crowded_values_get_bins_that_double() -> None:
    bins = bins_of(np.array([5] * 99 + [1084]))
    assert bins.doubling
    assert bins.edges.tolist() == [5, 10, 20, 40, 80, 160, 320, 640, 1280]
    assert bins.range_text(1) == "10 to 19"


def test_crowded_values_from_nought_on_get_a_bin_for_nought() -> None:
    assert bins_of(np.array([0] * 99 + [500])).edges.tolist() == [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]


def test_spread_values_get_bins_of_equal_width() -> None:
    bins = bins_of(np.arange(300))
    assert not bins.doubling
    assert set(np.diff(bins.edges)) == {10}


@pytest.mark.parametrize(("value", "position"), [(5, 0), (10, 1), (15, 1.5), (1280, 8)])
def test_a_value_lies_between_the_edges_around_it(value: int, position: float) -> None:
    assert bins_of(np.array([5] * 99 + [1084])).position(value) == position
