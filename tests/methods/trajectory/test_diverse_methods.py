"""LmAnon, ZGA and SGA against their slow reference, and the theorems about sensitive locations and clusters."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from benchmarks import workloads
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import (
    BadCoordinate,
    BadParameter,
    Cancelled,
    Infeasible,
    InfeasibleDiversity,
    InfeasibleLength,
    NotApplicable,
    OwnerRepeated,
    TooFewTrajectories,
    TooLarge,
    TooManyClusters,
    UnknownLocation,
)
from crypsis.guarantees import KlmAnonymity
from crypsis.methods import SGA, ZGA, LmAnon, Method, method_named
from crypsis.methods.trajectory import merging
from crypsis.methods.trajectory.clustering import keys_in_gray_order
from crypsis.methods.trajectory.frequent_subtrajectories import frequent_subtrajectories
from crypsis.methods.trajectory.z_order import z_order, z_values
from crypsis.run_context import Progress, RunContext
from crypsis.verifiers import verify
from tests.reference import klm_anonymity
from tests.reference import lm_anon as reference
from tests.strategies import Dataset, datasets

ks, ls, ms = st.integers(1, 4), st.integers(1, 4), st.integers(0, 3)
policies = st.sampled_from(["error", "suppress"])
Case = tuple[Dataset, set[int]]


@st.composite
def cases(draw: st.DrawFn, **limits: Any) -> Case:
    """Data on whole coordinates, and some of their locations sensitive."""
    dataset = draw(datasets(owners=None, **limits))
    whole = [(float(abs(round(10 * x))), float(abs(round(10 * y)))) for x, y in dataset.points]
    sensitive = draw(st.sets(st.integers(0, len(whole) - 1), max_size=3))
    return dataclasses.replace(dataset, points=whole), sensitive


def data_of(case: Case) -> Trajectories:
    dataset, sensitive = case
    locations = Locations.of(dict(zip(dataset.labels, dataset.points, strict=True)))
    marked = locations.marked(dataset.labels[code] for code in sensitive)
    return Trajectories.from_lists(dataset.rows, locations=marked, owners=dataset.owners)


def unit_of(case: Case) -> str | None:
    return None if case[0].owners is None else "owner"


def run(method: type[Method], case: Case, **parameters: Any) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    published = method(unit=unit_of(case), **parameters).anonymize(data_of(case), context)
    return published, context.private


def symbols_in(published: PublishedTrajectories) -> list[list[tuple[str, ...]]]:
    names = published.symbols.label_lists
    return [[names[symbol] for symbol in row] for row in published.paths()]


def in_labels(dataset: Dataset, rows: list[tuple[frozenset[int], ...]]) -> list[list[tuple[str, ...]]]:
    return [[tuple(dataset.of_code(symbol)) for symbol in row] for row in rows]


def people_of(case: Case) -> list[int]:
    return list(range(len(case[0].paths))) if case[0].owners is None else case[0].owners


def enough(case: Case, k: int, m: int) -> bool:
    moved = {who for path, who in zip(case[0].paths, people_of(case), strict=True) if path}
    return k < 2 or m < 1 or len(moved) >= k


def assert_lm_anon_as_in_the_reference(case: Case, k: int, l: int, m: int, on_infeasible: str) -> None:  # noqa: E741
    dataset, sensitive = case
    parameters = {"k": k, "l": l, "m": m, "on_infeasible": on_infeasible}
    try:
        expected = reference.lm_anon(
            dataset.paths,
            dataset.points,
            sensitive,
            k,
            l,
            m,
            labels=dataset.labels,
            individuals=dataset.owners,
            suppress=on_infeasible == "suppress",
        )
    except reference.Failed as failure:
        event(failure.code)
        with pytest.raises(Infeasible) as raised:
            run(LmAnon, case, **parameters)
        assert raised.value.code == (failure.code if enough(case, k, m) else "too-few-trajectories")
        if enough(case, k, m):
            assert raised.value.details["size"] == failure.size
        return
    if not enough(case, k, m):
        with pytest.raises(TooFewTrajectories):
            run(LmAnon, case, **parameters)
        return
    published, private = run(LmAnon, case, **parameters)
    event("merged" if expected.merges else "as it was")
    event("removed" if expected.removed else "nothing removed")
    assert symbols_in(published) == in_labels(dataset, expected.rows)
    assert private["merges"].to_lists() == [[dataset.of_code(symbol) for symbol in expected.merges]]
    assert sorted(tuple(pair) for pair in private["removed_sensitive"]) == sorted(
        (row, dataset.labels[code]) for row, code in expected.removed
    )


@given(cases(), ks, ls, ms, policies)
def test_small_data_are_anonymized_as_in_the_reference(case: Case, k: int, l: int, m: int, policy: str) -> None:  # noqa: E741
    assert_lm_anon_as_in_the_reference(case, k, l, m, policy)


@given(cases(max_locations=12, max_rows=24, max_length=5), st.integers(1, 3), st.integers(2, 3), st.integers(1, 2))
def test_more_locations_are_anonymized_as_in_the_reference(case: Case, k: int, l: int, m: int) -> None:  # noqa: E741
    assert_lm_anon_as_in_the_reference(case, k, l, m, "suppress")


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(merging, "DENSE_ENTRIES", 0), (merging, "MERGES_PER_STEP", 1)],
    ids=["hashed", "in small steps"],
)
@given(case=cases(max_locations=9, max_rows=18), k=st.integers(1, 3), l=st.integers(2, 3), m=st.integers(1, 3))
def test_other_tables_and_steps_come_to_the_same(
    module: Any,
    name: str,
    value: int,
    case: Case,
    k: int,
    l: int,  # noqa: E741
    m: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, value)
        assert_lm_anon_as_in_the_reference(case, k, l, m, "suppress")


def selected_by(method: type[Method], case: Case, patterns: int) -> list[tuple[int, ...]]:
    dataset, sensitive = case
    known = [[code for code in path if code not in sensitive] for path in dataset.paths]
    if method is SGA:
        return [part for part, _ in reference.best_subtrajectories(known, people_of(case), patterns)]
    occurring = {code for path in known for code in path}
    cells = {code: tuple(map(int, dataset.points[code])) for code in occurring}
    return [(code,) for code in sorted(occurring, key=lambda code: (reference.z_value(*cells[code]), code))]


@pytest.mark.parametrize("method", [ZGA, SGA])
@given(
    case=cases(max_rows=16, max_length=5),
    k=st.integers(1, 3),
    l=st.integers(1, 3),
    m=st.integers(0, 2),
    clusters=st.integers(1, 4),
    patterns=st.integers(1, 6),
    policy=policies,
)
def test_clusters_are_made_and_recoded_as_in_the_reference(
    method: type[Method],
    case: Case,
    k: int,
    l: int,  # noqa: E741
    m: int,
    clusters: int,
    patterns: int,
    policy: str,
) -> None:
    dataset, sensitive = case
    parameters: dict[str, Any] = {"k": k, "l": l, "m": m, "clusters": clusters, "on_infeasible": policy}
    if method is SGA:
        parameters["patterns"] = patterns
    people = len(set(people_of(case)))
    if not enough(case, k, m):
        with pytest.raises(TooFewTrajectories):
            run(method, case, **parameters)
        return
    if clusters > people // k:
        with pytest.raises(TooManyClusters):
            run(method, case, **parameters)
        return
    try:
        rows, final, removed = reference.clustered(
            dataset.paths,
            dataset.points,
            sensitive,
            k,
            l,
            m,
            clusters,
            selected_by(method, case, patterns),
            labels=dataset.labels,
            individuals=dataset.owners,
            suppress=policy == "suppress",
        )
    except reference.Failed as failure:
        event(failure.code)
        with pytest.raises(Infeasible) as raised:
            run(method, case, **parameters)
        assert raised.value.code == failure.code
        return
    published, private = run(method, case, **parameters)
    event(f"{len(final)} of {clusters} clusters")
    assert private["clusters"] == final
    assert symbols_in(published) == in_labels(dataset, rows)
    assert {tuple(pair) for pair in private["removed_sensitive"]} == {
        (row, dataset.labels[code]) for row, code in removed
    }


@pytest.mark.long
@pytest.mark.parametrize("method", [LmAnon, ZGA, SGA])
@given(case=cases(max_rows=16), k=ks, l=ls, m=ms, policy=policies, clusters=st.integers(1, 4))
def test_t5_the_union_of_clusters_is_safe_by_symbols_and_by_original_locations(
    method: type[Method],
    case: Case,
    k: int,
    l: int,  # noqa: E741
    m: int,
    policy: str,
    clusters: int,
) -> None:
    parameters: dict[str, Any] = {"k": k, "l": l, "m": m, "on_infeasible": policy}
    if method is not LmAnon:
        parameters["clusters"] = clusters
    try:
        published, private = run(method, case, **parameters)
    except (Infeasible, TooManyClusters):
        assume(False)
        raise
    dataset, sensitive = case
    labels = {dataset.labels[code] for code in sensitive}
    rows = symbols_in(published)
    people = people_of(case)
    assert klm_anonymity.check(rows, labels, k, l, m, people) is None  # (a)
    assert klm_anonymity.containment(dataset.rows, rows, labels, k, l, m, people) is None  # (b)
    assert not klm_anonymity.overlaps(rows, people)
    data, guarantee = data_of(case), KlmAnonymity(k=k, l=l, m=m, unit=unit_of(case) or "trajectory")
    for verdict in (verify(published, guarantee), verify(published, guarantee, original=data)):
        assert verdict.holds, verdict
    accounting = private["accounting"]
    assert accounting["published"] + accounting["published_as_empty"] + accounting["lost"] == len(dataset.paths)
    missing = len(private["suppressed_occurrences"])
    assert published.visits + missing == sum(map(len, dataset.paths))
    assert data == data_of(case)


def test_t4_merging_can_raise_a_confidence() -> None:
    before = [[("a",), ("f",)], [("b",), ("f",)], [("a",), ("b",)]]
    merged = [[("f",) if symbol == ("f",) else ("a", "b") for symbol in row] for row in before]
    assert klm_anonymity.check(before, {"f"}, 2, 2, 1) is None
    assert klm_anonymity.check(merged, {"f"}, 2, 2, 1) == klm_anonymity.Violation(1, 3, (("a", "b"),), "f", 2)
    points = {"a": (0, 0), "b": (1, 0), "f": (5, 5)}
    data = Trajectories.from_lists([["a", "f"], ["b", "f"], ["a", "b"]], locations=Locations.of(points).marked(["f"]))
    assert LmAnon(k=2, l=2, m=1).anonymize(data, RunContext()).to_lists() == data.to_lists()


def test_another_partition_may_exist_where_merging_the_nearest_gives_up() -> None:
    points = {"c": (0, 0), "a": (0, 1), "b": (9, 9), "f": (5, 5)}
    data = Trajectories.from_lists([["c", "f"], ["a", "f"], ["c", "b"]], locations=Locations.of(points).marked(["f"]))
    with pytest.raises(InfeasibleDiversity, match="not reached.*Another way to merge may exist") as raised:
        LmAnon(k=2, l=2, m=1).anonymize(data, RunContext())
    assert raised.value.exit_code == 3
    assert raised.value.details["confidence"] == pytest.approx(2 / 3)
    valid = PublishedTrajectories.from_lists([["c", "f"], [["a", "b"], "f"], ["c", ["a", "b"]]], sensitive=["f"])
    assert verify(valid, KlmAnonymity(k=2, l=2, m=1), original=data).holds


def test_an_owner_is_never_split_between_clusters() -> None:
    places = Locations.of({"x": (0, 0), "f": (1, 1)}).marked(["f"])
    rows = [["x", "f"], ["x"], ["x"], ["x", "f"]]
    data = Trajectories.from_lists(rows, locations=places, owners=[1, 2, 1, 2])
    with pytest.raises(InfeasibleDiversity):
        ZGA(k=1, l=2, m=1, clusters=2, unit="owner").anonymize(data, RunContext())
    by_row = ZGA(k=1, l=2, m=1, clusters=2, unit="trajectory").anonymize(data, RunContext())
    assert verify(by_row, KlmAnonymity(k=1, l=2, m=1), original=data).holds
    assert not verify(by_row, KlmAnonymity(k=1, l=2, m=1, unit="owner"), original=data).holds


def test_a_short_length_is_no_matter_of_diversity() -> None:
    places = Locations.of({"a": (0, 0), "b": (1, 0), "f": (2, 2)}).marked(["f"])
    data = Trajectories.from_lists([["a", "b"], ["a"], ["b", "f"]], locations=places)
    for policy in ("error", "suppress"):
        with pytest.raises(InfeasibleLength, match="only 1 trajectory visited 2 or more") as raised:
            LmAnon(k=2, l=2, m=2, on_infeasible=policy).anonymize(data, RunContext())
        assert raised.value.details["size"] == 2
    only_sensitive = Trajectories.from_lists([["f"], ["f"], ["a"]], locations=places)
    with pytest.raises(InfeasibleLength):
        LmAnon(k=2, l=1, m=1).anonymize(only_sensitive, RunContext())


@pytest.mark.parametrize("method", [LmAnon, ZGA, SGA])
def test_bad_input_is_refused_by_its_code(method: type[Method]) -> None:
    places = Locations.of({"a": (0, 0), "b": (1, 0)})
    data = Trajectories.from_lists([["a"], ["b"], ["a"]], locations=places, owners=["u", "u", "v"])
    for name in {"k", "l"} | ({"clusters"} if method is not LmAnon else set()):
        for value in (0, 2.5, True, "3"):
            with pytest.raises(BadParameter, match=name):
                method(**{name: value})
    with pytest.raises(OwnerRepeated):
        method(k=1).anonymize(data, RunContext())
    with pytest.raises(UnknownLocation, match="'nowhere' is listed as sensitive"):
        places.marked(["a", "nowhere"])
    with pytest.raises(TooFewTrajectories):
        method(k=3, unit="owner").anonymize(data, RunContext())
    with pytest.raises(NotApplicable, match="owner"):
        method(k=1, unit="owner").anonymize(Trajectories.from_lists([["a"]], locations=places), RunContext())
    with pytest.raises(BadCoordinate, match="needs coordinates"):
        method(k=1).anonymize(Trajectories.from_lists([["a"]]), RunContext())


def test_clusters_need_k_rows_each() -> None:
    places = Locations.of({"a": (0, 0), "b": (1, 0)})
    data = Trajectories.from_lists([["a"], ["b"], ["a"], [], ["b"]], locations=places)
    assert len(ZGA(k=2, l=1, m=1, clusters=2).anonymize(data, RunContext())) == 5
    for method in (ZGA(k=2, l=1, m=1, clusters=3), SGA(k=2, l=1, m=1, clusters=3)):
        with pytest.raises(TooManyClusters, match="at most 2 clusters") as raised:
            method.anonymize(data, RunContext())
        assert raised.value.exit_code == 2


def test_cells_of_the_z_curve_are_whole_numbers_or_made_with_a_side() -> None:
    rows = [["a"], ["b"], ["a"], ["b"]]
    for points in ({"a": (-1, 0), "b": (0, 1)}, {"a": (0.5, 0), "b": (0, 1)}, {"a": (0, 0), "b": (0, 1e300)}):
        data = Trajectories.from_lists(rows, locations=points)
        with pytest.raises(BadCoordinate, match="whole numbers from 0 on"):
            ZGA(k=1, l=1, m=1, clusters=1).anonymize(data, RunContext())
    data = Trajectories.from_lists(rows, locations={"a": (-1, 0), "b": (0.5, 1)})
    with pytest.raises(BadCoordinate, match="give a larger side"):
        ZGA(k=2, l=1, m=1, clusters=2, cell=1e-300).anonymize(data, RunContext())
    assert len(ZGA(k=2, l=1, m=1, clusters=2, cell=0.5).anonymize(data, RunContext())) == 4


def test_names_on_the_command_line() -> None:
    assert [method.name() for method in (LmAnon, ZGA, SGA)] == ["lm-anon", "zga", "sga"]
    assert method_named("zga") is ZGA


def test_sensitive_locations_that_were_all_removed_are_not_named() -> None:
    places = Locations.of({"a": (0, 0), "f": (1, 1), "g": (2, 2)}).marked(["f", "g"])
    rows = [["a", "f"], ["a"], ["a"], ["f", "a", "f"], ["a", "g", "f"]]
    data = Trajectories.from_lists(rows, locations=places)
    published = LmAnon(k=2, l=5, m=1, on_infeasible="suppress").anonymize(data, RunContext())
    assert published.to_lists() == [["a", "f"], ["a"], ["a"], ["a"], ["a", "g"]]
    assert published.sensitive == ("f", "g")
    nothing_left = LmAnon(k=2, l=6, m=1, on_infeasible="suppress").anonymize(data, RunContext())
    assert nothing_left.to_lists() == [["a"]] * 5
    assert nothing_left.sensitive == ()
    assert "f" not in {label for names in nothing_left.symbols.label_lists for label in names}


@given(st.lists(st.tuples(st.integers(0, 2**62 - 1), st.integers(0, 2**62 - 1)) | st.tuples(*[st.integers(0, 9)] * 2)))
def test_z_values_interleave_the_bits(cells: list[tuple[int, int]]) -> None:
    columns, rows = (np.array([cell[axis] for cell in cells], np.int64) for axis in (0, 1))
    low, high = z_values(columns, rows)
    expected = [reference.z_value(*cell) for cell in cells]
    assert [(above << 64) | below for below, above in zip(low.tolist(), high.tolist(), strict=True)] == expected
    order = z_order(np.arange(len(cells)), columns, rows).tolist()
    assert order == sorted(range(len(cells)), key=lambda code: (expected[code], code))


@given(st.integers(1, 200).flatmap(lambda width: st.lists(st.sets(st.integers(0, width - 1)), max_size=12)))
def test_gray_order_is_the_order_of_gray_ranks(keys: list[set[int]]) -> None:
    pairs = [(number, bit) for number, key in enumerate(keys) for bit in key] * 2  # a bit may be given twice
    owners, bits = (np.array([pair[part] for pair in pairs], np.int64) for part in (0, 1))
    ranks = [reference.gray_rank(sum(1 << bit for bit in key)) for key in keys]
    expected = sorted(range(len(keys)), key=lambda number: (ranks[number], number))
    assert keys_in_gray_order(len(keys), owners, bits).tolist() == expected


@given(datasets(max_length=7, owners=None), st.integers(1, 30), st.none() | st.integers(1, 4))
def test_the_best_subtrajectories_are_those_of_the_definition(
    dataset: Dataset, wanted: int, max_size: int | None
) -> None:
    data = dataset.trajectories()
    people = list(range(len(dataset.paths))) if dataset.owners is None else dataset.owners
    expected = reference.best_subtrajectories(dataset.paths, people, wanted, max_size)
    found = frequent_subtrajectories(data, data.groups("owner"), wanted, max_size)
    assert list(zip(found.to_tuples(), found.support.tolist(), strict=True)) == expected


@pytest.mark.long
def test_long_equal_trajectories_are_refused_and_the_remedy_is_named() -> None:
    path = [f"{number:02}" for number in range(40)]
    data = Trajectories.from_lists([path] * 6, locations={label: (0, number) for number, label in enumerate(path)})
    with pytest.raises(TooLarge, match="max_size"):
        SGA(k=2, l=1, m=1, clusters=1).anonymize(data, RunContext())
    assert SGA(k=2, l=1, m=1, clusters=1, max_size=2).anonymize(data, RunContext()).to_lists() == [path] * 6


@given(cases(), st.integers(1, 4))
def test_trivial_parameters_publish_the_data_as_they_are(case: Case, k: int) -> None:
    for parameters in ({"k": 1, "l": 1, "m": 3}, {"k": k, "l": 3, "m": 0}):
        published, _ = run(LmAnon, case, **parameters)
        assert published.to_lists() == case[0].rows
        assert KlmAnonymity(**parameters).trivial


@given(cases(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.data())
def test_the_order_of_the_rows_does_not_matter_to_lm_anon(
    case: Case,
    k: int,
    l: int,  # noqa: E741
    m: int,
    data: st.DataObject,
) -> None:
    dataset, sensitive = case
    order = data.draw(st.permutations(range(len(dataset.paths))))
    owners = None if dataset.owners is None else [dataset.owners[row] for row in order]
    shuffled = dataclasses.replace(dataset, paths=[dataset.paths[row] for row in order], owners=owners), sensitive
    try:
        published, private = run(LmAnon, case, k=k, l=l, m=m)
    except Infeasible as error:
        with pytest.raises(type(error)):
            run(LmAnon, shuffled, k=k, l=l, m=m)
        return
    again, private_again = run(LmAnon, shuffled, k=k, l=l, m=m)
    assert again.to_lists() == [published.to_lists()[row] for row in order]
    assert private_again["merges"].to_lists() == private["merges"].to_lists()


@pytest.mark.long
def test_walks_with_sensitive_cells_keep_their_promise_under_every_method() -> None:
    walks = workloads.walks(seed=1, n=4000)
    data = dataclasses.replace(walks, locations=walks.locations.marked(["7", "37", "52"]))
    for method in (LmAnon(), ZGA(), SGA(), ZGA(clusters=40)):
        published = method.anonymize(data, RunContext())
        verdict = verify(published, method.guarantee, original=data)
        assert verdict.holds, verdict
        shuffled = published.take(np.random.default_rng(1).permutation(len(published)))
        assert verify(shuffled, method.guarantee, original=data).holds


def test_progress_is_told_and_a_listener_can_cancel() -> None:
    walks = workloads.walks(seed=1, n=2000)
    told: list[Progress] = []
    context = RunContext(listener=told.append)
    ZGA(clusters=4).anonymize(walks, context)
    assert list(context.timings) == list(ZGA.stages)
    shares = [message.share for message in told if message.stage == "anonymize" and message.share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1

    def stop(progress: Progress) -> None:
        if progress.stage == "anonymize":
            raise Cancelled("Stopped by the user.")

    with pytest.raises(Cancelled):
        SGA(clusters=4).anonymize(walks, RunContext(listener=stop))
