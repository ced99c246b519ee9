"""Sums are exact whatever the order, also where they are not added one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.metrics.exact_sums import mean, total, weighted_mean, weighted_total

_WHOLE = st.integers(-(2**51), 2**51).map(float)
_ANY = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200)


@given(st.lists(_WHOLE | st.just(0.0), max_size=40) | st.lists(_ANY | _WHOLE, max_size=40))
def test_a_sum_is_the_nearest_number_to_the_true_sum(values: list[float]) -> None:
    assert total(np.array(values)) == float(sum(map(Fraction, values), Fraction(0)))


@given(st.lists(_ANY | st.floats(-1, 1), min_size=1, max_size=40), st.integers(0, 2**32), st.integers(400, 3000))
def test_a_sum_of_many_numbers_is_the_nearest_to_the_true_sum(values: list[float], seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    many = random.choice(values, size) * random.random(size)
    assert total(many) == float(sum(map(Fraction, many.tolist()), Fraction(0)))


def test_a_sum_between_two_numbers_is_added_exactly() -> None:
    halfway = np.array([2.0**53, 1.0] + [0.5, -0.5] * 500)
    for nudge in (-(2.0**-60), 0.0, 2.0**-60):
        many = np.append(halfway, nudge)
        assert total(many) == float(sum(map(Fraction, many.tolist()), Fraction(0)))


@given(st.lists(st.tuples(_ANY | _WHOLE | st.floats(0, 1), st.integers(0, 50)), max_size=20))
def test_a_weighted_sum_is_that_of_repeated_values(pairs: list[tuple[float, int]]) -> None:
    values, counts = np.array([value for value, _ in pairs]), np.array([count for _, count in pairs], np.int64)
    assert weighted_total(values, counts) == total(np.repeat(values, counts))
    assert weighted_mean(values, counts) == mean(np.repeat(values, counts))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2**26 - 1)), min_size=1, max_size=20))
def test_a_sum_of_many_times_a_value_is_exact(pairs: list[tuple[float, int]]) -> None:
    values, counts = np.array([value for value, _ in pairs]), np.array([count for _, count in pairs], np.int64)
    assert weighted_total(values, counts) == float(
        sum((Fraction(value) * count for value, count in pairs), Fraction(0))
    )
