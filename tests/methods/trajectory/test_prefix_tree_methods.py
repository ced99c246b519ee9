"""KAMCut, KAMRec and BFP2kA against their slow references, and the theorems T6 and T7."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crypsis
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadParameter, Cancelled, NotApplicable, OwnerRepeated, TooFewTrajectories
from crypsis.guarantees import SequenceKAnonymity
from crypsis.kernels import pattern_tree
from crypsis.methods import BFP2kA, KAMCut, KAMRec, Method
from crypsis.methods.trajectory import bf_p2ka, kam_rec
from crypsis.run_context import Progress, RunContext
from crypsis.verifiers import verify
from tests.reference import prefix_tree as reference
from tests.strategies import Dataset, datasets

Path = tuple[int, ...]
METHODS = [KAMCut(k=2), KAMRec(k=2), BFP2kA(k=2)]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name())


def trajectories(paths: list[Path], owners: list[int] | None = None) -> Trajectories:
    return Trajectories.from_lists([[f"{item:02}" for item in path] for path in paths], owners=owners)


def aligned(paths: list[Path], method: Method, owners: list[int] | None = None) -> list[Path]:
    """What is published for each path, () where it is lost."""
    data, context = trajectories(paths, owners), RunContext()
    published = method.anonymize(data, context)
    rows: list[Path] = [()] * len(paths)
    for row, symbols in zip(context.private["published_input_rows"].tolist(), published.to_lists(), strict=True):
        rows[row] = tuple(int(str(symbol)) for symbol in symbols)
    accounting = context.private["accounting"]
    assert accounting["published"] + accounting["published_as_empty"] + accounting["lost"] == len(paths)
    assert verify(published, method.guarantee, data).holds
    return rows


def random_paths(
    seed: int, most_rows: int = 14, most_items: int = 5, longest: int = 8
) -> tuple[list[Path], random.Random]:
    chance = random.Random(seed)
    items = range(chance.randint(1, most_items))
    pool = [
        tuple(chance.choice(items) for _ in range(chance.randint(0, longest)))
        for _ in range(chance.randint(1, most_rows))
    ]
    paths = [chance.choice(pool) for _ in range(chance.randint(2, most_rows))] if chance.random() < 0.5 else pool
    return paths, chance


def expected_by_reference(paths: list[Path], whose: list[int], method: Method) -> list[Path]:
    if isinstance(method, KAMCut):
        return reference.kam_cut(paths, whose, method.k)
    if isinstance(method, KAMRec):
        return reference.kam_rec(paths, whose, method.k, method.p, method.strict)
    assert isinstance(method, BFP2kA)
    return reference.bf_p2ka(paths, whose, method.k)


def methods_drawn(chance: random.Random, unit: str | None) -> list[Method]:
    k, p = chance.randint(1, 4), chance.choice([0, 25, 40, 50, 60, 75, 100])
    return [
        KAMCut(k=k, unit=unit),
        BFP2kA(k=k, unit=unit),
        KAMRec(k=k, p=p, unit=unit),
        KAMRec(k=k, p=p, strict=True, unit=unit),
    ]


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_results_are_those_of_the_definition(block: int) -> None:
    compared = 0
    for seed in range(200 * block, 200 * block + 200):
        paths, chance = random_paths(seed)
        owners = [chance.randint(0, len(paths) // 2) for _ in paths] if seed % 4 == 0 else None
        whose = list(range(len(paths))) if owners is None else owners
        for method in methods_drawn(chance, None if owners is None else "owner"):
            if len({who for path, who in zip(paths, whose, strict=True) if path}) < method.k != 1:
                with pytest.raises(TooFewTrajectories):
                    method.anonymize(trajectories(paths, owners), RunContext())
                continue
            assert aligned(paths, method, owners) == expected_by_reference(paths, whose, method), (seed, method)
            compared += 1
    assert compared > 300


@pytest.mark.long
@pytest.mark.parametrize("longest", [7, 15, 31, 63, 64, 130])
def test_long_sequences_fill_lanes_and_words(longest: int) -> None:
    chance = random.Random(longest)
    for _ in range(4):
        lengths = [longest, longest - 1, longest // 2, longest + 1, 3, 5, longest, 2 * longest]
        paths = [tuple(chance.randint(0, 3) for _ in range(length)) for length in lengths]
        paths += [path[: chance.randint(1, 4)] for path in paths]
        whose = list(range(len(paths)))
        for method in (KAMRec(k=2, p=20), KAMRec(k=3, p=60, strict=True), BFP2kA(k=2), KAMCut(k=2)):
            assert aligned(paths, method) == expected_by_reference(paths, whose, method)


@pytest.mark.long
def test_more_sequences_than_fit_in_one_batch() -> None:
    chance = random.Random(5)
    paths = [tuple(chance.randint(0, 9) for _ in range(chance.randint(1, 9))) for _ in range(400)]
    for method in (KAMRec(k=4, p=40), BFP2kA(k=4)):
        assert aligned(paths, method) == expected_by_reference(paths, list(range(400)), method)


def test_results_stay_the_same_when_tables_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tuple(random.Random(row).choices(range(6), k=row % 9)) for row in range(120)]
    usual = [aligned(paths, method) for method in (KAMRec(k=3), BFP2kA(k=3))]
    monkeypatch.setattr(kam_rec, "no_patterns", lambda pool: pattern_tree.no_patterns(4, pool))
    monkeypatch.setattr(kam_rec, "POOL", 0)
    monkeypatch.setattr(kam_rec, "MOST_PATTERNS", 20)
    monkeypatch.setattr(bf_p2ka, "SEQUENCES_PER_STEP", 1)
    assert [aligned(paths, method) for method in (KAMRec(k=3), BFP2kA(k=3))] == usual


@pytest.mark.parametrize("steps", [0, 0.3, 1, 3, 10**6])
def test_frequent_parts_and_comparing_with_all_recover_the_same(steps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kam_rec, "STEPS_PER_NODE", steps)
    monkeypatch.setattr(kam_rec, "STEPS_OF_FEW_CODES", 100 * steps)
    monkeypatch.setattr(kam_rec, "MEMBERS_AT_ONCE", 7)
    for n_codes in (4, 70):  # words that tell items apart, and words that do not
        chance = random.Random(n_codes)
        codes = [chance.randrange(n_codes) for _ in range(5)]
        paths = [tuple(chance.choices(codes, k=chance.randint(1, 9))) for _ in range(60)]
        for owners in (None, [chance.randint(0, 30) for _ in paths]):
            whose = list(range(len(paths))) if owners is None else owners
            for p in (0, 50):
                method = KAMRec(k=3, p=p, unit=None if owners is None else "owner")
                assert aligned(paths, method, owners) == expected_by_reference(paths, whose, method)


@pytest.mark.parametrize("steps", [0.0, 1000.0])
@pytest.mark.parametrize("owners", [None, 3])
def test_counting_shared_items_recovers_what_comparing_with_all_does(
    owners: int | None, steps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kam_rec, "STEPS_PER_NODE", steps)
    monkeypatch.setattr(kam_rec, "MEMBERS_AT_ONCE", 5)
    chance = random.Random(7)
    for turn in range(12):
        n_codes = chance.choice([3, 40, 90])
        paths = [
            tuple(chance.choices(range(n_codes), [1 / (code + 1) for code in range(n_codes)], k=chance.randint(0, 20)))
            for _ in range(60)
        ]
        paths += [*chance.choices(paths, k=20), tuple(chance.choices(range(n_codes), k=90))]
        owner = None if owners is None else [row // owners for row in range(len(paths))]
        method = KAMRec(k=2 + turn % 3, p=chance.choice([0, 20, 40]), unit=None if owners is None else "owner")
        results = []
        for few, nodes in ((1000, 2), (0, 1000), (0, 2), (0, 1 / 1000)):
            monkeypatch.setattr(kam_rec, "FEW_CODES", few)
            monkeypatch.setattr(kam_rec, "NODES_PER_ENTRY", nodes)
            results.append(aligned(paths, method, owner))
        assert results[1:] == results[:1] * 3


@pytest.mark.parametrize("least", [1, 3, 1000])
@pytest.mark.parametrize("owners", [None, 3])
def test_comparing_with_what_matters_to_a_group_recovers_the_same(
    owners: int | None, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kam_rec, "STEPS_OF_FEW_CODES", 0)
    monkeypatch.setattr(kam_rec, "LEAST_IN_GROUP", least)
    monkeypatch.setattr(kam_rec, "LEAST_LONG_IN_GROUP", least)
    chance = random.Random(11)
    for turn in range(6):
        paths = [
            tuple(chance.choices(chance.sample(range(8), chance.randint(1, 4)), k=chance.randint(0, 24)))
            for _ in range(50)
        ]
        paths += [*chance.choices(paths, k=20), tuple(chance.choices(range(8), k=70)), (1, 2) * 40, (2,) * 99]
        owner = list(range(len(paths))) if owners is None else [row // owners for row in range(len(paths))]
        method = KAMRec(k=2 + turn % 3, p=chance.choice([0, 20, 40]), unit=None if owners is None else "owner")
        given_owners = None if owners is None else owner
        assert aligned(paths, method, given_owners) == expected_by_reference(paths, owner, method)


def test_long_sequences_are_recovered_as_they_are_by_the_reference() -> None:
    chance = random.Random(3)
    paths = [tuple(chance.choices(range(9), k=chance.choice([3, 30, 70, 140]))) for _ in range(24)]
    for method in (KAMRec(k=3, p=10), KAMRec(k=8, p=0)):
        assert aligned(paths, method) == expected_by_reference(paths, list(range(len(paths))), method)


@given(datasets(owners=None), st.integers(1, 4), st.randoms())
def test_the_order_of_the_rows_does_not_matter(dataset: Dataset, k: int, chance: random.Random) -> None:
    unit = None if dataset.owners is None else "owner"
    order = list(range(len(dataset.paths)))
    chance.shuffle(order)
    data = dataset.trajectories()
    for method in (KAMCut(k=k, unit=unit), KAMRec(k=k, unit=unit), BFP2kA(k=k, unit=unit)):
        try:
            here = method.anonymize(data, RunContext())
        except TooFewTrajectories:
            assume(False)
        there = method.anonymize(data.take(np.array(order, np.int64)), RunContext())
        assert sorted(here.to_lists()) == sorted(there.to_lists())


@given(datasets(), st.integers(1, 4))
def test_t7_whatever_kam_cut_publishes_k_published_trajectories_contain(dataset: Dataset, k: int) -> None:
    try:
        published = KAMCut(k=k).anonymize(dataset.trajectories(), RunContext())
    except TooFewTrajectories:
        assume(False)
    assert verify(published, SequenceKAnonymity(k=k, strict=True)).holds


@given(datasets(max_length=5), st.integers(1, 3), st.booleans())
def test_t6_what_holds_for_the_published_sequences_holds_for_all_their_parts(
    dataset: Dataset, k: int, strict: bool
) -> None:
    data = dataset.trajectories()
    try:
        published = KAMRec(k=k, p=0, strict=strict).anonymize(data, RunContext())
    except TooFewTrajectories:
        assume(False)
    rows = [tuple(map(str, row)) for row in published.to_lists()]
    before = [tuple(row) for row in data.to_lists()]
    for row in set(rows):
        for size in range(1, len(row) + 1):
            for part in combinations(row, size):
                in_original = sum(reference.contains(path, part) for path in before)  # type: ignore[arg-type]
                in_published = sum(reference.contains(path, part) for path in rows)  # type: ignore[arg-type]
                assert in_original >= k
                assert in_published >= k or not strict


@each_method
def test_empty_trajectories_are_published_as_empty_and_rare_ones_are_lost(method: Method) -> None:
    data, context = Trajectories.from_lists([[], ["a", "b"], ["z"], ["a", "b"]]), RunContext()
    published = method.anonymize(data, context)
    assert published.to_lists() == [[], ["a", "b"], ["a", "b"]]
    assert context.private["accounting"] == {"input": 4, "published": 2, "published_as_empty": 1, "lost": 1}
    assert [entry["row"] for entry in context.private["lost"]] == [2]
    assert context.private["published_input_rows"].tolist() == [0, 1, 3]


@each_method
def test_nothing_at_all_may_be_left(method: Method) -> None:
    release = crypsis.anonymize(Trajectories.from_lists([["a"], ["b"], ["c"]]), method)
    assert len(release.data) == 0
    assert release.verify().holds
    assert release.context.private["accounting"]["lost"] == 3


@each_method
def test_a_location_that_is_not_published_is_not_named(method: Method) -> None:
    data = Trajectories.from_lists([["a", "b"], ["a", "b"], ["secret"]])
    published = method.anonymize(data, RunContext())
    assert published.symbols.label_lists == (("a",), ("b",))


@each_method
def test_owners_with_several_trajectories_need_a_choice(method: Method) -> None:
    data = Trajectories.from_lists([["a"], ["a"], ["a"]], owners=[1, 1, 2])
    with pytest.raises(OwnerRepeated, match="unit='owner'"):
        method.anonymize(data, RunContext())
    with pytest.raises(NotApplicable, match="unit='owner' needs data with an owner"):
        type(method)(k=2, unit="owner").anonymize(Trajectories.from_lists([["a"], ["a"]]), RunContext())  # type: ignore[call-arg]
    one_owner = Trajectories.from_lists([["a"], ["a"], ["b"]], owners=[1, 1, 2])
    assert len(type(method)(k=2, unit="owner").anonymize(one_owner, RunContext())) == 0  # type: ignore[call-arg]
    assert len(type(method)(k=2, unit="trajectory").anonymize(one_owner, RunContext())) == 2  # type: ignore[call-arg]


@each_method
def test_too_few_trajectories_are_refused_in_words(method: Method) -> None:
    with pytest.raises(TooFewTrajectories, match="1 trajectory visited any location, 2 are required"):
        method.anonymize(Trajectories.from_lists([["a"], []]), RunContext())
    assert type(method)(k=1).anonymize(Trajectories.from_lists([]), RunContext()).to_lists() == []  # type: ignore[call-arg]


@pytest.mark.parametrize("p", [-1, 101, float("nan"), float("inf"), True, "40"])
def test_a_share_outside_its_bounds_is_refused(p: Any) -> None:
    with pytest.raises(BadParameter, match="KAMRec: p must be a finite number from 0 to 100"):
        KAMRec(p=p)


def test_names_on_the_command_line() -> None:
    assert [method.name() for method in METHODS] == ["kam-cut", "kam-rec", "bf-p2ka"]


@each_method
def test_a_run_can_be_cancelled_and_tells_its_stages(method: Method) -> None:
    told: list[Progress] = []
    data = trajectories([(0, 1), (0, 2), (1, 2), (2, 1), (1, 1), (2, 2, 1)])
    method.anonymize(data, RunContext(told.append))
    assert {progress.stage for progress in told} == set(method.stages)

    def stop(progress: Progress) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        method.anonymize(data, RunContext(stop))


@each_method
def test_a_release_with_lost_rows_is_written_and_its_mapping_kept_private(method: Method, tmp_path: Any) -> None:
    import json

    data = Trajectories.from_lists([["b"], ["z"], ["a", "c"], ["b"], ["a", "c"]])
    release = crypsis.anonymize(data, method)
    private = tmp_path / "private.json"
    release.write(tmp_path / "release", private_report=private)
    told = json.loads(private.read_text(encoding="utf-8"))
    places = told["published_row_of_input_row"]
    assert places[1] is None
    assert sorted(place for place in places if place is not None) == [0, 1, 2, 3]
    written = crypsis.read_release(tmp_path / "release")
    for row, place in enumerate(places):
        if place is not None:
            assert written.data.to_lists()[place] == data.to_lists()[row]
    assert written.verify(original=data).holds
    manifest = json.loads((tmp_path / "release" / "release.json").read_text(encoding="utf-8"))
    assert "secret" not in manifest
    truthful = "Truth of single records" in json.dumps(manifest["guarantee"]["not_covered"])
    assert truthful == isinstance(method, BFP2kA)


def test_published_data_need_not_be_a_recoding() -> None:
    """BFP2kA publishes what nobody visited; the release says so instead of failing."""
    data = Trajectories.from_lists([["a", "b", "c"], ["a", "b", "c"], ["x", "b", "c"]])
    published = BFP2kA(k=2).anonymize(data, RunContext())
    assert published == PublishedTrajectories.from_lists([["a", "b", "c"]] * 3)
