"""The samplers also run in the interpreter, and draw there what the compiled ones draw from the same words."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.noise import ExactNoise
from tests.noise.providers import DripEntropy, SeededEntropy

# Drawn once by the compiled samplers from the words of seed 11; pinned, so that both worlds agree on every bit.
PINNED_LAPLACE = [0, 1, 2, -1, 0, 5, -1, -1, 7, 2, -6, 3]
PINNED_BELOW = [642, 669, 3985]


def test_both_worlds_draw_the_same() -> None:
    noise = ExactNoise(SeededEntropy(11))
    assert noise.laplace(np.zeros(12, np.int64), Fraction(1, 2)).tolist() == PINNED_LAPLACE
    assert ExactNoise(SeededEntropy(11)).subset(5000, 3).tolist() == PINNED_BELOW


@given(st.integers(0, 2**32), st.sampled_from([Fraction(1, 9), Fraction(5, 2)]))
def test_a_dry_pool_changes_nothing_here_either(seed: int, epsilon: Fraction) -> None:
    words = SeededEntropy(seed).words(2000)
    draws = [ExactNoise(DripEntropy(words, some)).laplace(np.zeros(8, np.int64), epsilon) for some in (2000, 3)]
    assert draws[0].tolist() == draws[1].tolist()
