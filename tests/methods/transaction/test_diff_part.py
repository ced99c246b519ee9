"""DiffPart: the itemsets of the obvious version, budgets that are kept on every way, and no leak found.

A wrong verdict of a statistical test here has a chance of less than one in 10^9.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis import BudgetLedger, DiffPart, ItemDomain, PublicItems, Transactions, audit_privacy
from crypsis.errors import BadDomain, BadEpsilon, BadParameter, NotApplicable, PublicInputMissing, TooLarge
from crypsis.methods.transaction.item_tree import ItemTree
from crypsis.methods.transaction.noisy_partitions import counted_itemsets
from crypsis.methods.transaction.partitioned_sets import SetsHere
from crypsis.noise import ExactNoise, MeteredNoise
from crypsis.run_context import RunContext
from crypsis.verifiers.run_ledger import check_run_ledger
from tests.manifests import numbers_told
from tests.methods.trajectory.private_crowds import same_law
from tests.noise.providers import ForgetfulNoise, HalfNoise, NaiveNoise, NoNoise, SeededEntropy
from tests.reference import diff_part as slow
from tests.reference.safe_path import threshold as slow_threshold

BY_CHANCE = 1e-9


def labels(size):
    return [f"i{number:02}" for number in range(size)]


def baskets(records, size):
    return Transactions.from_lists([[labels(99)[item] for item in record] for record in records])


@st.composite
def populations(draw):
    """Records over a few items, some of which lie outside the declared ones."""
    size = draw(st.integers(1, 9))
    record = st.lists(st.integers(0, size), max_size=5, unique=True)
    return draw(st.lists(record, max_size=14)), size


@given(populations(), st.integers(2, 4), st.sampled_from(["bounded", "printed"]), st.integers(1, 3))
def test_without_noise_the_itemsets_are_those_of_the_obvious_version(population, fan_out, thresholds, deviations):
    records, size = population
    method = DiffPart(
        epsilon=10, fan_out=fan_out, thresholds=thresholds, deviations=deviations, item_domain=ItemDomain(labels(size))
    )
    asked = []

    def count_itself(count, epsilon):
        asked.append(epsilon)
        return count

    inside = [[item for item in record if item < size] for record in records]
    expected, _ = slow.itemsets(
        inside, size, fan_out=fan_out, epsilon=10, threshold=method._threshold, noise=count_itself
    )
    noise = NoNoise()
    made = method.synthesized(baskets(records, size), RunContext(), noise)
    assert noise.calls == len(asked)
    shown = {tuple(labels(99).index(item) for item in items): copies for copies, items in made.to_lists()}
    two = {itemset: slow_threshold(2, budget) for itemset, (_, budget) in expected.items()}
    assert shown == {itemset: count for itemset, (count, _) in expected.items() if count >= two[itemset]}


@given(populations(), st.integers(2, 4), st.integers(0, 10**6))
@settings(max_examples=60)
def test_every_way_spends_exactly_epsilon_and_the_ledger_adds_up(population, fan_out, seed):
    records, size = population
    method = DiffPart(epsilon="3/7", fan_out=fan_out, item_domain=ItemDomain(labels(size)), false_children=2)
    made = method.synthesized(baskets(records, size), RunContext(), ExactNoise(SeededEntropy(seed)))
    found = check_run_ledger(made.ledger["ledger"])
    assert found.holds
    assert found.spent == Fraction(made.budget["spent"]) <= Fraction(3, 7)


@pytest.mark.long
@given(st.integers(1, 70), st.integers(2, 16), st.integers(1, 4), st.integers(0, 10**6))
@settings(max_examples=10)
def test_no_way_through_an_uneven_tree_spends_more_than_epsilon(size, fan_out, deviations, seed):
    random = np.random.Generator(np.random.PCG64(seed))
    kinds = [random.choice(size, int(random.integers(1, min(size, 6) + 1)), replace=False) for _ in range(8)]
    records = [sorted(kind.tolist()) for kind in kinds for _ in range(3000)]  # pass every threshold, at every level
    method = DiffPart(
        epsilon=5, fan_out=fan_out, thresholds="printed", deviations=deviations, item_domain=ItemDomain(labels(size))
    )
    made = method.synthesized(baskets(records, size), RunContext(), NoNoise())
    assert len(made.to_lists()) == len({tuple(record) for record in records})
    found = check_run_ledger(made.ledger["ledger"])
    assert found.holds
    assert found.spent == Fraction(made.budget["spent"]) == 5


@pytest.mark.parametrize(("size", "fan_out"), [(10, 3), (64, 10), (7, 4), (33, 2)])
def test_an_uneven_tree_of_items_is_released_within_its_budget(size, fan_out):
    random = np.random.Generator(np.random.PCG64(5))
    records = [random.choice(size, int(random.integers(1, 7)), replace=False).tolist() for _ in range(500)]
    method = DiffPart(epsilon=5, fan_out=fan_out, item_domain=ItemDomain(labels(size)))
    release = crypsis.anonymize(baskets(records, size), method)
    assert Fraction(release.data.budget["spent"]) <= 5
    assert release.verify().holds


def test_an_itemset_gets_all_that_its_way_has_not_spent():
    method = DiffPart(epsilon=1, fan_out=2, item_domain=ItemDomain(labels(4)))
    made = method.synthesized(baskets([[0, 3]] * 5000, 4), RunContext(), NoNoise())
    assert made.to_lists() == [(5000, ["i00", "i03"])]
    assert made.budget["spent"] == "1"


@given(st.integers(1, 300), st.integers(2, 12))
def test_the_tree_divides_the_items_down_to_single_ones(size, fan_out):
    tree = ItemTree.balanced(size, fan_out)
    for node in range(len(tree)):
        below = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        assert len(below) <= fan_out
        if len(below):
            assert [tree.low[node], *(tree.high[child] for child in below)] == [
                *(tree.low[child] for child in below), tree.high[node]
            ]  # fmt: skip
        else:
            assert tree.high[node] - tree.low[node] == 1
        assert tree.inner[node] == slow.inner_below(int(tree.low[node]), int(tree.high[node]), fan_out)
        assert tree.heights[node] == slow.height_of(int(tree.low[node]), int(tree.high[node]), fan_out)


# The law: bulk against naive, and against the obvious version.

LAW = DiffPart(epsilon=8, fan_out=2, thresholds="printed", deviations=1, item_domain=ItemDomain(labels(3)))
PEOPLE = [[0], [0], [0, 2], [1, 2], [1, 2]]
RUNS = 15_000


def forest(method, records, runs, noise):
    """The itemsets and noisy counts of so many independent runs, each as something that can be compared."""
    lengths = np.tile([len(record) for record in records], runs).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = np.tile([item for record in records for item in sorted(record)], runs).astype(np.int32)
    tree = ItemTree.balanced(len(method.item_domain), method.fan_out)
    sets = SetsHere(offsets, items, tree, roots=np.repeat(np.arange(runs), len(records)), n_roots=runs)
    found = counted_itemsets(sets, tree, method.epsilon, method._threshold, MeteredNoise(noise, method.epsilon))
    outcomes = [[] for _ in range(runs)]
    bounds, listed = found.offsets.tolist(), found.items.tolist()
    for number, (run, noisy) in enumerate(zip(found.root.tolist(), found.noisy.tolist(), strict=True)):
        outcomes[run].append((tuple(listed[bounds[number] : bounds[number + 1]]), min(max(noisy, -2), 9)))
    return [tuple(sorted(outcome)) for outcome in outcomes]


def test_bulk_sampling_has_the_law_of_the_naive_sampler_and_of_the_obvious_version():
    bulk = forest(LAW, PEOPLE, RUNS, ExactNoise())
    same, cells = same_law(bulk, forest(LAW, PEOPLE, RUNS, NaiveNoise()))
    assert cells > 10
    assert same
    draws = {}

    def noise(count, epsilon):
        if not draws.get(epsilon):
            draws[epsilon] = ExactNoise().laplace(np.zeros(1 << 14, np.int64), epsilon).tolist()
        return count + draws[epsilon].pop()

    def obvious():
        found, _ = slow.itemsets(PEOPLE, 3, fan_out=2, epsilon=8, threshold=LAW._threshold, noise=noise)
        return tuple(sorted((itemset, min(max(count, -2), 9)) for itemset, (count, _) in found.items()))

    same, cells = same_law(bulk[:4000], [obvious() for _ in range(4000)])
    assert cells > 3
    assert same


def test_a_sampler_that_forgets_empty_combinations_has_another_law():
    same, _ = same_law(forest(LAW, PEOPLE, RUNS, ForgetfulNoise()), forest(LAW, PEOPLE, RUNS, NaiveNoise()))
    assert not same


# Audits, and variants that are broken on purpose.

TINY = DiffPart(epsilon=2, fan_out=2, thresholds="printed", deviations=1, item_domain=ItemDomain(labels(2)))


def audited(method, provider, one, other, claimed):
    return audit_privacy(
        lambda records, runs: forest(method, records, runs, provider()),
        one,
        other,
        claimed,
        runs=RUNS,
        false_alarm=BY_CHANCE,
    )


@pytest.mark.parametrize("pair", [([[0]] * 3, [[0]] * 2), ([[0, 1]], []), ([[0], [1]], [[0]])], ids=str)
def test_the_audit_finds_no_violation(pair):
    assert not audited(TINY, ExactNoise, *pair, 2).convicted


class NoNoiseOnZeros(ForgetfulNoise):
    """BROKEN on purpose: combinations and itemsets that nobody has get no noise."""

    def laplace(self, counts, epsilon):
        return np.where(counts == 0, 0, super().laplace(counts, epsilon))


def test_the_audit_convicts_half_of_the_noise_and_noise_for_what_is_there_only():
    single = DiffPart(epsilon=2, item_domain=ItemDomain(labels(1)))  # one count with all of epsilon
    assert audited(single, HalfNoise, [[0]] * 5, [[0]] * 4, 2).convicted
    assert audited(TINY, NoNoiseOnZeros, [[0]], [], 2).convicted


# Releases, and bad input.


@pytest.mark.parametrize("noise", ["exact", "opendp"])
@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_release_verifies_and_comes_back_from_its_folder(tmp_path, noise, format):
    data = baskets([[0, 1]] * 400 + [[3]] * 300, 5)
    method = DiffPart(epsilon=4, fan_out=3, noise=noise, item_domain=ItemDomain(labels(5)))
    release = crypsis.anonymize(data, method)
    assert release.verify().holds
    folder = release.write(tmp_path / "out", format=format, private_report=tmp_path / "private.json")
    again = crypsis.read_release(folder, private_report=tmp_path / "private.json")
    assert again.verify().holds
    assert again.data == release.data
    assert Counter(again.data.repeated().to_lists()[0]) == Counter(release.data.to_lists()[0][1])
    assert not {"400", "300", "700"} & numbers_told(folder)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"item_domain": None}, PublicInputMissing),
        ({"item_domain": ItemDomain(map(str, range((1 << 20) + 1)))}, TooLarge),
        ({"epsilon": "1/999999999989"}, BadParameter),
        ({"epsilon": 0}, BadEpsilon),
        ({"epsilon": 11}, BadEpsilon),
        ({"fan_out": 1}, BadParameter),
        ({"deviations": 0}, BadParameter),
        ({"thresholds": "none"}, BadParameter),
        ({"false_children": 0}, BadParameter),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_parameters_and_domains_are_refused_before_anything_is_charged(wrong, error, tmp_path):
    given = {"item_domain": ItemDomain(labels(3)), "ledger": BudgetLedger(tmp_path / "l")}
    with pytest.raises(error):
        crypsis.anonymize(baskets([[0]], 3), DiffPart(**{**given, **wrong}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [[], ["a", "a"], ["a", ""], ["a\nb"], ["a", None]])
def test_a_domain_without_items_or_with_one_twice_or_without_a_name_is_refused(wrong):
    with pytest.raises(BadDomain):
        ItemDomain(wrong)


def test_a_domain_is_read_from_a_file_or_a_list(tmp_path):
    (tmp_path / "items.csv").write_text("item\ntea\nmilk\n")
    assert ItemDomain.from_text(str(tmp_path / "items.csv")).labels == ("tea", "milk")
    assert ItemDomain.from_text("tea, milk").labels == ("tea", "milk")
    assert ItemDomain.from_text("public-in-data") == PublicItems()
    with pytest.raises(crypsis.CrypsisError):
        ItemDomain.from_text("nowhere.csv")


def test_the_datas_own_items_are_taken_only_if_they_are_said_to_be_public():
    release = crypsis.anonymize(baskets([[0], [1]] * 200, 2), DiffPart(epsilon=5, item_domain=PublicItems()))
    assert release.data.domain.labels == ("i00", "i01")
    assert "declared public" in release.data.domain.declared
    with pytest.raises(BadDomain):
        crypsis.anonymize(Transactions.from_lists([]), DiffPart(item_domain=PublicItems()))


def test_an_empty_dataset_is_released_like_any_other():
    release = crypsis.anonymize(Transactions.from_lists([]), DiffPart(item_domain=ItemDomain(labels(4))))
    assert release.verify().holds


def test_what_was_made_with_test_entropy_cannot_be_released():
    made = DiffPart(item_domain=ItemDomain(labels(2))).synthesized(
        baskets([[0]], 2), RunContext(), ExactNoise(SeededEntropy(1))
    )
    assert "for tests only" in str(crypsis.verify(made, DiffPart().guarantee))


def test_other_data_are_refused():
    with pytest.raises(NotApplicable):
        crypsis.anonymize(crypsis.Trajectories.from_lists([["a"]]), DiffPart(item_domain=ItemDomain(["a"])))
