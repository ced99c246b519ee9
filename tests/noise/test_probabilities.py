"""The bits of an irrational probability are right in every place."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.noise.probabilities import PassProbability, _exp_bounds

epsilons = st.fractions(min_value=Fraction(1, 1000), max_value=12, max_denominator=1000)


def exp_by_series(x: Fraction, terms: int = 220) -> tuple[Fraction, Fraction]:
    """Bounds of exp(-x) from the alternating series of exp(-x / 16), raised to the 16th power."""
    small, total, term = x / 16, Fraction(1), Fraction(1)
    for number in range(1, terms // 4 + 1):
        term *= -small / number
        total += term
    low, high = sorted([total, total + term * -small / (terms // 4 + 1)])
    return low**16, high**16


@given(epsilons)
def test_bounds_of_the_exponential_enclose_it(x: Fraction) -> None:
    low, high = _exp_bounds(x, 30)
    series_low, series_high = exp_by_series(x)
    assert low < series_high
    assert series_low < high
    assert high - low < Fraction(1, 10**27)


@given(epsilons, st.integers(1, 50))
def test_bits_add_up_to_the_probability(epsilon: Fraction, threshold: int) -> None:
    probability = PassProbability(epsilon, threshold)
    bits = sum(Fraction(probability.bit(place), 2 ** (place + 1)) for place in range(120))
    low, high = probability.bounds(60)
    assert bits <= high
    assert low < bits + Fraction(1, 2**120)


def test_more_bits_continue_the_first_ones() -> None:
    short, long = PassProbability(Fraction(1, 168), 951), PassProbability(Fraction(1, 168), 951)
    long.bit(2000)
    assert [short.bit(place) for place in range(200)] == [long.bit(place) for place in range(200)]


def test_a_threshold_below_one_has_no_such_probability() -> None:
    with pytest.raises(ValueError):
        PassProbability(Fraction(1), 0)
