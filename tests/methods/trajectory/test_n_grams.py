"""NGrams: the grams of the obvious version, sequences with the probabilities of its model, and no leak found.

A wrong verdict of a statistical test here has a chance of less than one in 10^9.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import crypsis
from crypsis import BudgetLedger, Events, NGrams, TimeDomain, audit_privacy
from crypsis.errors import BadEpsilon, BadParameter, NotApplicable, PublicInputMissing, TooLarge
from crypsis.methods.trajectory.n_grams import gram_threshold, sequences_of
from crypsis.methods.trajectory.noisy_grams import GramSpace, synthesized_sequences
from crypsis.methods.trajectory.timed_visits import timed_visits
from crypsis.metrics.count_queries import trip_query_error
from crypsis.noise import ExactNoise, MeteredNoise
from crypsis.run_context import RunContext
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.methods.trajectory.gram_sequences import as_grams, grow_tree, sequences
from tests.methods.trajectory.private_crowds import CROWD, domains, events, populations
from tests.noise.providers import ForgetfulNoise, NoNoise, SeededEntropy
from tests.reference import n_grams as slow
from tests.reference.safe_path import prepared

BY_CHANCE = 1e-9
records = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=5), max_size=12)


@given(records, st.integers(1, 4), st.integers(1, 5), st.booleans(), st.integers(1, 3))
def test_without_noise_the_grams_are_those_of_the_obvious_version(people, grams, longest, rising, threshold):
    people = [sorted(set(person)) for person in people] if rising else people
    asked = []

    def count_itself(count):
        asked.append(count)
        return count

    expected = slow.noisy_grams(
        people, 3, grams=grams, longest=longest, rising=rising, threshold=threshold, noise=count_itself
    )
    noise = NoNoise()
    metered = MeteredNoise(noise, Fraction(1))
    found = as_grams(grow_tree(sequences(people, 3, longest, rising), grams, Fraction(1), threshold, metered))
    assert found == expected
    assert noise.calls == len(asked)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.integers(1, 6), st.integers(1, 5))
def test_one_record_has_no_more_grams_of_a_length_than_visits_and_an_end(record, longest, length):
    assert len(slow.grams_of(record[:longest], length)) <= longest + 1


@given(records.filter(len), st.integers(1, 3), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=15)
def test_sequences_have_the_probabilities_of_the_model(people, grams, rising, seed):
    """Chi-square over all sequences, for a tree with noise: children that do not fit, contexts that did not pass."""
    people = [sorted(set(person)) for person in people] if rising else people
    longest, n_tokens, wanted = 3, 3, 4000
    data = sequences(people * 3, n_tokens, longest, rising)
    metered = MeteredNoise(ExactNoise(SeededEntropy(seed)), Fraction(30))
    tree = grow_tree(data, grams, Fraction(30), 3, metered)
    grown = as_grams(tree)
    if (slow.END,) not in grown:
        return
    scale = wanted // grown[slow.END,] + 1
    many = replace(tree, noisy=tree.noisy * scale)
    drawn = synthesized_sequences(many, longest, rising, SeededEntropy(seed + 1))
    counts = Counter(tuple(token - 1 for token in row if token) for row in drawn.tolist())
    scaled = {gram: count * scale for gram, count in grown.items()}
    law = {
        record: slow.chance_of(scaled, record, grams=grams, longest=longest, rising=rising, n_tokens=n_tokens)
        for size in range(longest + 1)
        for record in product(range(n_tokens), repeat=size)
    }
    assert sum(law.values()) == pytest.approx(1)
    assert all(law[record] > 0 for record in counts)
    expected = {record: chance * len(drawn) for record, chance in law.items()}
    often = [record for record in law if expected[record] >= 10]
    rest = [len(drawn) - sum(side[record] for record in often) for side in (counts, expected)]
    cells = [(counts[record], expected[record]) for record in often] + ([tuple(rest)] if rest[1] > 5 else [])
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in cells)
    assert chi2.sf(statistic, max(len(cells) - 1, 1)) > BY_CHANCE


@given(populations(), st.sampled_from(["visits", "places"]), st.integers(1, 3), st.integers(1, 3))
def test_a_release_verifies_whatever_the_data(population, tokens, grams, longest):
    people, n_locations, n_times = population
    method = NGrams(
        epsilon=10, tokens=tokens, grams=grams, longest=longest, threshold=2, **domains(n_locations, n_times)
    )
    made = method.anonymize(events(people), RunContext())
    assert crypsis.verify(made, method.guarantee).holds
    assert check_run_ledger(made.ledger["ledger"]).spent <= 10


def test_records_are_read_like_those_of_safe_path():
    people = [[(1, 2), (0, 0), (0, 0), (9, 9), (1, 1)], [(2, 0)]]
    method = NGrams(longest=2, **domains(3, 3))
    visits = timed_visits(events(people), method.location_domain, method.time_domain, "canonical", method.longest)
    read = sequences_of(visits, GramSpace(9, method.longest, rising=True))
    pairs = [prepared(person, 3, 3, "canonical", 2) for person in people]
    assert read.tokens.tolist() == [time * 3 + place for person in pairs for place, time in person]
    assert read.offsets.tolist() == [0, 2, 3]


def test_places_alone_follow_one_another_at_positions():
    people = [[(0, 0), (1, 1), (0, 2)]] * 50
    method = NGrams(epsilon=1, tokens="places", grams=3, longest=4, threshold=1, **domains(2, 3))
    made = method.synthesized(events(people), RunContext(), NoNoise(), SeededEntropy(3))
    assert made.to_lists() == [(50, [("p0", 0), ("p1", 1), ("p0", 2)])]
    with pytest.raises(NotApplicable, match="tells no times"):
        trip_query_error(events(people), made)


def test_all_lengths_together_spend_epsilon_and_the_ledger_tells_the_sensitivity():
    method = NGrams(epsilon="3/7", grams=3, longest=4, threshold=1, **domains(2, 2))
    made = method.anonymize(events([[(0, 0), (1, 1)]] * 900), RunContext())
    assert made.budget["spent"] == "3/7"
    calls = [scope["seq"][0]["call"] for scope in made.ledger["ledger"]["root"]["seq"]]
    assert [call["sensitivity"] for call in calls] == ["5"] * 3
    assert [call["epsilon"] for call in calls] == ["1/7"] * 3
    assert crypsis.verify(made, method.guarantee).holds


def test_the_threshold_is_that_of_the_paper():
    assert gram_threshold(Fraction(1), 5, 11, 101) == math.ceil(55 * math.log(50.5))
    assert gram_threshold(Fraction(1), 1, 2, 2) == 1


# Audits: whole noisy trees, and variants that are broken on purpose.


def outcomes(provider, epsilon, grams=2, longest=3, threshold=1, most=40):
    def runs_on(people, runs):
        data, noise, found = sequences(people, 2, longest), provider(), []
        for _ in range(runs):
            tree = grow_tree(data, grams, Fraction(epsilon), threshold, MeteredNoise(noise, Fraction(epsilon)))
            found.append((tree.parent.tobytes(), tree.token.tobytes(), np.minimum(tree.noisy, most).tobytes()))
        return found

    return runs_on


ONE, OTHER = [[0, 0, 0]] * 2, [[0, 0, 0]]


@pytest.mark.long
def test_the_audit_finds_no_violation():
    for grams in (1, 2):
        found = audit_privacy(outcomes(ExactNoise, 2, grams), ONE, OTHER, 2, runs=1500, false_alarm=BY_CHANCE)
        assert not found.convicted, found


class ForgottenSensitivity(ExactNoise):
    """BROKEN on purpose: noise as for counts of persons, where one person has up to four grams."""

    def laplace(self, counts, epsilon):
        return super().laplace(counts, 4 * epsilon)


@pytest.mark.parametrize(
    ("broken", "claimed", "people", "most"),
    [
        (ForgottenSensitivity, 2, (ONE, OTHER), 40),
        (ForgetfulNoise, Fraction(1, 2), ([[0, 1]], [[0]]), 1),  # which nodes there are gives it away, not their counts
    ],
)
def test_the_audit_convicts_broken_variants(broken, claimed, people, most):
    runs_on = outcomes(broken, claimed, grams=1, most=most)
    found = audit_privacy(runs_on, *people, claimed, runs=2000, false_alarm=BY_CHANCE)
    assert found.convicted


# Bad input: refused in words, with nothing charged.


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"location_domain": None}, PublicInputMissing),
        ({"time_domain": None}, PublicInputMissing),
        ({"time_domain": TimeDomain(0, 2**31 - 1)}, TooLarge),
        ({"time_domain": TimeDomain(0, 2**23), "noise": "opendp"}, TooLarge),
        ({"epsilon": "999999999989/999999999999", "longest": 256}, BadParameter),
        ({"epsilon": 0}, BadEpsilon),
        ({"epsilon": 11}, BadEpsilon),
        ({"grams": 0}, BadParameter),
        ({"longest": 0}, BadParameter),
        ({"tokens": "words"}, BadParameter),
        ({"threshold": 0}, BadParameter),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_parameters_and_domains_are_refused_before_anything_is_charged(wrong, error, tmp_path):
    with pytest.raises(error):
        crypsis.anonymize(events(CROWD), NGrams(**{**domains(3, 3), "ledger": BudgetLedger(tmp_path / "l"), **wrong}))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_dataset_is_released_like_any_other():
    release = crypsis.anonymize(Events.from_lists([]), NGrams(grams=2, **domains(4, 4)))
    assert release.verify().holds


def test_opendp_may_draw_the_noise_and_a_release_comes_back_from_its_folder(tmp_path):
    method = NGrams(epsilon=8, grams=2, longest=2, noise="opendp", **domains(3, 3))
    release = crypsis.anonymize(events([[(0, 0), (1, 1)]] * 500), method)
    assert 400 < release.data.trajectories < 600
    folder = release.write(tmp_path / "out", private_report=tmp_path / "private.json")
    assert crypsis.read_release(folder, private_report=tmp_path / "private.json").verify().holds


def test_what_was_made_with_test_entropy_cannot_be_released():
    method = NGrams(grams=1, **domains(2, 2))
    made = method.synthesized(events(CROWD), RunContext(), ExactNoise(SeededEntropy(1)))
    assert "for tests only" in str(crypsis.verify(made, method.guarantee))
