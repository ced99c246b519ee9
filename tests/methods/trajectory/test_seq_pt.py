"""SeqPT: the tree of the obvious version, every child drawn by itself, and no leak found.

A wrong verdict of a statistical test here has a chance of less than one in 10^9.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis import BudgetLedger, SeqPT, TimeDomain, audit_privacy
from crypsis.errors import BadEpsilon, BadParameter, PublicInputMissing, TooLarge
from crypsis.noise import ExactNoise
from crypsis.run_context import RunContext
from tests.methods.trajectory.private_crowds import (
    CROWD,
    ORDERS,
    domains,
    events,
    forest,
    labelled,
    populations,
    same_law,
)
from tests.noise.providers import HalfNoise, NoNoise
from tests.reference import safe_path as reference

BY_CHANCE = 1e-9


@given(populations(), ORDERS, st.integers(1, 3), st.sampled_from([None, 1, 2]))
def test_without_noise_it_is_the_obvious_tree(population, order, height, threshold):
    people, n_locations, n_times = population
    asked = []

    def count_itself(count, epsilon):
        asked.append(epsilon)
        return count

    own = reference.threshold(2, Fraction(9, height)) if threshold is None else threshold
    tree = reference.flat_tree(
        people, n_locations, n_times, order=order, height=height, epsilon=9, noise=count_itself, fixed=own
    )
    method = SeqPT(epsilon=9, height=height, order=order, threshold=threshold, **domains(n_locations, n_times))
    noise = NoNoise()
    made = method.synthesized(events(people), RunContext(), noise)
    assert noise.calls == len(asked)
    assert labelled(reference.trajectories(tree)) == {tuple(visits): copies for copies, visits in made.to_lists()}


class NoBulk(ExactNoise):
    """Fails where anything is drawn in bulk."""

    def passing_zeros(self, total, epsilon, threshold):
        raise AssertionError("drawn in bulk")


class NoNoiseOnZeros(ExactNoise):
    """BROKEN on purpose: what nobody visits gets no noise."""

    def laplace(self, counts, epsilon):
        return np.where(counts == 0, 0, super().laplace(counts, epsilon))


SMALL = SeqPT(epsilon=3, height=2, threshold=1, **domains(2, 1))
RUNS = 20_000


def test_every_child_is_drawn_by_itself_with_the_law_of_bulk_sampling():
    """Whole trees of SeqPT, and of SafePath's flat scheme with the same threshold, cannot be told apart."""
    flat = crypsis.SafePath(epsilon=3, height=2, scheme="flat", threshold=1, **domains(2, 1))
    people = [[(0, 0), (1, 0)], [(0, 0)]]
    same, cells = same_law(forest(SMALL, people, RUNS, NoBulk()), forest(flat, people, RUNS, ExactNoise()))
    assert cells > 10
    assert same


def audited(method, provider, claimed, one, other):
    return audit_privacy(
        lambda people, runs: forest(method, people, runs, provider()),
        one,
        other,
        claimed,
        runs=RUNS,
        false_alarm=BY_CHANCE,
    )


def test_the_audit_finds_no_violation():
    assert not audited(SMALL, NoBulk, 3, [[(0, 0), (1, 0)]] * 2, [[(0, 0), (1, 0)]]).convicted


def test_the_audit_convicts_half_of_the_noise_and_noise_for_visited_nodes_only():
    low = replace(SMALL, epsilon=2, height=1)
    assert audited(low, HalfNoise, 2, [[(0, 0)]] * 5, [[(0, 0)]] * 4).convicted
    assert audited(low, NoNoiseOnZeros, 2, [[(0, 0)]], []).convicted


def test_a_path_through_the_tree_spends_exactly_epsilon():
    people = [[(0, 0), (1, 1)]] * 500
    release = crypsis.anonymize(events(people), SeqPT(epsilon="3/7", height=2, **domains(3, 3)))
    assert release.data.budget["spent"] == "3/7"
    assert release.verify().holds


def test_opendp_may_draw_it_and_a_release_comes_back_from_its_folder(tmp_path):
    method = SeqPT(epsilon=4, height=2, noise="opendp", **domains(3, 3))
    release = crypsis.anonymize(events([[(0, 0), (1, 1)]] * 300), method)
    folder = release.write(tmp_path / "out", private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.verify().holds
    assert again.data == release.data.take(crypsis.publication.kind_of(release.data).sorted_rows(release.data))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"location_domain": None}, PublicInputMissing),
        ({"time_domain": None}, PublicInputMissing),
        ({"time_domain": TimeDomain(0, 4000), "height": 6}, TooLarge),
        ({"time_domain": TimeDomain(0, 3000), "height": 3, "noise": "opendp"}, TooLarge),
        ({"epsilon": "1/1000000000000000003"}, BadParameter),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_domains_are_refused_before_anything_is_charged(wrong, error, tmp_path):
    with pytest.raises(error):
        crypsis.anonymize(events(CROWD), SeqPT(**{**domains(3, 3), "ledger": BudgetLedger(tmp_path / "l"), **wrong}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "error"),
    [({"epsilon": 0}, BadEpsilon), ({"epsilon": 11}, BadEpsilon), ({"height": 0}, BadParameter),
     ({"threshold": 0}, BadParameter)],
)  # fmt: skip
def test_bad_parameters_are_refused_when_the_method_is_made(wrong, error):
    with pytest.raises(error):
        SeqPT(**wrong)


def test_expected_draws_are_those_of_a_tree_of_noise_alone():
    """Pairs once, then the ascending pairs of those that pass."""
    method = SeqPT(epsilon=2, height=2, threshold=1, **domains(4, 4))
    passing = 1 / (1 + 2.718281828459045)
    share = Fraction(1)
    assert float(method._expected_draws(16, share, 1)) == pytest.approx(16 + 16 * 16 * passing / 2)


def test_an_empty_dataset_is_released_like_any_other():
    assert crypsis.anonymize(crypsis.Events.from_lists([]), SeqPT(**domains(2, 2))).verify().holds
