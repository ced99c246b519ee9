"""DiffGen: the same regions as the slow and obvious version, budgets that are kept, and no leak found.

A wrong verdict of an audit here has a chance of less than one in 10^9.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis import AttributeDomains, BudgetLedger, CategoryDomain, DiffGen, NumericDomain, Table, audit_privacy
from crypsis.errors import BadParameter, CrypsisError, NotApplicable, PublicInputMissing
from crypsis.methods.relational.diff_gen import SCORES
from crypsis.methods.relational.specialization_budgets import global_operations
from crypsis.noise import ExactNoise
from crypsis.run_context import RunContext
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.manifests import numbers_told
from tests.methods.relational.declared_tables import TREE, declared, line, person, records, table_of
from tests.noise.providers import NoNoise, SeededEntropy
from tests.reference import diff_gen as slow

BY_CHANCE = 1e-9
LINE = {"domains": AttributeDomains({"x": NumericDomain(0, 4), "kind": CategoryDomain(("p", "q"))})}

scores = st.sampled_from(sorted(SCORES))


@given(records, scores, st.integers(0, 8), st.sampled_from([1, 7, 30, 4096]))
def test_without_noise_it_is_the_obvious_algorithm(people, score, rounds, most):
    method = DiffGen(specializations=rounds, score=score, most_regions=most, **declared())
    made = method.generalized(table_of(people), RunContext(), NoNoise())
    attributes = [(5, TREE["any"]), (9, None), (5, None)]
    expected = slow.generalized(people, attributes, 2, score, rounds=rounds, most_regions=most)
    found = [
        (tuple(zip(low, high, strict=True)), counts)
        for low, high, counts in zip(made.low.tolist(), made.high.tolist(), made.counts.tolist(), strict=True)
    ]
    assert found == expected
    assert len(found) <= most
    assert made.records == len(people)


@given(records, scores, person)
def test_one_record_moves_all_scores_in_one_direction_by_no_more_than_the_sensitivity(people, score, one):
    """Checked on the integers that the sampler is given, round after round of the same choices."""
    for (less, sensitivity), (more, _) in zip(scores_of(people, score), scores_of([*people, one], score), strict=True):
        change = more - less
        assert change.max() <= 0 or change.min() >= 0
        assert abs(change).max() <= sensitivity


def scores_of(people, score):
    seen = []

    class Watching(NoNoise):
        def select_each(self, scores, offsets, epsilon, sensitivity):
            self.calls += 1
            seen.append((scores.copy(), sensitivity))
            return np.array([len(scores) // 2])  # the same for both datasets, so that what follows is comparable

        def points(self, blocks, epsilon, sensitivity):
            self.calls += len(blocks)
            parts = [blocks.scores(number) for number in range(len(blocks))]
            seen.append((np.concatenate([scores for _, scores in parts]), sensitivity))
            return np.array([first for first, _ in parts])

    DiffGen(specializations=4, score=score, **declared()).generalized(table_of(people), RunContext(), Watching())
    return seen


@given(records, st.integers(0, 12), scores, st.sampled_from([3, 40, 4096]), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_ledger_adds_up_to_exactly_epsilon(people, rounds, score, most, seed):
    method = DiffGen(epsilon="3/7", specializations=rounds, score=score, most_regions=most, **declared())
    context = RunContext()
    made = method.generalized(table_of(people), context, ExactNoise(SeededEntropy(seed)))
    found = check_run_ledger(made.ledger["ledger"])
    assert found.holds
    assert found.spent == Fraction(made.budget["spent"]) == Fraction(3, 7)
    assert Fraction(made.budget["budget_of_counts"]) >= Fraction(3, 14)
    assert context.private["specializations"] <= rounds


def test_choices_cost_half_of_epsilon_divided_by_the_calls_that_a_record_meets():
    assert global_operations(2, 5) == 12
    assert global_operations(2, 0) == 0
    made = DiffGen(epsilon=1, specializations=5, **declared()).generalized(table_of([]), RunContext(), NoNoise())
    assert made.budget["budget_of_each_choice"] == "1/24"


@pytest.mark.parametrize("noise", ["exact", "opendp"])
def test_a_release_verifies_and_comes_back_from_its_folder(tmp_path, noise):
    people = [((n % 5, n % 9, n % 5), n % 2) for n in range(400)]
    release = crypsis.anonymize(table_of(people), DiffGen(specializations=5, score="max", noise=noise, **declared()))
    assert release.verify().holds
    folder = release.write(tmp_path / "out", private_report=tmp_path / "private.json")
    assert crypsis.read_release(folder, private_report=tmp_path / "private.json").verify().holds
    assert crypsis.read_release(folder).data.records == release.data.records
    assert "400" not in numbers_told(folder)


# Audits: outcomes of very small tables, and variants that are broken on purpose.


def outcomes(method, provider):
    def runs_on(values, runs):
        data, noise = line(values), provider()
        found = []
        for _ in range(runs):
            noise.calls = 0
            made = method.generalized(data, RunContext(), noise)
            counts = np.minimum(made.counts, 3).tolist()
            found.append((tuple(made.low[:, 0].tolist()), tuple(map(tuple, counts))))
        return found

    return runs_on


@pytest.mark.long
@pytest.mark.parametrize("score", SCORES)
def test_no_violation_is_found(score):
    method = DiffGen(epsilon=2, specializations=1, score=score, **LINE)
    people = [(0, "p"), (3, "q")], [(0, "p")]
    assert not audit_privacy(outcomes(method, ExactNoise), *people, 2, runs=400, false_alarm=BY_CHANCE).convicted


class BestPoint(ExactNoise):
    """BROKEN on purpose: the split point with the highest score, which tells where the records are."""

    def points(self, blocks, epsilon, sensitivity):
        self.calls += len(blocks)
        lists = [blocks.scores(number) for number in range(len(blocks))]
        return np.array([first + int(np.argmax(scores)) for first, scores in lists], np.int64)


class OccupiedOnly(ExactNoise):
    """BROKEN on purpose: regions without records get no noise."""

    def laplace(self, counts, epsilon):
        return np.where(counts == 0, 0, super().laplace(counts, epsilon))


@pytest.mark.long
@pytest.mark.parametrize("broken", [BestPoint, OccupiedOnly])
def test_broken_variants_are_convicted(broken):
    method = DiffGen(epsilon=1, specializations=1, score="max", **LINE)
    people = [(1, "p"), (1, "p"), (3, "q")], [(1, "p"), (1, "p")]
    assert audit_privacy(outcomes(method, broken), *people, 1, runs=600, false_alarm=BY_CHANCE).convicted


# Bad input: refused in words, with nothing charged.


@pytest.mark.parametrize(
    ("table", "wrong", "error"),
    [
        (table_of([]), {"domains": None}, PublicInputMissing),
        (table_of([]), {"trees": None}, PublicInputMissing),
        (table_of([]), {"epsilon": "123456789123/999999999989"}, BadParameter),
        (Table.from_frame(pl.DataFrame({"x": [1], "y": [1]}), {"x": "label", "y": "label"}), {}, NotApplicable),
    ],
    ids=["no domains", "no trees", "too many digits", "nothing to generalize"],
)
def test_bad_declarations_are_refused_and_nothing_is_charged(tmp_path, table, wrong, error):
    ledger = BudgetLedger(tmp_path / "ledger")
    with pytest.raises(error):
        crypsis.anonymize(table, DiffGen(ledger=ledger, **{**declared(), **wrong}))
    assert not ledger.path.exists()


@pytest.mark.parametrize("wrong", [{"specializations": -1}, {"score": "ncp"}, {"epsilon": 0}, {"most_regions": 0}])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(CrypsisError):
        DiffGen(**wrong)


def test_no_round_gives_one_region_with_all_of_epsilon():
    made = DiffGen(specializations=0, **declared()).generalized(table_of([((0, 0, 0), 0)] * 5), RunContext(), NoNoise())
    assert made.counts.tolist() == [[5, 0]]
    assert made.budget["budget_of_counts"] == "1"


def test_a_very_wide_domain_is_divided_like_a_small_one():
    wide = {"domains": AttributeDomains({"x": NumericDomain(0, 2**20), "kind": CategoryDomain(("p", "q"))})}
    people = [(7, "p")] * 50 + [(2**19, "q")] * 50
    made = DiffGen(specializations=1, score="max", **wide).generalized(line(people), RunContext(), NoNoise())
    assert made.counts.tolist() == [[50, 0], [0, 50]]
