"""Values at a position of sorted numbers, and sums without the largest, against sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.class_diversity import largest_count, tail_of_counts
from crypsis.kernels.selection import sorted_at


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(
    st.lists(st.integers(0, 9) | st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=20),
    st.integers(0, 19),
    st.integers(0, 3),
)
def test_the_value_at_a_position_is_that_of_the_sorted_values(
    dtype: type, values: list[int], wanted: int, margin: int
) -> None:
    wanted %= len(values)
    found = sorted_at(np.array(values, dtype), wanted, min(values) - margin, max(values) + margin)
    assert found == sorted(values)[wanted]


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12), st.integers(-1, 14))
def test_the_tail_is_the_sum_without_the_largest(counts: list[int], n_frequent: int) -> None:
    falling = sorted(counts, reverse=True)
    array = np.array(counts, np.int64)
    assert tail_of_counts(array, n_frequent, sum(counts)) == sum(falling[max(n_frequent, 0) :])
    assert largest_count(array) == falling[0]
