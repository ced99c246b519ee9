"""Every attack finds exactly the candidates that trying everything finds, and never more than a guarantee allows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.attacks import (
    ATTACKS,
    Attack,
    ContainmentAttack,
    HomeWorkAttack,
    LocationAttack,
    LocationFrequencyAttack,
    LocationSequenceAttack,
    UniqueLocationAttack,
    attack,
    attack_named,
)
from crypsis.attacks.containment import compatible_rows, confidence
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.visit_times import VisitTimes
from crypsis.errors import BadParameter, Infeasible, NotApplicable, OriginalRequired
from crypsis.methods import SeqAnon
from tests.attacks.releases import TABLE, Release, clustered, overlapping
from tests.reference import attacks as reference
from tests.reference import containment_matching
from tests.strategies import Dataset, datasets

ON_TRAJECTORIES = {
    name: adversary
    for name, adversary in ATTACKS.items()
    if Trajectories in adversary.accepts and name != "reidentification"  # which is about cells
}

sizes = st.integers(1, 3)
units = st.sampled_from(["trajectory", "owner"])


def expected(release: Release, size: int, unit: str, pieces: Any, fits: Any) -> list[list[int]]:
    whose = release.owners if unit == "owner" else None
    by_path = reference.fewest_candidates(release.paths, release.rows, size, pieces, fits, whose)
    if unit == "trajectory":
        return by_path
    return [
        np.min([fewest for fewest, one in zip(by_path, release.owners, strict=True) if one == owner], axis=0).tolist()
        for owner in sorted(set(release.owners))
    ]


@given(st.one_of(clustered(), overlapping()), sizes, units)
def test_visits_in_order(release: Release, size: int, unit: str) -> None:
    found = LocationSequenceAttack(knowledge=size, unit=unit).run(release.published, release.original)
    assert found.candidates.tolist() == expected(release, size, unit, list, reference.in_order)


@given(clustered(), sizes, units)
def test_visits_without_order(release: Release, size: int, unit: str) -> None:
    found = LocationAttack(knowledge=size, unit=unit).run(release.published, release.original)
    assert found.candidates.tolist() == expected(release, size, unit, sorted, reference.in_any_order)


@given(clustered(), sizes, units)
def test_different_locations(release: Release, size: int, unit: str) -> None:
    found = UniqueLocationAttack(knowledge=size, unit=unit).run(release.published, release.original)
    distinct = lambda path: sorted(set(path))  # noqa: E731
    assert found.candidates.tolist() == expected(release, size, unit, distinct, reference.in_any_order)


@given(clustered(), sizes, units)
def test_numbers_of_visits(release: Release, size: int, unit: str) -> None:
    found = LocationFrequencyAttack(knowledge=size, unit=unit).run(release.published, release.original)
    numbers = lambda path: sorted(Counter(path).items())  # noqa: E731
    assert found.candidates.tolist() == expected(release, size, unit, numbers, reference.with_these_numbers)


@given(clustered())
def test_home_and_work(release: Release) -> None:
    found = HomeWorkAttack(unit="trajectory").run(release.published, release.original)
    assert found.candidates.ravel().tolist() == reference.home_work_candidates(release.paths, release.rows, list(TABLE))


@given(st.one_of(clustered(), overlapping()), st.lists(st.sampled_from("abcdex"), max_size=3))
def test_rows_that_fit_one_piece_of_knowledge(release: Release, known: list[str]) -> None:
    rows = [[tuple(symbol) for symbol in row] for row in release.rows]
    fitting = containment_matching.compatible_rows(known, rows)
    assert compatible_rows(release.published, known).tolist() == fitting
    holding = [row for row in fitting if any("a" in symbol for symbol in rows[row])]
    assert confidence(release.published, known, "a") == (len(holding) / len(fitting) if fitting else 0)


@pytest.mark.parametrize("name", ON_TRAJECTORIES)
@given(release=clustered(), seed=st.integers(0, 5))
def test_no_attack_depends_on_the_order_of_the_rows(name: str, release: Release, seed: int) -> None:
    original = replace(release.original, times=VisitTimes(np.zeros(release.original.visits, np.int64)))
    shuffled = release.published.take(np.random.default_rng(seed).permutation(len(release.rows)))
    one, other = (ATTACKS[name]().run(published, original) for published in (release.published, shuffled))
    assert one.to_dict() == other.to_dict()


@given(datasets(owners=None), st.integers(1, 4), st.integers(1, 3), st.sampled_from(["error", "truncate"]))
def test_nobody_is_found_more_surely_than_promised(data: Dataset, k: int, m: int, on_infeasible: str) -> None:
    unit = "trajectory" if data.owners is None else "owner"
    original = data.trajectories()
    try:
        release = crypsis.anonymize(original, SeqAnon(k=k, m=m, unit=unit, on_infeasible=on_infeasible))
    except Infeasible:
        return
    for adversary in (
        ContainmentAttack(knowledge=m, beyond=2, unit=unit),
        LocationSequenceAttack(knowledge=m, unit=unit),
        LocationAttack(knowledge=m, unit=unit),
        UniqueLocationAttack(knowledge=m, unit=unit),
    ):
        found = attack(release.data, original, adversary)
        assert found.outcome.max_risk <= 1 / k
        assert found.share_above(1 / k) == 0
        risks = [point.max_risk for point in found.curve]
        assert risks == sorted(risks)


def test_beyond_the_promise_protection_fades() -> None:
    # Every pair occurs twice, every triple but one is unique.
    original = Trajectories.from_lists([["a", "b", "c"], ["a", "b"], ["a", "c"], ["b", "c"]])
    published = PublishedTrajectories.from_lists(original.to_lists())
    curve = ContainmentAttack(knowledge=2, beyond=1).run(published, original).curve
    assert [point.fewest_candidates for point in curve] == [3, 2, 1]
    assert [point.share_unique for point in curve] == [0, 0, 0.25]


def test_sensitive_locations_are_not_known_to_the_containment_adversary() -> None:
    table = [{"location": label, "x": 0, "y": 0, "sensitive": label == "f"} for label in "abf"]
    original = Trajectories.from_lists([["a", "f"], ["a", "b"]], table)
    published = PublishedTrajectories.from_lists(original.to_lists())
    containment = ContainmentAttack(knowledge=1, beyond=0).run(published, original)
    assert containment.candidates.ravel().tolist() == [2, 1]
    everything = LocationSequenceAttack(knowledge=1).run(published, original)
    assert everything.candidates.ravel().tolist() == [1, 1]


def test_the_matches_that_scikit_mobility_tests() -> None:
    # Six people between four towns; what its tests expect of one person's knowledge, as numbers of matching people.
    published = PublishedTrajectories.from_lists([list(path) for path in ("ABCD", "ACAB", "BCAD", "CBD", "CDA", "AB")])
    known = Trajectories.from_lists([["A", "B"], ["A", "D"]])
    assert LocationAttack(knowledge=2).run(published, known).candidates[:, 1].tolist() == [4, 3]
    assert LocationSequenceAttack(knowledge=2).run(published, known).candidates[:, 1].tolist() == [3, 2]
    twice = Trajectories.from_lists([["A", "A", "C"]])
    assert LocationFrequencyAttack(knowledge=2).run(published, twice).candidates[:, 1].tolist() == [1]


def test_results_tell_aggregates_only() -> None:
    original = Trajectories.from_lists([["a", "b"], ["a"], ["a"]])
    published = PublishedTrajectories.from_lists(original.to_lists())
    found = LocationAttack(knowledge=1).run(published, original)
    assert found.risks.tolist() == pytest.approx([1, 1 / 3, 1 / 3])
    told = found.to_dict()
    assert told["individuals"] == 3
    assert told["share_unique"] == pytest.approx(1 / 3)
    assert told["mean_risk"] == pytest.approx((1 + 2 / 3) / 3)
    assert told["curve"] == [
        {
            "knowledge": 1,
            "mean_risk": told["mean_risk"],
            "max_risk": 1.0,
            "share_unique": told["share_unique"],
            "fewest_candidates": 1,
        }
    ]
    assert "candidates" not in repr(found)
    with pytest.raises(ValueError, match="read-only"):
        found.candidates[0, 0] = 9


def test_nothing_published_finds_nobody() -> None:
    original, nobody = (
        replace(data, times=VisitTimes(np.zeros(data.visits, np.int64)))
        for data in (Trajectories.from_lists([["a", "b"], []]), Trajectories.from_lists([]))
    )
    nothing = PublishedTrajectories.from_lists([])
    for adversary in ON_TRAJECTORIES.values():
        assert adversary().run(nothing, original).outcome.max_risk == 0
        empty = adversary().run(nothing, nobody)
        assert empty.to_dict()["individuals"] == 0


def test_labels_decide_not_codes() -> None:
    original = Trajectories.from_lists([["a", "c"], ["b"]], {"c": (0, 0), "b": (0, 0), "a": (0, 0)})
    published = PublishedTrajectories.from_lists([["a", "c"], [["a", "b"]]])
    assert LocationSequenceAttack(knowledge=1).run(published, original).candidates.ravel().tolist() == [1, 1]


def test_overlapping_symbols_in_a_row_are_refused_without_order() -> None:
    original = Trajectories.from_lists([["a", "b"]])
    published = PublishedTrajectories.from_lists([[["a", "b"], ["b", "c"]]])
    with pytest.raises(NotApplicable, match="location-sequence"):
        LocationAttack().run(published, original)


def test_owners_of_rows_that_are_no_recoding_of_the_original_are_not_guessed() -> None:
    original = Trajectories.from_lists([["a"]], owners=["x"])
    with pytest.raises(OriginalRequired):
        LocationAttack(unit="owner").run(PublishedTrajectories.from_lists([["b"]]), original)
    found = LocationAttack(unit="owner").run(PublishedTrajectories.from_lists([["a"]]), original)
    assert found.individuals == 1


def test_other_kinds_of_data_are_refused() -> None:
    with pytest.raises(NotApplicable, match="knows pieces of Trajectories, Tracks, got list"):
        LocationAttack().run(PublishedTrajectories.from_lists([["a"]]), [["a"]])
    with pytest.raises(NotApplicable, match="published trajectories"):
        LocationAttack().run([["a"]], Trajectories.from_lists([["a"]]))


def test_parameters_are_checked() -> None:
    with pytest.raises(BadParameter, match="LocationAttack: knowledge must be an int of at least 1, got 0"):
        LocationAttack(knowledge=0)
    with pytest.raises(BadParameter, match="unit"):
        LocationAttack(unit="person")


def test_the_table_of_attacks_describes_each() -> None:
    for name, adversary in ATTACKS.items():
        assert issubclass(adversary, Attack)
        described = adversary.describe()
        assert described["name"] == name
        assert described["help"].endswith(".")
        assert described["accepts"] in (
            ["Trajectories", "Tracks"],
            ["Trajectories"],
            ["Transactions"],
            ["Table", "Mixed"],
        )
        assert attack_named(name) is adversary
    with pytest.raises(BadParameter, match="There is no attack 'locaton'.*Did you mean 'location'"):
        attack_named("locaton")
