"""SeqAnon against its slow reference, and the theorems that its guarantee rests on."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from itertools import combinations, groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from benchmarks import workloads
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import (
    BadCoordinate,
    Cancelled,
    Infeasible,
    InfeasibleLength,
    NotApplicable,
    OwnerRepeated,
    TooFewTrajectories,
    TooLarge,
)
from crypsis.methods import SeqAnon
from crypsis.run_context import Progress, RunContext
from crypsis.verifiers import verify
from tests.kernels.interpretation import WAYS
from tests.reference import containment_matching, km_anonymity
from tests.reference import seq_anon as reference
from tests.reference.subsequences import support
from tests.strategies import Dataset, datasets

ks, ms = st.sampled_from([2, 3, 4, 5, 1]), st.sampled_from([2, 3, 1, 4, 0])
policies = st.sampled_from(["error", "truncate"])


def unit_of(dataset: Dataset) -> str | None:
    return None if dataset.owners is None else "owner"


def run(dataset: Dataset, **parameters: Any) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    method = SeqAnon(unit=unit_of(dataset), **parameters)
    return method.anonymize(dataset.trajectories(), context), context.private


def run_feasible(dataset: Dataset, **parameters: Any) -> tuple[PublishedTrajectories, dict[str, Any]]:
    try:
        return run(dataset, on_infeasible="truncate", **parameters)
    except TooFewTrajectories:
        assume(False)
        raise


def symbols_in(published: PublishedTrajectories) -> list[list[tuple[str, ...]]]:
    """Published rows with every symbol as the tuple of its labels."""
    return [[names for code in path for names in [published.symbols.label_lists[code]]] for path in published.paths()]


def assert_as_in_the_reference(dataset: Dataset, k: int, m: int, on_infeasible: str) -> None:
    try:
        expected = reference.seq_anon(
            dataset.paths, dataset.points, k, m, individuals=dataset.owners, truncate=on_infeasible == "truncate"
        )
    except reference.Infeasible as infeasible:
        with pytest.raises(Infeasible) as raised:
            run(dataset, k=k, m=m, on_infeasible=on_infeasible)
        assert raised.value.code == ("too-few-trajectories" if infeasible.size == 1 else "infeasible-length")
        assert raised.value.details["have"] == infeasible.have
        assert raised.value.details.get("size", 1) == infeasible.size
        return
    published, private = run(dataset, k=k, m=m, on_infeasible=on_infeasible)
    assert private["merges"].to_lists() == [dataset.of_code(symbol) for symbol in expected.merges]
    assert sorted(private["partition"]) == sorted(dataset.of_code(symbol) for symbol in expected.partition)
    assert symbols_in(published) == [[tuple(dataset.of_code(symbol)) for symbol in row] for row in expected.rows]
    assert published.longest == expected.longest


@pytest.mark.parametrize("way", WAYS)
@given(datasets(owners=None), ks, ms, policies)
def test_small_data_are_anonymized_as_in_the_reference(
    way: str, dataset: Dataset, k: int, m: int, on_infeasible: str
) -> None:
    with WAYS[way]():
        assert_as_in_the_reference(dataset, k, m, on_infeasible)


@pytest.mark.parametrize("way", WAYS)
@given(datasets(max_locations=14, max_rows=24, max_length=5, owners=None), st.integers(2, 5), st.integers(1, 3))
def test_more_locations_are_anonymized_as_in_the_reference(way: str, dataset: Dataset, k: int, m: int) -> None:
    with WAYS[way]():
        assert_as_in_the_reference(dataset, k, m, "truncate")


def crowd(seed: int, rows: int, length: int, locations: int, owners: int | None = None) -> Dataset:
    """Rows too long for hypothesis, on a grid that is full of ties."""
    draw = random.Random(seed)
    return Dataset(
        [[draw.randrange(locations) for _ in range(length)] for _ in range(rows)],
        [(float(draw.randrange(8)), float(draw.randrange(8))) for _ in range(locations)],
        [f"p{number:02}" for number in draw.sample(range(locations), locations)],
        None if owners is None else [draw.randrange(owners) for _ in range(rows)],
    )


@pytest.mark.parametrize("way", ["as it comes", "hashed", "one by one"])
@pytest.mark.parametrize("owners", [None, 4], ids=["trajectories", "owners"])
@pytest.mark.parametrize("k", [2, 4])
def test_rows_with_more_subsequences_than_the_buffers_hold(way: str, owners: int | None, k: int) -> None:
    dataset = crowd(seed=3, rows=6, length=90, locations=60, owners=owners)
    longest = max(len(set(combinations(path, 2))) for path in dataset.paths)
    assert longest > 1024
    with WAYS[way]():
        assert_as_in_the_reference(dataset, k, 2, "error")


@pytest.mark.parametrize("way", WAYS)
def test_dense_crowds_of_short_rows(way: str) -> None:
    dataset = crowd(seed=5, rows=150, length=4, locations=12)
    with WAYS[way]():
        assert_as_in_the_reference(dataset, 3, 3, "error")


def test_more_merged_symbols_than_there_are_rows_of_distances() -> None:
    """Pairs of rare places along a street; when all are merged, the very first pair must still know its neighbour."""
    pairs = 1100
    points = {f"{number:04}": (10.0 * (number // 2), float(number % 2)) for number in range(2 * pairs)}
    points |= {"0000": (74.0, 0.0), "0001": (74.0, 1.0)}  # nearest to the eighth pair, not to the second
    rows = [[label] for label in points if label not in {"0000", "0014", "2000"}]
    rows += [["0000", "2000"], ["0014", "2000"]]
    data, context = Trajectories.from_lists(rows, locations=points), RunContext()
    SeqAnon(k=2, m=2).anonymize(data, context)
    merges, labels = context.private["merges"].to_lists(), list(points)
    assert sorted(merges[:-1]) == [labels[first : first + 2] for first in range(0, 2 * pairs, 2)]
    assert merges[-1] == ["0000", "0001", "0014", "0015"]


def test_distances_that_differ_by_rounding_are_ties() -> None:
    assert 0.1 + 0.2 > 0.3
    points = {"rare": (0.0, 0.0), "first": (0.1 + 0.2, 0.0), "second": (0.0, 0.3)}
    data = Trajectories.from_lists([["rare"], *[["first"], ["second"]] * 3], locations=points)
    assert SeqAnon(k=2, m=1).anonymize(data, RunContext()).to_lists()[0] == [["first", "rare"]]


def test_check_ins_at_size_three_need_the_merges_that_plain_programs_need() -> None:
    context = RunContext()
    SeqAnon(k=5, m=3).anonymize(workloads.checkins(seed=1), context)
    assert len(context.private["merges"]) == 636


@given(datasets(owners=None), ks, ms)
def test_t1_merging_is_refused_exactly_when_even_one_symbol_for_all_fails(dataset: Dataset, k: int, m: int) -> None:
    all_merged = [[("everywhere",)] * len(path) for path in dataset.paths]
    possible = km_anonymity.check(all_merged, k, m, dataset.owners).holds
    nobody = k >= 2 and m >= 1 and not any(dataset.paths)
    try:
        run(dataset, k=k, m=m)
    except Infeasible as error:
        assert not possible or nobody
        too_few = len({who for path, who in zip(dataset.paths, owners_of(dataset), strict=True) if path}) < k
        assert type(error) is (TooFewTrajectories if too_few else InfeasibleLength)
    else:
        assert possible
        assert not nobody


def owners_of(dataset: Dataset) -> list[int]:
    return list(range(len(dataset.paths))) if dataset.owners is None else dataset.owners


@given(datasets(owners=None), st.integers(1, 3), st.integers(1, 3))
def test_t2_a_merged_subsequence_is_shared_by_all_who_shared_one_of_its_preimages(
    dataset: Dataset, k: int, m: int
) -> None:
    published, _ = run_feasible(dataset, k=k, m=m)
    kept = [row[: published.longest] for row in dataset.rows]
    after = symbols_in(published)
    image = {label: symbol for symbol in published.symbols.label_lists for label in symbol}
    sharers: dict[tuple[tuple[str, ...], ...], set[int]] = {}
    for row, who in zip(kept, owners_of(dataset), strict=True):
        for size in range(1, m + 1):
            for known in combinations(row, size):
                sharers.setdefault(tuple(image[label] for label in known), set()).add(who)
    for merged, people in sharers.items():
        assert support(after, merged, owners_of(dataset)) == len(people) >= k


@given(datasets(), st.integers(1, 3), st.integers(1, 3))
def test_t3_knowing_original_locations_matches_as_many_rows_as_knowing_their_symbols(
    dataset: Dataset, k: int, m: int
) -> None:
    published, _ = run_feasible(dataset, k=k, m=m)
    rows = symbols_in(published)
    image = {label: symbol for symbol in published.symbols.label_lists for label in symbol}
    for size in range(1, m + 1):
        for known in containment_matching.knowledge_of_size(dataset.rows, size):
            candidates = len(containment_matching.compatible_rows(known, rows))
            if any(label not in image for label in known):
                assert candidates == 0  # only visited where rows were cut
            else:
                assert candidates == support(rows, [image[label] for label in known], range(len(rows)))
            assert candidates >= k or (candidates == 0 and published.longest is not None)


@given(datasets(owners=None), ks, ms)
def test_the_accounts_close(dataset: Dataset, k: int, m: int) -> None:
    published, private = run_feasible(dataset, k=k, m=m)
    accounting = private["accounting"]
    assert accounting["published"] + accounting["published_as_empty"] + accounting["lost"] == accounting["input"]
    assert accounting["input"] == len(dataset.paths) == len(published)
    assert accounting["published_as_empty"] == sum(not row for row in published.to_lists())
    assert accounting["lost"] == len(private["lost"])
    suppressed = Counter(row for row, _ in private["suppressed_occurrences"])
    for number, (before, after) in enumerate(zip(dataset.paths, published.paths(), strict=True)):
        assert len(after) + suppressed[number] == len(before)
    for row, position in private["suppressed_occurrences"]:
        assert published.longest <= position < len(dataset.paths[row])
    occurring = {code for path in dataset.paths for code in path[: published.longest]}
    assert sorted(label for symbol in private["partition"] for label in symbol) == dataset.of_code(frozenset(occurring))
    assert len(private["merges"]) == len(occurring) - len(private["partition"])
    assert len(private["merges"].to_pairs()) == len(private["merges"])


@given(datasets(owners=None), ks, ms, policies, st.data())
def test_the_order_of_the_rows_does_not_matter(
    dataset: Dataset, k: int, m: int, on_infeasible: str, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(dataset.paths))))
    owners = None if dataset.owners is None else [dataset.owners[row] for row in order]
    shuffled = dataclasses.replace(dataset, paths=[dataset.paths[row] for row in order], owners=owners)
    try:
        published, private = run(dataset, k=k, m=m, on_infeasible=on_infeasible)
    except Infeasible as error:
        with pytest.raises(type(error)):
            run(shuffled, k=k, m=m, on_infeasible=on_infeasible)
        return
    again, private_again = run(shuffled, k=k, m=m, on_infeasible=on_infeasible)
    rows = published.to_lists()
    assert again.to_lists() == [rows[row] for row in order]
    assert private_again["merges"].to_lists() == private["merges"].to_lists()


@given(datasets(owners=None), ks, ms)
def test_the_input_is_not_touched(dataset: Dataset, k: int, m: int) -> None:
    data = dataset.trajectories()
    arrays = {
        "offsets": data.offsets,
        "codes": data.codes,
        "owners": data.owners,
        "x": data.locations.x,
        "y": data.locations.y,
    }
    before = {name: None if array is None else array.copy() for name, array in arrays.items()}
    method = SeqAnon(k=k, m=m, unit=unit_of(dataset), on_infeasible="truncate")
    try:
        method.anonymize(data, RunContext())
    except TooFewTrajectories:
        event("too few")
    for name, array in arrays.items():
        assert array is None or np.array_equal(array, before[name])
    assert data == dataset.trajectories()


@given(datasets(), st.integers(1, 4))
def test_a_size_beyond_the_longest_row_changes_nothing(dataset: Dataset, k: int) -> None:
    longest = max(map(len, dataset.paths), default=0)
    assume(longest > 0)
    published, private = run_feasible(dataset, k=k, m=longest)
    for m in (longest + 1, longest + 7, 10**15):
        again, private_again = run_feasible(dataset, k=k, m=m)
        assert again == published
        assert private_again["merges"].to_lists() == private["merges"].to_lists()


@given(datasets())
def test_trivial_parameters_publish_the_data_as_they_are(dataset: Dataset) -> None:
    for parameters in ({"k": 1, "m": 3}, {"k": 4, "m": 0}):
        published, private = run(dataset, **parameters)
        assert published.to_lists() == dataset.rows
        assert len(private["merges"]) == 0
        assert SeqAnon(**parameters).guarantee.trivial


@given(datasets(), st.integers(1, 4))
def test_every_owner_with_one_trajectory_is_the_same_as_no_owners(dataset: Dataset, k: int) -> None:
    published, private = run_feasible(dataset, k=k, m=2)
    alone = dataclasses.replace(dataset, owners=list(range(len(dataset.paths))))
    again, private_again = run_feasible(alone, k=k, m=2)
    assert again == published
    assert private_again["merges"].to_lists() == private["merges"].to_lists()
    unspecified = SeqAnon(k=k, m=2, on_infeasible="truncate").anonymize(alone.trajectories(), RunContext())
    assert unspecified == published


def test_repeated_owners_demand_a_choice() -> None:
    points = {"a": (0, 0), "b": (1, 0)}
    data = Trajectories.from_lists([["a"], ["b"], ["a"]], locations=points, owners=["u", "u", "v"])
    with pytest.raises(OwnerRepeated) as raised:
        SeqAnon(k=2, m=1).anonymize(data, RunContext())
    assert raised.value.code == "owner-repeated"
    by_trajectory = SeqAnon(k=2, m=1, unit="trajectory").anonymize(data, RunContext())
    by_owner = SeqAnon(k=2, m=1, unit="owner").anonymize(data, RunContext())
    assert by_trajectory.to_lists() == [[["a", "b"]]] * 3
    assert by_owner.to_lists() == [[["a", "b"]]] * 3
    one_place = Trajectories.from_lists([["a"], ["a"]], locations=points, owners=["u", "u"])
    assert SeqAnon(k=2, m=1, unit="trajectory").anonymize(one_place, RunContext()).to_lists() == [["a"], ["a"]]
    with pytest.raises(TooFewTrajectories) as too_few:
        SeqAnon(k=2, m=1, unit="owner").anonymize(one_place, RunContext())
    assert "1 owner" in str(too_few.value)


def test_counting_owners_needs_owners() -> None:
    data = Trajectories.from_lists([["a"], ["a"]], locations={"a": (0, 0)})
    with pytest.raises(NotApplicable, match="owner"):
        SeqAnon(k=2, m=1, unit="owner").anonymize(data, RunContext())


def test_locations_without_coordinates_are_refused() -> None:
    with pytest.raises(BadCoordinate, match="SeqAnon needs coordinates"):
        SeqAnon(k=2, m=1).anonymize(Trajectories.from_lists([["a"], ["a"]]), RunContext())


def test_a_location_that_nobody_visits_is_never_published() -> None:
    points = {"a": (0, 0), "nowhere": (0, 0), "b": (9, 9)}
    data = Trajectories.from_lists([["a"], ["b"]], locations=points)
    assert SeqAnon(k=2, m=1).anonymize(data, RunContext()).to_lists() == [[["a", "b"]]] * 2


def test_subsequences_that_no_integer_can_name_are_refused() -> None:
    rows = [[f"{row}.{place}" for place in range(11)] for row in range(5)] * 2
    points = {label: (0.0, float(row)) for row, labels in enumerate(rows) for label in labels}
    assert len(points) ** 11 >= 2**62
    data = Trajectories.from_lists(rows, locations=points)
    SeqAnon(k=2, m=10).anonymize(data, RunContext())
    with pytest.raises(TooLarge) as raised:
        SeqAnon(k=2, m=11).anonymize(data, RunContext())
    assert raised.value.exit_code == 5


def test_the_errors_of_infeasible_data_say_what_would_do() -> None:
    points = {"a": (0, 0), "b": (1, 0)}
    data = Trajectories.from_lists([["a", "b"], ["a"], ["b"], ["a"]], locations=points)
    with pytest.raises(InfeasibleLength) as raised:
        SeqAnon(k=3, m=2).anonymize(data, RunContext())
    assert str(raised.value) == (
        "Merging locations cannot make this 3^m-anonymous: only 1 trajectory visited 2 or more locations, 3 are "
        "required. Truncate longer trajectories to 1 (on_infeasible='truncate'), lower k to 1, or lower m to 1."
    )
    assert raised.value.exit_code == 3


def test_progress_is_told_by_stage_and_its_share_never_falls() -> None:
    told: list[Progress] = []
    context = RunContext(listener=told.append)
    SeqAnon(k=5, m=2).anonymize(workloads.walks(seed=1, n=2000), context)
    stages = [stage for stage, _ in groupby(told, key=lambda progress: progress.stage)]
    expected = ["feasibility", "count size 1", "merge size 1", "count size 2", "merge size 2", "publish"]
    assert [stage for stage in stages if stage in expected] == expected == list(context.timings)
    for _, messages in groupby(told, key=lambda progress: progress.stage):
        shares = [message.share for message in messages if message.share is not None]
        assert shares == sorted(shares)
        assert all(0 <= share <= 1 for share in shares)


def test_a_listener_can_cancel_a_run() -> None:
    def stop_at_the_second_size(progress: Progress) -> None:
        if progress.stage == "merge size 2":
            raise Cancelled("Stopped by the user.")

    context = RunContext(listener=stop_at_the_second_size)
    with pytest.raises(Cancelled):
        SeqAnon(k=5, m=2).anonymize(workloads.walks(seed=1, n=2000), context)
    assert context.private == {}
    assert "merge size 1" in context.timings


@given(datasets(), st.integers(2, 4), st.integers(1, 3))
def test_only_the_apriori_order_is_assured_and_the_other_is_judged_by_the_verifier(
    dataset: Dataset, k: int, m: int
) -> None:
    assert SeqAnon(k=k, m=m).assured
    method = SeqAnon(k=k, m=m, apriori=False, on_infeasible="truncate")
    assert not method.assured
    try:
        published = method.anonymize(dataset.trajectories(), RunContext())
    except TooFewTrajectories:
        return
    answer = km_anonymity.check(symbols_in(published), k, m)
    assert verify(published, method.guarantee).holds == answer.holds
    assert answer.holds or len(answer.witness) < m  # what it works on it does protect
