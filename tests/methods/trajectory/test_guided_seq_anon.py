"""SDSeqAnon and USeqAnon against their slow references, and what they promise beyond k^m-anonymity."""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crypsis
from crypsis.data.constraints import AutomaticConstraints, UtilityConstraints
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import (
    BadConstraints,
    BadCoordinate,
    BadParameter,
    BadTaxonomy,
    Infeasible,
    OwnerRepeated,
    TooFewTrajectories,
    UnknownLocation,
    UtilityConstraintsUnsatisfied,
)
from crypsis.hierarchy import AutomaticTaxonomy, Taxonomy
from crypsis.methods import Method, SDSeqAnon, SeqAnon, USeqAnon
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.kernels.interpretation import WAYS
from tests.reference import guided_seq_anon as reference
from tests.reference import km_anonymity
from tests.reference.seq_anon import Infeasible as ReferenceInfeasible
from tests.reference.subsequences import support
from tests.strategies import Dataset, constraints, datasets, taxonomies

ks, ms = st.sampled_from([2, 3, 4, 5, 1]), st.sampled_from([2, 3, 1, 4, 0])
deltas = st.sampled_from([100.0, 0.0, 50.0, 25.0, 100 / 3])


def unit_of(dataset: Dataset) -> str | None:
    return None if dataset.owners is None else "owner"


def run(method: Method, dataset: Dataset) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    return method.anonymize(dataset.trajectories(), context), context.private


def symbols_in(published: PublishedTrajectories) -> list[list[tuple[str, ...]]]:
    return [[published.symbols.label_lists[code] for code in path] for path in published.paths()]


def labels_in(dataset: Dataset, rows: Any) -> list[list[tuple[str, ...]]]:
    return [[tuple(dataset.of_code(symbol)) for symbol in row] for row in rows]


@st.composite
def with_taxonomy(draw: st.DrawFn, **sizes: Any) -> tuple[Dataset, Taxonomy]:
    dataset = draw(datasets(owners=None, **sizes))
    return dataset, draw(taxonomies(dataset.labels))


@st.composite
def with_constraints(draw: st.DrawFn, **sizes: Any) -> tuple[Dataset, UtilityConstraints]:
    dataset = draw(datasets(owners=None, **sizes))
    return dataset, draw(constraints(dataset.labels))


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@given(with_taxonomy(), ks, ms, st.sampled_from(["error", "truncate"]))
def test_a_taxonomy_guides_merges_as_in_the_reference(
    way: str, given_both: tuple[Dataset, Taxonomy], k: int, m: int, on_infeasible: str
) -> None:
    dataset, taxonomy = given_both
    method = SDSeqAnon(k=k, m=m, taxonomy=taxonomy, on_infeasible=on_infeasible, unit=unit_of(dataset))
    with WAYS[way]():
        try:
            expected = reference.sd_seq_anon(
                dataset.paths,
                dataset.points,
                dataset.labels,
                dict(taxonomy.to_pairs()),
                k,
                m,
                individuals=dataset.owners,
                truncate=on_infeasible == "truncate",
            )
        except ReferenceInfeasible as infeasible:
            with pytest.raises(Infeasible) as raised:
                run(method, dataset)
            assert raised.value.code == ("too-few-trajectories" if infeasible.size == 1 else "infeasible-length")
            return
        published, private = run(method, dataset)
    assert private["merges"].to_lists() == [dataset.of_code(symbol) for symbol in expected.merges]
    assert symbols_in(published) == labels_in(dataset, expected.rows)
    assert published.longest == expected.longest


@pytest.mark.parametrize("way", WAYS)
@given(with_constraints(max_locations=9, max_rows=14), ks, ms, deltas)
def test_constraints_are_kept_as_in_the_reference(
    way: str, given_both: tuple[Dataset, UtilityConstraints], k: int, m: int, delta: float
) -> None:
    dataset, useful = given_both
    method = USeqAnon(k=k, m=m, constraints=useful, delta=delta, unit=unit_of(dataset))
    groups = [frozenset(map(dataset.labels.index, group)) for group in useful.groups]
    with WAYS[way]():
        try:
            expected = reference.u_seq_anon(
                dataset.paths, dataset.points, groups, k, m, delta, individuals=dataset.owners
            )
        except ReferenceInfeasible:
            with pytest.raises(TooFewTrajectories):
                run(method, dataset)
            return
        except reference.Unsatisfied as unsatisfied:
            with pytest.raises(UtilityConstraintsUnsatisfied) as raised:
                run(method, dataset)
            hidden = sorted(label for symbol in unsatisfied.suppressed for label in dataset.of_code(symbol))
            assert raised.value.details["suppressed"] == hidden
            assert raised.value.details["percent"] == pytest.approx(unsatisfied.percent)
            return
        published, private = run(method, dataset)
    assert private["merges"].to_lists() == [dataset.of_code(symbol) for symbol in expected.merges]
    assert private["suppressed"] == [dataset.of_code(symbol) for symbol in expected.suppressed]
    assert private["suppressed_percent"] == pytest.approx(expected.percent)
    assert symbols_in(published) == labels_in(dataset, expected.rows)


@given(with_taxonomy(), ks, ms)
def test_guided_by_meaning_the_release_is_km_anonymous(given_both: tuple[Dataset, Taxonomy], k: int, m: int) -> None:
    dataset, taxonomy = given_both
    method = SDSeqAnon(k=k, m=m, taxonomy=taxonomy, on_infeasible="truncate", unit=unit_of(dataset))
    try:
        published, _ = run(method, dataset)
    except TooFewTrajectories:
        assume(False)
        raise
    assert verify(published, method.guarantee, original=dataset.trajectories()).holds
    assert km_anonymity.check(symbols_in(published), k, m, dataset.owners).holds


@given(with_constraints(max_locations=9), ks, ms, deltas)
def test_constrained_releases_keep_every_part_of_their_promise(
    given_both: tuple[Dataset, UtilityConstraints], k: int, m: int, delta: float
) -> None:
    dataset, useful = given_both
    method = USeqAnon(k=k, m=m, constraints=useful, delta=delta, unit=unit_of(dataset))
    data = dataset.trajectories()
    try:
        published, private = run(method, dataset)
    except (TooFewTrajectories, UtilityConstraintsUnsatisfied):
        assume(False)
        raise
    for promised in (method.guarantee, method.guarantee_of(data, published)):
        assert verify(published, promised).holds
        assert verify(published, promised, original=data).holds
    assert km_anonymity.check(symbols_in(published), k, m, dataset.owners).holds
    for symbol in published.symbols.label_lists:
        assert any(set(symbol) <= set(group) for group in useful.groups)
    visited = {label for row in dataset.rows for label in row}
    named = {label for symbol in published.symbols.label_lists for label in symbol}
    assert named | set(published.suppressed) == visited
    assert named.isdisjoint(published.suppressed)
    assert 100 * len(published.suppressed) <= delta * len(visited) + 1e-6
    assert len(published) == len(dataset.paths)
    missing = Counter(row for row, _ in private["suppressed_occurrences"])
    for number, (before, after) in enumerate(zip(dataset.rows, published.paths(), strict=True)):
        assert len(after) + missing[number] == len(before)
    for row, position in private["suppressed_occurrences"]:
        assert dataset.rows[row][position] in published.suppressed


@given(with_constraints(max_locations=9), ks, ms)
def test_t2_holds_for_what_is_left_after_suppression(
    given_both: tuple[Dataset, UtilityConstraints], k: int, m: int
) -> None:
    dataset, useful = given_both
    who = list(range(len(dataset.paths))) if dataset.owners is None else dataset.owners
    try:
        published, _ = run(USeqAnon(k=k, m=m, constraints=useful, delta=100, unit=unit_of(dataset)), dataset)
    except TooFewTrajectories:
        assume(False)
        raise
    after = symbols_in(published)
    image = {label: symbol for symbol in published.symbols.label_lists for label in symbol}
    sharers: dict[tuple[tuple[str, ...], ...], set[int]] = {}
    for row, individual in zip(dataset.rows, who, strict=True):
        left = [label for label in row if label in image]
        for size in range(1, m + 1):
            for known in combinations(left, size):
                sharers.setdefault(tuple(image[label] for label in known), set()).add(individual)
    for merged, people in sharers.items():
        assert support(after, merged, who) == len(people) >= k


@given(datasets(owners=None), ks, st.integers(1, 3))
def test_one_constraint_for_all_is_seq_anon(dataset: Dataset, k: int, m: int) -> None:
    unit = unit_of(dataset)
    try:
        expected = SeqAnon(k=k, m=m, unit=unit).anonymize(dataset.trajectories(), RunContext())
    except Infeasible:
        assume(False)
        raise
    everywhere = UtilityConstraints([dataset.labels])
    published, _ = run(USeqAnon(k=k, m=m, constraints=everywhere, delta=0, unit=unit), dataset)
    assert published == expected
    flat = Taxonomy([(label, "everything") for label in dataset.labels])
    sd, _ = run(SDSeqAnon(k=k, m=m, taxonomy=flat, unit=unit), dataset)
    assert sd == expected


@given(with_constraints(), with_taxonomy(), ks, ms, st.data())
def test_the_order_of_the_rows_does_not_matter(
    constrained: tuple[Dataset, UtilityConstraints],
    meant: tuple[Dataset, Taxonomy],
    k: int,
    m: int,
    data: st.DataObject,
) -> None:
    for dataset, method in (
        (constrained[0], USeqAnon(k=k, m=m, constraints=constrained[1], delta=100)),
        (meant[0], SDSeqAnon(k=k, m=m, taxonomy=meant[1], on_infeasible="truncate")),
    ):
        method = dataclasses.replace(method, unit=unit_of(dataset))
        order = data.draw(st.permutations(range(len(dataset.paths))))
        owners = None if dataset.owners is None else [dataset.owners[row] for row in order]
        shuffled = dataclasses.replace(dataset, paths=[dataset.paths[row] for row in order], owners=owners)
        try:
            published, private = run(method, dataset)
        except TooFewTrajectories:
            with pytest.raises(TooFewTrajectories):
                run(method, shuffled)
            continue
        again, private_again = run(method, shuffled)
        rows = published.to_lists()
        assert again.to_lists() == [rows[row] for row in order]
        assert private_again["merges"].to_lists() == private["merges"].to_lists()


POINTS = {"a": (0, 0), "b": (1, 0), "x": (5, 0)}
ROWS = [["a", "b"], ["a", "b"], ["b", "a"], ["x", "a"], ["x"]]


def test_a_trajectory_that_loses_every_visit_stays_as_an_empty_one() -> None:
    data = Trajectories.from_lists(ROWS, locations=POINTS)
    method = USeqAnon(k=3, m=1, constraints=UtilityConstraints([["a", "b"], ["x"]]), delta=40)
    context = RunContext()
    published = method.anonymize(data, context)
    assert published.to_lists() == [["a", "b"], ["a", "b"], ["b", "a"], ["a"], []]
    assert published.suppressed == ("x",)
    assert context.private["accounting"] == {"input": 5, "published": 4, "published_as_empty": 1, "lost": 0}
    assert context.private["suppressed_occurrences"] == [(3, 0), (4, 0)]


def test_a_generalized_symbol_without_a_partner_costs_all_its_locations() -> None:
    rows = [["a"], ["b"], ["x"], ["x"], ["x"]]
    data = Trajectories.from_lists(rows, locations=POINTS)
    useful = UtilityConstraints([["a", "b"], ["x"]])
    with pytest.raises(UtilityConstraintsUnsatisfied) as raised:
        USeqAnon(k=3, m=1, constraints=useful, delta=50).anonymize(data, RunContext())
    assert raised.value.details == {"suppressed": ["a", "b"], "percent": pytest.approx(200 / 3)}
    assert raised.value.exit_code == 3
    assert "2 of 3 locations (66.67 %)" in str(raised.value)
    published = USeqAnon(k=3, m=1, constraints=useful, delta=67).anonymize(data, RunContext())
    assert published.to_lists() == [[], [], ["x"], ["x"], ["x"]]


def test_a_length_that_merging_cannot_protect_is_suppressed_away() -> None:
    data = Trajectories.from_lists([["a", "b"], ["a"], ["b"], ["a"], ["b"]], locations=POINTS)
    with pytest.raises(Infeasible):
        SeqAnon(k=2, m=2).anonymize(data, RunContext())
    useful = UtilityConstraints([["a"], ["b"]])
    published = USeqAnon(k=2, m=2, constraints=useful, delta=50).anonymize(data, RunContext())
    assert published.suppressed == ("a",)  # as rare as b, and first in the table
    assert published.to_lists() == [["b"], [], ["b"], [], ["b"]]


def test_what_is_checked_first() -> None:
    repeated = Trajectories.from_lists([["a"], ["b"]], locations=POINTS, owners=["u", "u"])
    wrong = UtilityConstraints([["a", "q"]])
    with pytest.raises(UnknownLocation, match="'q'"):
        USeqAnon(k=9, constraints=wrong).anonymize(repeated, RunContext())
    with pytest.raises(BadConstraints, match="'b' is visited but lies in no constraint"):
        USeqAnon(k=9, constraints=UtilityConstraints([["a"]])).anonymize(repeated, RunContext())
    with pytest.raises(OwnerRepeated):
        USeqAnon(k=9, constraints=UtilityConstraints([["a", "b"]])).anonymize(repeated, RunContext())
    with pytest.raises(TooFewTrajectories):
        USeqAnon(k=9, unit="trajectory").anonymize(repeated, RunContext())
    with pytest.raises(BadTaxonomy, match="'b'"):
        SDSeqAnon(k=9, taxonomy=Taxonomy([("a", "r")])).anonymize(repeated, RunContext())
    with pytest.raises(OwnerRepeated):
        SDSeqAnon(k=9).anonymize(repeated, RunContext())
    with pytest.raises(BadCoordinate, match="needs coordinates"):
        SDSeqAnon(k=2).anonymize(Trajectories.from_lists([["a"], ["a"]]), RunContext())


def test_a_side_input_of_another_kind_is_refused_by_name() -> None:
    with pytest.raises(BadParameter, match=r"SDSeqAnon: taxonomy must be a taxonomy .*, got 'taxonomy.csv'"):
        SDSeqAnon(taxonomy="taxonomy.csv")
    with pytest.raises(BadParameter, match="SDSeqAnon: taxonomy must be a taxonomy"):
        SDSeqAnon(taxonomy=AutomaticConstraints())
    with pytest.raises(BadParameter, match="USeqAnon: constraints must be utility constraints"):
        USeqAnon(constraints=AutomaticTaxonomy())


def test_a_release_says_how_it_was_guided_and_not_what_was_suppressed() -> None:
    points = {**POINTS, "never": (9, 9)}
    data = Trajectories.from_lists(ROWS, locations=points)
    useful = UtilityConstraints([["a", "b", "never"], ["x"]])
    release = crypsis.anonymize(data, USeqAnon(k=3, m=1, constraints=useful, delta=40))
    manifest = release.describe()
    assert manifest["method"]["parameters"]["constraints"] == "2 constraints on 4 locations"
    assert manifest["guarantee"]["parameters"]["constraints"] == [["a", "b", "never"], ["x"]]  # given, so whole
    assert release.data.suppressed == ("x",)
    assert release.verify().figures["suppressed_percent"] == pytest.approx(100 / 3)
    assert "suppressed" not in str(manifest["data"]) + str(manifest["verdict"])
    automatic = crypsis.anonymize(data, USeqAnon(k=3, m=1, constraints=AutomaticConstraints(2), delta=60)).describe()
    assert automatic["guarantee"]["parameters"]["constraints"] == {"recipe": "auto:2"}
    assert "never" not in str(automatic)
    assert "'x'" not in str(automatic)
    guided = crypsis.anonymize(data, SDSeqAnon(k=2, m=1))
    words = guided.describe()["method"]["parameters"]["taxonomy"]
    assert words == "auto:5"


def test_a_written_release_can_be_verified_from_its_folder_alone(tmp_path: Any) -> None:
    data = Trajectories.from_lists(ROWS, locations=POINTS)
    useful = UtilityConstraints([["a", "b"], ["x"]])
    crypsis.anonymize(data, USeqAnon(k=3, m=1, constraints=useful, delta=40)).write(tmp_path / "release")
    again = crypsis.read_release(tmp_path / "release")
    assert again.guarantee.constraints == useful
    assert again.verify().holds
    assert again.verify(data).holds
    assert again.data.suppressed is None
