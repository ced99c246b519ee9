"""Somebody tampers with a constrained release: the verifier notices merges across constraints and hidden losses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadRelease, Infeasible, NotApplicable
from crypsis.guarantees import ConstrainedKmAnonymity, KmAnonymity, guarantee_from_dict, guarantee_named
from crypsis.methods import USeqAnon
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.strategies import Dataset, constraints, datasets

POINTS = {"a": (0, 0), "b": (1, 0), "x": (5, 0), "y": (6, 0)}
USEFUL = UtilityConstraints([["a", "b"], ["x", "y"]])


def promise(delta: float = 0.0, k: int = 2, m: int = 1) -> ConstrainedKmAnonymity:
    return ConstrainedKmAnonymity(k=k, m=m, constraints=USEFUL, delta=delta)


def test_a_symbol_across_two_constraints_is_the_witness() -> None:
    rows = [[["a", "b"]], [["a", "b"]], [["b", "x"], "y"], [["b", "x"], "y"]]
    verdict = verify(PublishedTrajectories.from_lists(rows), promise())
    assert not verdict.holds
    assert verdict.witness is not None
    assert verdict.witness.to_dict() == {"size": 1, "support": 2, "witness": [["b", "x"]], "violations": 1}
    assert "{b, x} lies in no single constraint" in str(verdict)


def test_a_symbol_with_a_location_of_no_constraint_is_noticed() -> None:
    verdict = verify(PublishedTrajectories.from_lists([[["a", "q"]], [["a", "q"]]]), promise())
    assert not verdict.holds
    assert verify(PublishedTrajectories.from_lists([["q"], ["q"]]), promise()).holds  # intact: nothing was merged


def test_too_many_suppressed_locations_are_noticed_and_counted() -> None:
    published = PublishedTrajectories.from_lists([["a"], ["a"], []], suppressed=["x"])
    assert verify(published, promise(delta=50)).holds
    verdict = verify(published, promise(delta=49))
    assert not verdict.holds
    assert "1 of 2 locations (50 %) are suppressed, 49 % are allowed" in str(verdict)
    assert verdict.figures["suppressed_percent"] == 50
    original = Trajectories.from_lists([["a"], ["a"], ["x"]], locations=POINTS)
    assert verify(published, promise(delta=50), original=original).holds
    assert not verify(published, promise(delta=49), original=original).holds


def test_a_visit_that_vanished_without_being_declared_is_noticed_with_the_original() -> None:
    original = Trajectories.from_lists([["a"], ["a"], ["x"]], locations=POINTS)
    silent = PublishedTrajectories.from_lists([["a"], ["a"], []])
    assert verify(silent, promise(delta=100)).holds
    verdict = verify(silent, promise(delta=100), original=original)
    assert not verdict.holds
    assert "'x' was visited but lies in no published symbol" in str(verdict)
    assert verify(replace(silent, suppressed=("x",)), promise(delta=100), original=original).holds


def test_a_location_cannot_be_both_suppressed_and_published_or_never_have_been() -> None:
    original = Trajectories.from_lists([["a"], ["a"]], locations=POINTS)
    both = PublishedTrajectories.from_lists([["a"], ["a"]], suppressed=["a"])
    for verdict in (verify(both, promise(delta=100)), verify(both, promise(delta=100), original=original)):
        assert not verdict.holds
        assert "'a' is declared suppressed but lies in a published symbol" in str(verdict)
    invented = PublishedTrajectories.from_lists([["a"], ["a"]], suppressed=["y"])
    verdict = verify(invented, promise(delta=100), original=original)
    assert not verdict.holds
    assert "'y' is declared suppressed but was never visited" in str(verdict)


def test_only_some_visits_of_a_suppressed_location_may_not_stay() -> None:
    original = Trajectories.from_lists([["a", "x"], ["a", "x"], ["x"]], locations=POINTS)
    half = PublishedTrajectories.from_lists([["a", "x"], ["a", "x"], []], suppressed=["x"])
    assert not verify(half, promise(delta=100), original=original).holds


def test_plain_km_anonymity_accounts_for_declared_suppressions_too() -> None:
    original = Trajectories.from_lists([["a", "x"], ["a"]], locations=POINTS)
    published = PublishedTrajectories.from_lists([["a"], ["a"]], suppressed=["x"])
    assert verify(published, KmAnonymity(k=2, m=2), original=original).holds
    undeclared = replace(published, suppressed=())
    assert not verify(undeclared, KmAnonymity(k=2, m=2), original=original).holds


@given(datasets(max_locations=8), st.data(), st.integers(2, 3), st.integers(1, 2))
def test_merging_across_a_constraint_is_always_noticed(dataset: Dataset, data: st.DataObject, k: int, m: int) -> None:
    useful = data.draw(constraints(dataset.labels))
    method = USeqAnon(k=k, m=m, constraints=useful, delta=100)
    try:
        published = method.anonymize(dataset.trajectories(), RunContext())
    except Infeasible:
        assume(False)
        raise
    group_of = {label: number for number, group in enumerate(useful.groups) for label in group}
    names = list(published.symbols.label_lists)
    assume(len({group_of[name[0]] for name in names}) > 1)
    one = data.draw(st.sampled_from(names))
    other = data.draw(st.sampled_from([name for name in names if group_of[name[0]] != group_of[one[0]]]))
    joined = sorted(one + other)
    rows = [[joined if names[code] in (one, other) else list(names[code]) for code in row] for row in published.paths()]
    coarser = PublishedTrajectories.from_lists(rows, suppressed=published.suppressed)
    assert verify(coarser, KmAnonymity(k=k, m=m), original=dataset.trajectories()).holds  # more private, less useful
    for verdict in (
        verify(coarser, method.guarantee),
        verify(coarser, method.guarantee, original=dataset.trajectories()),
    ):
        assert not verdict.holds
        assert verdict.witness is not None
        assert list(verdict.witness.symbols[0]) == joined


def test_a_recipe_cannot_be_checked() -> None:
    promised = ConstrainedKmAnonymity(k=2, m=1, constraints=AutomaticConstraints(5))
    with pytest.raises(NotApplicable, match="recipe"):
        verify(PublishedTrajectories.from_lists([["a"], ["a"]]), promised)


def test_a_manifest_gives_the_whole_promise_back() -> None:
    described = promise(delta=12.5).to_dict()
    assert described["parameters"]["constraints"] == [["a", "b"], ["x", "y"]]
    assert guarantee_from_dict(described) == promise(delta=12.5)
    described["parameters"]["constraints"] = [["a"], ["a"]]
    with pytest.raises(BadRelease, match="'a' is listed in two constraints"):
        guarantee_from_dict(described)
    described["parameters"]["constraints"] = "all"
    with pytest.raises(BadRelease):
        guarantee_from_dict(described)
    assert guarantee_named("constrained-km-anonymity") is ConstrainedKmAnonymity
