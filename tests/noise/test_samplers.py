"""The samplers draw from the laws they name. Statistical tests fail by chance less than once in 10^9 runs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

from crypsis.errors import BadParameter, InternalError
from crypsis.noise import ExactNoise, SystemEntropy, pass_probability, provider_named
from crypsis.noise.samplers import exp_bernoulli
from tests.noise.providers import DripEntropy, NaiveNoise, SeededEntropy

BY_CHANCE = 1e-9
BUDGETS = [Fraction(1, 168), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(7, 3)]


def fits(observed, probabilities) -> bool:
    """Chi-square against a law; cells that are hardly expected are put together."""
    observed, expected = np.asarray(observed, float), np.asarray(probabilities) * np.sum(observed)
    rare = expected < 20
    if rare.any():
        observed = np.append(observed[~rare], observed[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
        if expected[-1] < 20:
            observed, expected = merged_last(observed), merged_last(expected)
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > BY_CHANCE


def merged_last(values):
    return np.append(values[:-2], values[-2:].sum())


def same_law(one, other) -> bool:
    """Two-sample chi-square on the values that occur often enough."""
    values = np.union1d(one, other)
    counts = np.array([[np.count_nonzero(sample == value) for value in values] for sample in (one, other)], float)
    often = counts.sum(axis=0) >= 40
    table = np.column_stack([counts[:, often], counts[:, ~often].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    return chi2.sf(statistic, table.shape[1] - 1) > BY_CHANCE


@pytest.mark.parametrize("epsilon", BUDGETS, ids=str)
def test_discrete_laplace_has_its_law(epsilon: Fraction) -> None:
    draws = ExactNoise().laplace(np.zeros(1_000_000, np.int64), epsilon)
    decay = np.exp(-float(epsilon))
    width = max(1, round(0.7 / float(epsilon)))  # values in a cell: 17 cells and both tails
    cells = np.clip(np.floor_divide(draws + width // 2, width), -9, 9) + 9
    edges = np.arange(-8, 10) * width - width // 2
    below = np.where(
        edges <= 0, decay ** (1.0 - edges) / (1 + decay), 1 - decay ** np.maximum(edges, 0.0) / (1 + decay)
    )
    assert fits(np.bincount(cells, minlength=19), np.diff(np.concatenate([[0], below, [1]])))


def test_noise_is_added_to_the_counts_it_is_given() -> None:
    counts = np.array([0, 1000, -5, 10**9])
    noisy = ExactNoise().laplace(counts, Fraction(40))
    assert np.abs(noisy - counts).max() <= 2  # farther with probability exp(-120)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 2**32 - 1, 2**32, 2**32 + 1, 3 * 2**40])
def test_numbers_below_n_are_uniform(n: int) -> None:
    draws = ExactNoise()._filled(kernel_below(), 200_000, n)
    assert draws.min() >= 0
    assert draws.max() < n
    cells = min(n, 12)
    edges = [number * n // cells for number in range(cells + 1)]
    if cells > 1:
        assert fits(np.histogram(draws, bins=edges)[0], np.diff(edges) / n)


def kernel_below():
    from crypsis.noise.samplers import fill_below

    return fill_below


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 7), (1, 1), (12, 5), (3 * 10**15, 10**15)])
def test_an_exponential_coin_has_its_probability(a: int, b: int) -> None:
    words = SystemEntropy().words(3_000_000)
    cursor = np.zeros(3, np.int64)
    heads = sum(exp_bernoulli(words, cursor, a, b) for _ in range(30_000))
    assert cursor[1] == 0
    if a == 0:
        assert heads == 30_000
    else:
        assert fits([heads, 30_000 - heads], [np.exp(-a / b), 1 - np.exp(-a / b)])


@given(st.integers(0, 2**32), st.integers(1, 40), st.sampled_from(BUDGETS))
def test_a_pool_that_runs_dry_changes_no_draw(seed: int, at_once: int, epsilon: Fraction) -> None:
    """The same words give the same draws, however few come at a time: none is thrown away."""
    words = SeededEntropy(seed).words(4000)
    whole = ExactNoise(DripEntropy(words, 4000)).laplace(np.zeros(30, np.int64), epsilon)
    dripping = ExactNoise(DripEntropy(words, at_once)).laplace(np.zeros(30, np.int64), epsilon)
    assert whole.tolist() == dripping.tolist()
    choices = [ExactNoise(DripEntropy(words, some)).select([3, 1, 2], epsilon, Fraction(1)) for some in (4000, at_once)]
    assert choices[0] == choices[1]


@pytest.mark.parametrize(("epsilon", "threshold", "total"), [(Fraction(1, 2), 1, 12), (Fraction(1), 3, 40)])
def test_the_number_of_passing_zeros_is_binomial(epsilon: Fraction, threshold: int, total: int) -> None:
    from scipy.stats import binom

    noise, probability = ExactNoise(), pass_probability(epsilon, threshold)
    passed = [noise.successes(total, probability) for _ in range(30_000)]
    law = binom.pmf(np.arange(total + 1), total, float(probability.bounds()[0]))
    assert fits(np.bincount(passed, minlength=total + 1), law)


def test_many_zeros_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits of one draw may come in several blocks, the last of them not a whole word."""
    from crypsis.noise import exact

    words = SeededEntropy(3).words(100_000)
    probability = pass_probability(Fraction(1, 3), 2)
    whole = ExactNoise(DripEntropy(words, 100_000)).successes(100_003, probability)
    ones = int(np.unpackbits(words.view(np.uint8), bitorder="little")[:100_003].sum())
    assert ExactNoise(DripEntropy(words, 100_000))._ones(100_003) == ones
    monkeypatch.setattr(exact, "_BITS_AT_ONCE", 3200)
    assert ExactNoise(DripEntropy(words, 100_000)).successes(100_003, probability) == whole


@pytest.mark.parametrize("size", [0, 1, 2, 4, 5])
def test_every_subset_of_a_size_is_equally_likely(size: int) -> None:
    from math import comb

    noise = ExactNoise()
    drawn = [noise.subset(5, size) for _ in range(20_000)]
    assert all(np.array_equal(chosen, np.unique(chosen)) and len(chosen) == size for chosen in drawn)
    keys = [int((1 << chosen).sum()) for chosen in drawn]
    values, counts = np.unique(keys, return_counts=True)
    assert len(values) == comb(5, size)
    assert fits(counts, np.full(len(values), 1 / len(values))) if len(values) > 1 else True


@pytest.mark.parametrize(("epsilon", "threshold"), [(Fraction(1, 2), 1), (Fraction(2), 2), (Fraction(1, 9), 20)])
def test_passing_zeros_in_bulk_and_one_by_one_have_one_law(epsilon: Fraction, threshold: int) -> None:
    """How many pass, which, and with which counts."""

    def sample(noise):
        numbers, values = zip(*(noise.passing_zeros(7, epsilon, threshold) for _ in range(20_000)), strict=True)
        return [len(found) for found in numbers], np.concatenate(numbers), np.concatenate(values)

    for bulk, naive in zip(sample(ExactNoise()), sample(NaiveNoise()), strict=True):
        assert same_law(np.array(bulk), np.array(naive))


SCORES = [Fraction(3), Fraction(1), Fraction(5, 2), Fraction(3)]


def permute_and_flip_law(weights):
    """Probability of each candidate, over all orders in which they may be visited."""
    from itertools import permutations
    from math import factorial

    law = np.zeros(len(weights))
    for order in permutations(range(len(weights))):
        left = 1.0
        for candidate in order:
            law[candidate] += left * weights[candidate] / factorial(len(weights))
            left *= 1 - weights[candidate]
    return law


def test_selection_has_its_law() -> None:
    epsilon, sensitivity, noise = Fraction(3, 2), Fraction(2), ExactNoise()
    weights = np.exp([float(epsilon * (score - 3) / sensitivity) for score in SCORES])
    flipped = [noise.select(SCORES, epsilon, sensitivity) for _ in range(15_000)]
    assert fits(np.bincount(flipped, minlength=4), permute_and_flip_law(weights))
    drawn = [noise.select(SCORES, epsilon, sensitivity, replacement=True) for _ in range(15_000)]
    assert fits(np.bincount(drawn, minlength=4), weights / weights.sum())
    assert noise.calls == 30_000


def test_opendp_agrees_with_our_noise() -> None:
    """The library is the oracle: same law of noise, of passing zeros and of selection."""
    ours, oracle = ExactNoise(), provider_named("opendp")
    for epsilon in (Fraction(1, 3), Fraction(2)):
        zeros = np.zeros(20_000, np.int64)
        assert same_law(ours.laplace(zeros, epsilon), oracle.laplace(zeros, epsilon))
    counts, values = oracle.passing_zeros(20_000, Fraction(1, 2), 3)
    expected = float(pass_probability(Fraction(1, 2), 3).bounds()[0])
    assert fits([len(counts), 20_000 - len(counts)], [expected, 1 - expected])
    assert values.min() >= 3
    chosen = [[noise.select(SCORES, Fraction(1), Fraction(1)) for _ in range(3_000)] for noise in (ours, oracle)]
    assert same_law(*map(np.array, chosen))
    assert oracle.publishable


def test_opendp_refuses_more_zeros_than_it_can_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    from crypsis.errors import TooLarge
    from crypsis.noise import opendp

    monkeypatch.setattr(opendp, "MOST_ZEROS", 10)
    with pytest.raises(TooLarge, match="noise='exact'"):
        provider_named("opendp").passing_zeros(11, Fraction(1), 2)


def test_opendp_stays_within_its_budget() -> None:
    from crypsis.noise.opendp import _laplace_measurement, _selection_measurement

    for epsilon in (Fraction(1, 3), Fraction(1, 24), Fraction(1, 168), Fraction(1, 390), Fraction(1)):
        assert Fraction(_laplace_measurement(epsilon).map(1)) <= epsilon
        assert Fraction(_selection_measurement(epsilon, Fraction(1)).map(1.0)) <= epsilon


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from crypsis.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[dp\]'"):
        provider_named("opendp")


def test_only_the_systems_entropy_may_be_published() -> None:
    assert ExactNoise().publishable
    assert not ExactNoise(SeededEntropy(1)).publishable


def test_every_call_is_counted() -> None:
    noise = ExactNoise()
    noise.laplace(np.zeros(5, np.int64), Fraction(1))
    noise.passing_zeros(1_000, Fraction(1), 9)
    noise.select([1, 2], Fraction(1), Fraction(1))
    assert noise.calls == 1_006


def test_a_budget_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(BadParameter, match="too many digits"):
        ExactNoise().laplace(np.zeros(1, np.int64), Fraction(1, 2**60))
    with pytest.raises(InternalError):
        ExactNoise().laplace(np.zeros(1, np.int64), Fraction(0))
