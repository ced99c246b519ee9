"""SafePath: the same tree as the slow and obvious version, the same law as the naive sampler, and no leak found.

Statistical tests fail by chance less than once in 10^9 runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis import (
    BudgetLedger,
    Events,
    LocationDomain,
    PublicLocations,
    PublicTimes,
    SafePath,
    Taxonomy,
    TimeDomain,
)
from crypsis.attacks import audit_privacy
from crypsis.errors import (
    BadDomain,
    BadEpsilon,
    BadParameter,
    BadTaxonomy,
    BudgetExhausted,
    BudgetScheme,
    NotApplicable,
    PublicInputMissing,
    TooLarge,
    VerificationFailed,
)
from crypsis.methods.trajectory.prefix_consistency import projected, whole_family
from crypsis.noise import ExactNoise
from crypsis.run_context import RunContext
from tests.methods.trajectory.private_crowds import (
    BY_CHANCE,
    CROWD,
    ORDERS,
    domains,
    events,
    forest,
    labelled,
    populations,
    same_law,
)
from tests.noise.providers import ForgetfulNoise, HalfNoise, NaiveNoise, NoNoise, SeededEntropy
from tests.reference import safe_path as reference


@given(
    populations(), ORDERS, st.integers(1, 3), st.integers(2, 3), st.tuples(*[st.integers(0, 3)] * 2), st.integers(1, 3)
)
def test_the_structure_is_that_of_the_obvious_version(population, order, height, fan_out, heights, threshold):
    """Without noise: the same prefixes with the same counts, and as many counts asked for."""
    people, n_locations, n_times = population
    asked = []

    def count_itself(count, epsilon):
        asked.append(epsilon)
        return count

    tree = reference.noisy_tree(
        people,
        n_locations,
        n_times,
        order=order,
        height=height,
        fan_out=fan_out,
        heights=heights,
        epsilon=1,
        noise=count_itself,
        fixed=threshold,
    )
    method = SafePath(
        height=height,
        order=order,
        fan_out=fan_out,
        location_height=heights[0],
        time_height=heights[1],
        threshold=threshold,
        **domains(n_locations, n_times),
    )
    noise = NoNoise()
    made = method.synthesized(events(people), RunContext(), noise)
    assert noise.calls == len(asked)
    assert labelled(reference.trajectories(tree)) == {tuple(visits): copies for copies, visits in made.to_lists()}


@given(populations(), ORDERS, st.integers(1, 3), st.integers(1, 2))
def test_the_flat_structure_is_that_of_the_obvious_version(population, order, height, threshold):
    people, n_locations, n_times = population
    asked = []

    def count_itself(count, epsilon):
        asked.append(epsilon)
        return count

    tree = reference.flat_tree(
        people, n_locations, n_times, order=order, height=height, epsilon=1, noise=count_itself, fixed=threshold
    )
    method = SafePath(height=height, order=order, scheme="flat", threshold=threshold, **domains(n_locations, n_times))
    noise = NoNoise()
    made = method.synthesized(events(people), RunContext(), noise)
    assert noise.calls == len(asked)
    assert labelled(reference.trajectories(tree)) == {tuple(visits): copies for copies, visits in made.to_lists()}


@given(st.lists(st.integers(1, 40), min_size=1, max_size=7), st.integers(0, 90))
def test_a_family_is_projected_and_rounded_as_defined(children, parent):
    values = projected(children, parent)
    assert values == reference.nearest(children, parent)
    assert min(values) >= 0
    assert sum(values) <= parent
    counts = whole_family(values, parent)
    assert sum(counts) <= parent
    assert all(value - 1 < count < value + 1 for value, count in zip(values, counts, strict=True))


# Many trees at once: a forest whose trees share nothing.


SMALL = SafePath(epsilon=6, height=2, location_height=1, time_height=1, threshold=2, **domains(3, 3))


@pytest.mark.parametrize("people", [CROWD, []], ids=["people", "nobody"])
@pytest.mark.parametrize("scheme", ["uniform", "flat"])
def test_bulk_sampling_has_the_law_of_the_naive_sampler(scheme, people):
    method = replace(SMALL, scheme=scheme, threshold=2 if people else 1)
    runs = 30_000
    same, cells = same_law(
        forest(method, people, runs, ExactNoise()), forest(method, people, runs, NaiveNoise(SeededEntropy(5)))
    )
    assert cells > (10 if people else 3)
    assert same


def test_the_law_is_also_that_of_the_obvious_version():
    draws = iter(())

    def noise(count, epsilon):
        nonlocal draws
        drawn = next(draws, None)
        if drawn is None:
            draws = iter(ExactNoise().laplace(np.zeros(1 << 16, np.int64), epsilon).tolist())
            drawn = next(draws)
        return count + drawn

    def obvious():
        tree = reference.noisy_tree(
            CROWD, 3, 3, order="canonical", height=2, fan_out=2, heights=(1, 1), epsilon=6, noise=noise, fixed=2
        )
        levels = sorted(tree, key=lambda prefix: (len(prefix), [(time, place) for place, time in prefix]))
        return tuple((prefix, tree[prefix]) for prefix in levels)

    runs = 4_000
    same, cells = same_law(forest(SMALL, CROWD, runs, ExactNoise()), [obvious() for _ in range(runs)])
    assert cells > 3
    assert same


def test_a_sampler_that_forgets_empty_nodes_has_another_law():
    """The two-sample test can fail: it is not blind."""
    same, _ = same_law(forest(SMALL, CROWD, 30_000, ForgetfulNoise()), forest(SMALL, CROWD, 30_000, NaiveNoise()))
    assert not same


TINY = {
    "flat": SafePath(epsilon=1, height=1, scheme="flat", threshold=1, **domains(2, 2)),
    "uniform": SafePath(epsilon=1, height=1, location_height=0, time_height=0, threshold=1, **domains(2, 1)),
    "deep": SafePath(epsilon=2, height=2, scheme="flat", threshold=1, **domains(2, 1)),
}
PAIRS = [([], [[(0, 0)]]), ([[(0, 0)], [(1, 0)]], [[(0, 0)]]), ([[(0, 0), (1, 0)]], [])]


@pytest.mark.parametrize("name", TINY)
@pytest.mark.parametrize("neighbours", PAIRS, ids=["nobody or somebody", "two or one", "two visits or nobody"])
def test_the_audit_finds_no_violation(name, neighbours):
    method = TINY[name]
    found = audit_privacy(
        lambda people, runs: forest(method, people, runs, ExactNoise()),
        *neighbours,
        method.epsilon,
        runs=20_000,
        false_alarm=BY_CHANCE,
    )
    assert not found.convicted, found


def test_the_audit_convicts_noise_for_visited_nodes_only():
    found = audit_privacy(
        lambda people, runs: forest(TINY["flat"], people, runs, ForgetfulNoise()),
        [[(0, 0)]],
        [],
        1,
        runs=20_000,
        false_alarm=BY_CHANCE,
    )
    assert found.convicted
    assert found.lower_bound > 3


def test_the_audit_convicts_half_of_the_noise():
    method = replace(TINY["flat"], epsilon=2)
    found = audit_privacy(
        lambda people, runs: forest(method, people, runs, HalfNoise()),
        [[(0, 0)]] * 5,
        [[(0, 0)]] * 4,
        2,
        runs=60_000,
        false_alarm=BY_CHANCE,
    )
    assert found.convicted


def test_the_audit_convicts_a_domain_taken_from_the_data():
    def with_the_datas_own_domain(people, runs):
        places = sorted({place for pairs in people for place, _ in pairs})
        own = replace(TINY["flat"], location_domain=LocationDomain([f"p{place}" for place in places]))
        own_people = [[(places.index(place), time) for place, time in pairs] for pairs in people]
        named = forest(own, own_people, runs, ExactNoise())
        return [
            tuple((tuple((places[place], time) for place, time in prefix), noisy) for prefix, noisy in tree)
            for tree in named
        ]

    found = audit_privacy(
        with_the_datas_own_domain, [[(0, 0)], [(1, 0)]], [[(0, 0)]], 1, runs=20_000, false_alarm=BY_CHANCE
    )
    assert found.convicted


def test_the_audit_convicts_a_budget_that_is_spent_once_per_level():
    """Two levels with all of epsilon each: the spending of one level is claimed for both."""
    honest = replace(TINY["deep"], epsilon=8)
    found = audit_privacy(
        lambda people, runs: forest(honest, people, runs, ExactNoise()),
        [[(0, 0), (1, 0)]] * 3,
        [[(0, 0), (1, 0)]] * 2,
        4,
        runs=60_000,
        false_alarm=BY_CHANCE,
    )
    assert found.convicted


def outcome_law(method: SafePath, people) -> dict[tuple, float]:
    """The exact law of a flat tree of one level, for counts up to a bound; what lies beyond has its own name."""
    epsilon = float(method.epsilon / method.height)
    decay, most = np.exp(-epsilon), 9
    law = {(): 1.0}
    for time in range(len(method.time_domain)):
        for place in range(len(method.location_domain)):
            count = sum((place, time) in pairs for pairs in people)
            values = np.arange(-60, 61)
            chances = (1 - decay) / (1 + decay) * decay ** np.abs(values)
            noisy = np.clip(count + values, 0, most)
            noisy[noisy < method.threshold] = 0
            step = Counter()
            for value, chance in zip(noisy.tolist(), chances.tolist(), strict=True):
                step[value] += chance
            law = {(*seen, value): p * chance for seen, p in law.items() for value, chance in step.items()}
    return law


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 0)), max_size=3), st.integers(0, 1))
def test_the_exact_loss_of_a_level_is_at_most_epsilon(visited, joins):
    """No sampling: the probability of every published tree under two neighbours, of which the ratio is bounded."""
    method = replace(TINY["flat"], **domains(2, 1))
    people = [[pair] for pair in visited]
    one, other = outcome_law(method, people), outcome_law(method, [*people, [(joins, 0)]])
    assert one.keys() == other.keys()
    worst = max(abs(np.log(one[outcome] / other[outcome])) for outcome in one)
    assert worst <= float(method.epsilon) + 1e-9


def hidden_law(epsilon: float, threshold: int, count: int) -> dict[int | None, float]:
    """The exact law of one location with one time: the location's own noisy count is hidden and summed out."""
    decay, values = np.exp(-epsilon / 2), np.arange(-80, 81)
    chances = (1 - decay) / (1 + decay) * decay ** np.abs(values)
    passes = chances[count + values >= threshold].sum()
    law: dict[int | None, float] = {}
    for value, chance in zip((count + values).tolist(), chances.tolist(), strict=True):
        if threshold <= value <= 20:
            law[value] = passes * chance
    law[None] = 1 - passes * chances[count + values >= threshold].sum()
    return law


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("threshold", [1, 3])
def test_the_exact_loss_with_hidden_nodes_is_at_most_epsilon(epsilon, count, threshold):
    """Two steps with half of epsilon each; the bound is tight for a node that is there."""
    one, other = hidden_law(epsilon, threshold, count), hidden_law(epsilon, threshold, count + 1)
    losses = [abs(np.log(one[outcome] / other[outcome])) for outcome in one]
    assert max(losses) <= epsilon + 1e-9
    assert max(losses) > epsilon / 2
    bare = {"height": 1, "location_height": 0, "time_height": 0}
    method = SafePath(epsilon=epsilon, threshold=threshold, **bare, **domains(1, 1))
    trees = Counter(tree[0][1] if tree else None for tree in forest(method, [[(0, 0)]] * count, 30_000, ExactNoise()))
    for outcome, chance in one.items():
        spread = 7 * np.sqrt(chance * (1 - chance) / 30_000) + 1e-3
        assert abs(trees[outcome] / 30_000 - chance) < spread


def test_an_empty_dataset_is_released_like_any_other():
    data = Events.from_lists([])
    release = crypsis.anonymize(data, SafePath(epsilon=1, height=2, **domains(4, 4)))
    assert release.verify().holds
    assert release.data.budget["epsilon"] == "1"


def test_people_without_a_visit_in_the_domains_contribute_nothing():
    noise = NoNoise()
    method = SafePath(height=1, threshold=1, **domains(2, 2))
    made = method.synthesized(Events.from_lists([("x", "elsewhere", 0), ("y", "p0", 99)]), RunContext(), noise)
    assert len(made) == 0


def test_only_the_first_visits_of_a_person_count():
    people = [[(0, time) for time in range(6)]] * 3
    made = SafePath(height=2, threshold=1, **domains(1, 6)).synthesized(events(people), RunContext(), NoNoise())
    assert made.to_lists() == [(3, [("p0", 0), ("p0", 1)])]


def test_times_fall_into_the_bins_of_the_domain():
    method = SafePath(height=2, threshold=1, location_domain=LocationDomain(["a"]), time_domain=TimeDomain(10, 40, 10))
    data = Events.from_lists([("x", "a", 9), ("x", "a", 10), ("x", "a", 19), ("x", "a", 39), ("x", "a", 40)])
    assert method.synthesized(data, RunContext(), NoNoise()).to_lists() == [(1, [("a", 10), ("a", 30)])]


def test_a_taxonomy_brings_locations_together_and_gives_their_order():
    taxonomy = Taxonomy([("p2", "west"), ("p0", "west"), ("p1", "east"), ("west", "all"), ("east", "all")])
    method = SafePath(height=1, threshold=1, taxonomy=taxonomy, time_height=0, **domains(3, 1))
    noise = NoNoise()
    made = method.synthesized(events([[(0, 0)], [(2, 0)]]), RunContext(), noise)
    assert made.locations.labels == ("p2", "p0", "p1")
    assert made.to_lists() == [(1, [("p2", 0)]), (1, [("p0", 0)])]
    assert noise.calls == 2 + 2 + 2  # west and east, the two places of the west, one time for each
    assert Fraction(made.budget["spent"]) == 1


@pytest.mark.parametrize("scheme", ["uniform", "printed", "flat"])
def test_a_path_through_the_tree_spends_exactly_epsilon(scheme):
    people = [[(0, 0), (1, 1), (2, 2)]] * 2000
    method = SafePath(epsilon="3/7", height=3, scheme=scheme, location_height=2, time_height=1, **domains(8, 8))
    context = RunContext()
    made = method.anonymize(events(people), context)
    assert made.budget["spent"] == "3/7"
    assert context.private["ledger"]["ledger"]["epsilon"] == "3/7"
    assert crypsis.verify(made, method.guarantee).holds


def test_opendp_may_draw_the_noise():
    people = [[(0, 0), (1, 1)]] * 500
    release = crypsis.anonymize(events(people), SafePath(epsilon=4, height=2, noise="opendp", **domains(3, 3)))
    assert release.verify().holds
    assert release.data.budget["noise"] == "opendp"
    assert 400 < release.data.trajectories < 700


def test_what_was_made_with_test_entropy_cannot_be_released(tmp_path):
    method = SafePath(epsilon=1, ledger=BudgetLedger(tmp_path / "l"), **domains(2, 2))
    made = method.synthesized(events(CROWD), RunContext(), ExactNoise(SeededEntropy(1)))
    assert not (tmp_path / "l").exists()
    release = crypsis.Release(made, method.guarantee)
    assert "for tests only" in str(release.verify())
    with pytest.raises(VerificationFailed):
        release.write(tmp_path / "release")
    assert not (tmp_path / "release").exists()


BAD_PARAMETERS = [
    ({"epsilon": 0}, BadEpsilon),
    ({"epsilon": -1}, BadEpsilon),
    ({"epsilon": float("nan")}, BadEpsilon),
    ({"epsilon": float("inf")}, BadEpsilon),
    ({"epsilon": "one"}, BadEpsilon),
    ({"epsilon": "1/0"}, BadEpsilon),
    ({"epsilon": 11}, BadEpsilon),
    ({"height": 0}, BadParameter),
    ({"threshold": 0}, BadParameter),
    ({"threshold": 1.5}, BadParameter),
    ({"scheme": "best"}, BadParameter),
    ({"order": "any"}, BadParameter),
    ({"noise": "none"}, BadParameter),
    ({"false_children": 0}, BadParameter),
    ({"fan_out": 1}, BadParameter),
]


@pytest.mark.parametrize(("wrong", "error"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_are_refused_when_the_method_is_made(wrong, error):
    with pytest.raises(error, match=next(iter(wrong))):
        SafePath(**{**domains(3, 3), **wrong})


def test_an_epsilon_above_ten_has_to_be_meant():
    assert SafePath(epsilon=11, large_epsilon=True).guarantee.epsilon == 11


BAD_RUNS = [
    ({"location_domain": None}, PublicInputMissing),
    ({"time_domain": None}, PublicInputMissing),
    ({"scheme": "printed", "location_height": 6}, BudgetScheme),
    ({"taxonomy": Taxonomy([("p0", "all"), ("p9", "all")])}, BadTaxonomy),
    ({"scheme": "flat", "time_domain": TimeDomain(0, 2**31 - 1)}, TooLarge),
    ({"time_domain": TimeDomain(0, 2**31 - 1)}, TooLarge),
    ({"scheme": "flat", "noise": "opendp", "time_domain": TimeDomain(0, 2**23)}, TooLarge),
]


@pytest.mark.parametrize(("wrong", "error"), BAD_RUNS, ids=lambda value: str(value)[:50])
def test_bad_domains_are_refused_before_anything_is_charged(wrong, error, tmp_path):
    ledger = BudgetLedger(tmp_path / "l")
    method = SafePath(**{**domains(3, 3), "ledger": ledger, **wrong})
    with pytest.raises(error):
        crypsis.anonymize(events(CROWD), method)
    assert list(tmp_path.iterdir()) == []


def test_an_epsilon_that_no_exact_mechanism_can_draw_for_is_refused():
    with pytest.raises(BadParameter, match="few digits"):
        SafePath(epsilon="1/1000000000000000003", **domains(3, 3))


def test_other_data_are_refused_before_anything_is_charged(tmp_path):
    method = SafePath(ledger=BudgetLedger(tmp_path / "l"), **domains(3, 3))
    with pytest.raises(NotApplicable):
        crypsis.anonymize(crypsis.Trajectories.from_lists([["a"]]), method)
    assert list(tmp_path.iterdir()) == []


def test_the_datas_own_domains_are_taken_only_if_they_are_said_to_be_public():
    public = SafePath(epsilon=5, height=1, location_domain=PublicLocations(), time_domain=PublicTimes())
    release = crypsis.anonymize(events(CROWD * 50), public)
    assert release.data.locations.labels == ("p0", "p1", "p2")
    assert len(release.data.times) == 2
    assert "declared public" in release.data.locations.declared
    with pytest.raises(BadDomain):
        crypsis.anonymize(Events.from_lists([]), public)


def test_every_release_is_charged_and_the_one_too_many_is_refused(tmp_path):
    ledger = BudgetLedger(tmp_path / "l")
    ledger.set_limit(Fraction(1))
    method = SafePath(epsilon="0.4", ledger=ledger, **domains(3, 3))
    for _ in range(2):
        crypsis.anonymize(events(CROWD), method)
    with pytest.raises(BudgetExhausted, match="only 1/5 is left"):
        crypsis.anonymize(events(CROWD), method)
    assert ledger.state().spent == Fraction(4, 5)
    assert [charge.what for charge in ledger.state().charges] == ["safe-path"] * 2
