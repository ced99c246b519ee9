"""Re-identification curves: the probabilities of trying everything, drawn fairly, bounded by a promise that is kept."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.attacks.reidentification import (
    _drawn_positions,
    collapsed,
    prefix_curve,
    reidentification,
    sampled_curve,
)
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadParameter, NotApplicable, OriginalRequired, UnknownLocation
from tests.reference import attacks as reference

tracks = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), min_size=1, max_size=6)


def cut(paths: list[list[str]], k: int) -> list[list[str]]:
    """The longest prefix that k tracks begin with: a release that keeps the promise."""
    rows = []
    for path in paths:
        shared = [n for n in range(1, len(path) + 1) if sum(other[:n] == path[:n] for other in paths) >= k]
        rows.append(path[: max(shared, default=0)])
    return rows


def distinct_runs(path: list[str]) -> list[str]:
    return [cell for place, cell in enumerate(path) if place == 0 or cell != path[place - 1]]


@given(tracks, tracks, tracks, st.integers(1, 4))
def test_probabilities_are_those_of_the_definition(known, before, after, k) -> None:
    table = dict.fromkeys("abc", (0.0, 0.0))
    knowledge = [distinct_runs(path) for path in known]
    generalized = Trajectories.from_lists([distinct_runs(path) for path in before], table)
    found = reidentification(knowledge, generalized, PublishedTrajectories.from_lists(after), k)
    expected = [reference.probability(path, generalized.to_lists(), after, k) for path in knowledge]
    assert list(zip(found.probability.tolist(), found.worst.tolist(), strict=True)) == expected


@given(tracks, st.integers(1, 4))
def test_the_prefix_curve_knows_the_first_points_of_everybody(paths, k) -> None:
    points = Trajectories.from_lists(paths)
    generalized = collapsed(points).to_lists()
    assert generalized == [distinct_runs(path) for path in paths]
    rows = cut(generalized, k)
    curve = prefix_curve(points, Trajectories.from_lists(rows, points.locations), k)
    assert curve.within_bound
    assert [point.knowledge for point in curve.points] == list(range(1, max(map(len, paths)) + 1))
    for point in curve.points:
        chances = [
            reference.probability(path[: point.knowledge], generalized, rows, k)
            for path in paths
            if len(path) >= point.knowledge
        ]
        assert point.cases == len(chances)
        assert point.mean == pytest.approx(np.mean([chance for chance, _ in chances]))
        assert point.max == max(chance for chance, _ in chances)
        assert point.min == min(chance for chance, _ in chances)
        assert point.worst_max == max(worst for _, worst in chances)


@given(tracks, st.integers(1, 4), st.integers(0, 3))
def test_sampled_knowledge_never_exceeds_the_bound(paths, k, seed) -> None:
    points = Trajectories.from_lists(paths)
    rows = cut(collapsed(points).to_lists(), k)
    published = Trajectories.from_lists(rows, points.locations)
    curve = sampled_curve(points, published, k, sizes=(1, 3, 9), draws=50, seed=seed)
    assert curve.within_bound
    assert [point.cases for point in curve.points] == [50, 50 * any(len(path) >= 3 for path in paths), 0]
    for distribution in curve.distributions[:1]:
        shares = [share for _, share in distribution]
        assert shares == sorted(shares)
        assert shares[-1] == 1


def test_the_sample_follows_the_stated_rule() -> None:
    points = Trajectories.from_lists([list("abcab"), list("bc"), list("cabba")])
    random = np.random.Generator(np.random.PCG64(7))
    track = np.array([0, 2])[random.integers(0, 2, 30)]
    first = random.integers(0, np.full(30, 5))
    second = random.integers(0, np.full(30, 4))
    second += second >= first
    third = random.integers(0, np.full(30, 3))
    for low in (np.minimum(first, second), np.maximum(first, second)):
        third += third >= low
    paths = points.to_lists()
    chances = [
        reference.probability([paths[row][place] for place in sorted(places)], collapsed(points).to_lists(), paths, 2)
        for row, *places in zip(track, first, second, third, strict=True)
    ]
    published = Trajectories.from_lists(paths, points.locations)
    (alone,) = sampled_curve(points, published, 2, sizes=[3], draws=30, seed=7).points
    assert alone.mean == pytest.approx(np.mean([chance for chance, _ in chances]))
    assert alone.worst_mean == pytest.approx(np.mean([worst for _, worst in chances]))
    assert sampled_curve(points, published, 2, sizes=[1, 3], draws=30, seed=7).points[1] == alone


def test_every_choice_of_positions_is_equally_likely() -> None:
    drawn = _drawn_positions(np.full(30_000, 5), 3, np.random.default_rng(1))
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) == set(combinations(range(5), 3))
    assert max(counts.values()) < 1.1 * 3000
    assert min(counts.values()) > 0.9 * 3000


def test_the_worst_case_may_exceed_the_bound_where_too_few_are_published() -> None:
    points = Trajectories.from_lists([list("ab"), ["a"], ["a"]])
    curve = prefix_curve(points, Trajectories.from_lists([["a"], ["a"]], points.locations), 3)
    assert curve.within_bound
    assert curve.points[0].worst_max == 0.5
    told = curve.to_dict()
    assert told["bound"] == pytest.approx(1 / 3)
    assert told["curve"][0]["max"] == pytest.approx(1 / 3)


def test_a_broken_promise_is_seen() -> None:
    points = Trajectories.from_lists([list("ab"), ["a"]])
    assert not prefix_curve(points, points, 2).within_bound


def test_owners_count_once() -> None:
    points = Trajectories.from_lists([["a"], ["a"], ["a"]], owners=["x", "x", "y"])
    assert prefix_curve(points, points, 1).points[0].max == pytest.approx(1 / 3)
    assert prefix_curve(points, points, 1, unit="owner").points[0].max == 0.5
    with pytest.raises(OriginalRequired):
        prefix_curve(points, Trajectories.from_lists([["a"]]), 1, unit="owner")


def test_what_cannot_be_attacked_so_is_refused() -> None:
    points = Trajectories.from_lists([["a"], ["b"]])
    with pytest.raises(NotApplicable, match="generalized locations"):
        prefix_curve(points, PublishedTrajectories.from_lists([[["a", "b"]]]), 2)
    with pytest.raises(UnknownLocation, match="'z'"):
        prefix_curve(points, PublishedTrajectories.from_lists([["z"]]), 2)
    with pytest.raises(BadParameter, match="k must be an int of at least 1"):
        sampled_curve(points, points, 0)
    with pytest.raises(BadParameter, match="draws"):
        sampled_curve(points, points, 1, draws=0)
