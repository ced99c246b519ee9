"""The index finds what a scan finds."""

from __future__ import annotations

import numpy as np
import pytest

from crypsis.fuzzytime import FuzzyArray, FuzzyIndex
from tests.fuzzytime.intervals import random_array


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 3000])
@pytest.mark.parametrize("floats", [False, True])
def test_a_search_finds_what_a_scan_finds(size: int, floats: bool) -> None:
    visits = random_array(size, size, limit=2000, floats=floats, infinite=0.01)
    index = FuzzyIndex(visits)
    assert len(index) == size
    rng = np.random.default_rng(7)
    for start, length in zip(rng.integers(-5, 2100, 60), rng.integers(0, 300, 60), strict=True):
        end = start + length
        scanned = np.flatnonzero((visits.outer_start <= end) & (visits.outer_end >= start))
        assert np.array_equal(index.overlapping(start, end), scanned)


def test_nothing_is_found_where_nothing_is() -> None:
    index = FuzzyIndex(FuzzyArray.crisp(np.array([5, 7]), np.array([6, 9])))
    assert index.overlapping(0, 4).tolist() == []
    assert index.overlapping(10, 12).tolist() == []
    assert index.overlapping(6, 7).tolist() == [0, 1]
