"""Distance between original and published trajectories: worked examples and the slow definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadLabel, UnknownLocation
from crypsis.metrics.distance import diameter, distance_loss, location_distance, normalized_distance_loss
from tests.metrics.recodings import Recoding, global_recodings, local_recodings, shuffled
from tests.reference import utility

# Poulis et al. 2013, Definition 6: a generalized to {a, a1, a2} at distances 0, 1 and 2.
ON_A_LINE = {"a": (0, 0), "a1": (1, 0), "a2": (2, 0), "b": (7, 7)}


def slow_distance(recoding: Recoding) -> float:
    return utility.distance(recoding.coded_paths, recoding.coded_rows, list(recoding.points.values()))


def test_location_distance_is_the_mean_over_all_members() -> None:
    locations = Locations.of(ON_A_LINE)
    assert location_distance(locations, "a", ["a", "a1", "a2"]) == 1.0
    assert location_distance(locations, "b", "b") == 0.0


@pytest.mark.parametrize(
    ("location", "symbol", "error"), [("a", ["a", "z"], UnknownLocation), ("z", "a", UnknownLocation)]
)
def test_location_distance_names_an_unknown_location(location: str, symbol: list[str], error: type[Exception]) -> None:
    with pytest.raises(error, match="'z'"):
        location_distance(Locations.of(ON_A_LINE), location, symbol)


def test_location_distance_needs_a_member() -> None:
    with pytest.raises(BadLabel):
        location_distance(Locations.of(ON_A_LINE), "a", [])


def test_worked_example_of_the_paper() -> None:
    original = Trajectories.from_lists([["a", "b"]], ON_A_LINE)
    assert distance_loss(original, PublishedTrajectories.from_lists([[["a", "a1", "a2"], "b"]])) == 0.5


@given(global_recodings())
def test_distance_of_a_global_recoding_is_that_of_the_definition(recoding: Recoding) -> None:
    assert distance_loss(recoding.original, recoding.published) == pytest.approx(slow_distance(recoding), rel=1e-9)


@given(local_recodings())
def test_distance_of_a_local_recoding_is_that_of_the_definition(recoding: Recoding) -> None:
    assert distance_loss(recoding.original, recoding.published) == pytest.approx(slow_distance(recoding), rel=1e-9)


@given(global_recodings(), st.integers(0, 9))
def test_order_of_the_published_rows_does_not_matter_when_symbols_are_disjoint(recoding: Recoding, seed: int) -> None:
    original = recoding.original
    assert distance_loss(original, shuffled(recoding.published, seed)) == distance_loss(original, recoding.published)


def test_a_suppressed_visit_costs_the_diameter() -> None:
    # vector metrics_utility, "suppressed_distance", reduced to one row
    original = Trajectories.from_lists([["x", "a"]], {"a": (0, 0), "b": (1, 0), "x": (5, 0)})
    assert diameter(original) == 5.0
    published = PublishedTrajectories.from_lists([[["a", "b"]]])
    assert distance_loss(original, published) == (5.0 + 0.5) / 2
    assert normalized_distance_loss(original, published) == pytest.approx(0.55)


def test_deleting_everything_costs_the_whole_diameter() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b"]], ON_A_LINE)
    nothing = PublishedTrajectories.from_lists([[], []])
    assert normalized_distance_loss(original, nothing) == 1.0


def test_visits_behind_the_declared_cut_cost_the_diameter() -> None:
    original = Trajectories.from_lists([["a", "b", "a"], ["b"]], ON_A_LINE)
    published = PublishedTrajectories.from_lists([["a"], ["b"]], longest=1)
    assert normalized_distance_loss(original, published) == pytest.approx((2 / 3 + 0) / 2)


def test_diameter_ignores_locations_that_do_not_occur() -> None:
    original = Trajectories.from_lists([["a", "a1"]], ON_A_LINE)
    assert diameter(original) == 1.0
    assert diameter(Trajectories.from_lists([["a"]], ON_A_LINE)) == 0.0
    assert diameter(Trajectories.from_lists([], ON_A_LINE)) == 0.0


def test_locations_in_one_place_lose_no_distance() -> None:
    original = Trajectories.from_lists([["a"], ["b"]], {"a": (3, 3), "b": (3, 3)})
    published = PublishedTrajectories.from_lists([[["a", "b"]], [["a", "b"]]])
    assert distance_loss(original, published) == 0.0
    assert normalized_distance_loss(original, published) == 0.0


def test_no_trajectories_have_no_distance() -> None:
    assert distance_loss(Trajectories.from_lists([], ON_A_LINE), PublishedTrajectories.from_lists([])) == 0.0


def test_distance_needs_coordinates() -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(BadCoordinate, match="distance_loss needs coordinates"):
        distance_loss(original, PublishedTrajectories.from_lists([["a"]]))


def test_trajectories_weigh_the_same_whatever_their_length() -> None:
    original = Trajectories.from_lists([["a"] * 9, ["b"], []], {"a": (0, 0), "b": (2, 0), "c": (2, 3)})
    published = PublishedTrajectories.from_lists([["a"] * 9, [["b", "c"]], []])
    assert distance_loss(original, published) == pytest.approx(np.mean([0, 1.5, 0]))
