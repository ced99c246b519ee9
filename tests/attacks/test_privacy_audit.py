"""The audit convicts the guilty and nobody else. A wrong verdict has a chance of less than one in 10^9."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from crypsis.attacks import audit_privacy
from crypsis.errors import BadParameter
from crypsis.methods import METHODS
from crypsis.methods.private_method import PrivateMethod
from crypsis.noise import ExactNoise
from tests.noise.providers import HalfNoise
from tests.shared_data import ROOT

BY_CHANCE = 1e-9


def noisy_counts(noise, epsilon):
    return lambda count, runs: noise.laplace(np.full(runs, count), epsilon).tolist()


def test_discrete_laplace_is_as_private_as_it_says():
    """The bound comes near the truth, so it could have convicted."""
    found = audit_privacy(noisy_counts(ExactNoise(), Fraction(1)), 3, 4, 1, runs=200_000, false_alarm=BY_CHANCE)
    assert not found.convicted
    assert 0.85 < found.lower_bound <= 1
    assert "no violation found" in str(found)


def test_half_of_the_noise_is_convicted():
    found = audit_privacy(noisy_counts(HalfNoise(), Fraction(1)), 3, 4, 1, runs=100_000, false_alarm=BY_CHANCE)
    assert found.convicted
    assert 1.5 < found.lower_bound <= 2
    assert "broken: epsilon is at least" in str(found)


def test_a_count_without_noise_is_convicted_of_much():
    found = audit_privacy(lambda count, runs: [count] * runs, 3, 4, 1, runs=40_000, false_alarm=BY_CHANCE)
    assert found.lower_bound > 5


def test_a_test_of_a_true_zero_is_convicted():
    """BROKEN on purpose: noise only for those who are there."""
    noise = ExactNoise()

    def only_if_there(count, runs):
        noisy = noise.laplace(np.full(runs, count), Fraction(1, 10))
        return [0] * runs if count == 0 else noisy.tolist()

    found = audit_privacy(only_if_there, 1, 0, Fraction(1, 10), runs=40_000, false_alarm=BY_CHANCE)
    assert found.convicted
    assert found.lower_bound > 2


@pytest.mark.parametrize("replacement", [False, True])
def test_selection_is_as_private_as_it_says(replacement):
    noise = ExactNoise()

    def chosen(scores, runs):
        return [noise.select(scores, Fraction(1), Fraction(1), replacement=replacement) for _ in range(runs)]

    found = audit_privacy(chosen, [5, 4, 4], [5, 5, 4], 1, runs=10_000, false_alarm=BY_CHANCE)
    assert not found.convicted
    assert found.lower_bound > 0.2


def test_selection_with_twice_the_strength_is_convicted():
    noise = ExactNoise()

    def chosen(scores, runs):
        return [noise.select(scores, Fraction(4), Fraction(1)) for _ in range(runs)]

    found = audit_privacy(chosen, [5, 4], [5, 5], 1, runs=10_000, false_alarm=BY_CHANCE)
    assert found.convicted


def test_equal_laws_give_no_bound():
    found = audit_privacy(lambda count, runs: [0] * runs, 3, 4, 1, runs=1_000, false_alarm=BY_CHANCE)
    assert found.lower_bound == 0


def test_audits_that_make_no_sense_are_refused():
    with pytest.raises(BadParameter, match="runs"):
        audit_privacy(lambda count, runs: [0] * runs, 3, 4, 1, runs=3)
    with pytest.raises(BadParameter, match="false_alarm"):
        audit_privacy(lambda count, runs: [0] * runs, 3, 4, 1, false_alarm=0)
    with pytest.raises(BadParameter, match="as many outcomes"):
        audit_privacy(lambda count, runs: [0], 3, 4, 1)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if issubclass(method, PrivateMethod)])
def test_every_private_method_is_audited_beside_variants_that_are_broken_on_purpose(name):
    """The audits stand with the tests of each method: one that acquits it, one that convicts what is like it."""
    module = METHODS[name].__module__.split(".")
    text = (ROOT / "tests" / "methods" / module[-2] / f"test_{module[-1]}.py").read_text(encoding="utf-8")
    assert "audit_privacy(" in text
    assert re.search(r"assert not .*\.convicted", text)
    assert re.search(r"assert (?!not )[^\n]*\.convicted", text)
