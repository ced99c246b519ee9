"""Frequent patterns and their preservation under random readings of the release."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadParameter, TooLarge
from crypsis.metrics import patterns
from crypsis.metrics.patterns import (
    compare_patterns,
    frequent_patterns,
    minimum_support,
    pattern_preservation,
)
from tests.metrics.recodings import Recoding, global_recodings, local_recodings, path_lists, shuffled
from tests.reference.pattern_mining import counted_patterns


@given(path_lists, st.integers(1, 3), st.one_of(st.none(), st.integers(1, 3)))
def test_patterns_carry_labels_and_supports(paths: list[list[str]], min_support: int, max_length: int | None) -> None:
    found = frequent_patterns(Trajectories.from_lists(paths), min_support, max_length)
    coded = counted_patterns([[ord(label) for label in path] for path in paths], min_support, max_length)
    assert found.to_dict() == {tuple(chr(code) for code in pattern): support for pattern, support in coded.items()}
    assert len(found) == len(coded)


@pytest.mark.parametrize(
    ("threshold", "n", "expected"), [(0.07, 100, 7), (0.0701, 100, 8), (1e-9, 5, 1), (1.0, 5, 5), (0.5, 0, 1)]
)
def test_minimum_support_is_rounded_up_but_not_by_rounding_errors(threshold: float, n: int, expected: int) -> None:
    assert minimum_support(threshold, n) == expected


def test_comparison_of_two_sets() -> None:
    # vector metrics_utility, "pattern_preservation"
    assert compare_patterns([("a",), ("b",), ("a", "b")], [("a",), ("c",)]) == (1 / 3, 0.5)
    assert compare_patterns([], [("a",)]) == (1.0, 1.0)
    assert compare_patterns([("a",)], []) == (0.0, 0.0)


thresholds = st.sampled_from([0.2, 0.5, 1.0])


@given(st.one_of(global_recodings(), local_recodings()), thresholds)
def test_shares_of_one_projection_are_those_of_some_reading(recoding: Recoding, threshold: float) -> None:
    rows = recoding.published_rows
    choices = 1
    for row in rows:
        for symbol in row:
            choices *= len(symbol)
    assume(choices <= 200)
    needed = minimum_support(threshold, len(rows))
    before = counted_patterns(recoding.coded_paths, needed, 2)
    possible = set()
    for reading in product(*(product(*row) for row in rows)):
        possible.add(compare_patterns(before, counted_patterns(reading, needed, 2)))
    found = pattern_preservation(
        recoding.original, shuffled(recoding.published, 2), threshold, projections=1, max_length=2
    )
    assert (found.preserved, found.false) in possible
    assert (found.preserved_deviation, found.false_deviation) == (0, 0)


def test_members_are_drawn_uniformly_and_independently() -> None:
    # {a, b} twice, read as a or b: F = {a, b} at threshold 1/2. Both frequent with probability 1/2, else one.
    original = Trajectories.from_lists([["a"], ["b"]])
    published = PublishedTrajectories.from_lists([[["a", "b"]], [["a", "b"]]])
    found = pattern_preservation(original, published, 0.5, projections=4000, seed=3)
    assert found.preserved in {0.5, 0.75, 1.0}
    assert found.preserved_deviation == pytest.approx(0.25, abs=0.005)
    assert (found.false, found.false_deviation) == (0, 0)
    # At threshold 1 nothing was frequent; a or b alone turns up, falsely, with probability 1/2.
    found = pattern_preservation(original, published, 1.0, projections=4000, seed=3)
    assert found.preserved == 1.0
    assert found.false_deviation == pytest.approx(0.5, abs=0.005)


def test_median_and_deviation_are_those_of_the_projections() -> None:
    original = Trajectories.from_lists([["a", "b"], ["a", "b"], ["c"]])
    published = PublishedTrajectories.from_lists([[["a", "b", "c"], "b"], [["a", "b", "c"], "b"], ["c"]])
    found = pattern_preservation(original, published, 0.5, projections=2000, seed=1)
    # F = {a, b, ab}. Both first elements read a (1/9): all kept; otherwise only b: 1/3.
    assert found.preserved == pytest.approx(1 / 3)
    assert found.preserved_deviation == pytest.approx((2 / 3) * (8 / 81) ** 0.5, rel=0.1)


@given(global_recodings(), thresholds)
def test_unchanged_data_keep_every_pattern(recoding: Recoding, threshold: float) -> None:
    intact = PublishedTrajectories.from_lists(recoding.paths)
    found = pattern_preservation(recoding.original, intact, threshold)
    assert found == patterns.PatternPreservation(1.0, 0.0, 0.0, 0.0)


def test_the_same_seed_gives_the_same_figures() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b", "c"], ["a", "c"], ["c"]])
    published = PublishedTrajectories.from_lists(
        [[["a", "b"], ["a", "b"]], [["a", "b"], "c"], [["a", "b"], "c"], ["c"]]
    )
    runs = [pattern_preservation(original, published, 0.25, seed=seed) for seed in (5, 5, 6, 7, 8)]
    assert runs[0] == runs[1]
    assert len(set(runs)) > 1


def test_foreign_locations_make_false_patterns() -> None:
    original = Trajectories.from_lists([["a"], ["a"]])
    foreign = PublishedTrajectories.from_lists([["a", "z"], ["a", "z"], ["a"]])
    found = pattern_preservation(original, foreign, 0.6)
    assert found.preserved == 1.0
    assert found.false == pytest.approx(2 / 3)
    # y and z are different, so neither is frequent
    foreign = PublishedTrajectories.from_lists([["a", "z"], ["a", "y"], ["a"]])
    assert pattern_preservation(original, foreign, 0.6).false == 0.0


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 0}, {"threshold": 1.5}, {"projections": 0}, {"max_length": 0}, {"seed": -1}],
)
def test_impossible_settings_are_refused(wrong: dict[str, Any]) -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(BadParameter, match=f"pattern_preservation: {next(iter(wrong))}"):
        pattern_preservation(original, PublishedTrajectories.from_lists([["a"]]), **wrong)


def test_too_many_patterns_are_refused_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 100)
    with pytest.raises(TooLarge, match="More than 100 patterns"):
        frequent_patterns(Trajectories.from_lists([list("abcdefgh")]), 1)
