"""Track lengths and displacement, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable
from crypsis.metrics.displacement import CellDisplacement, displacement
from crypsis.metrics.track_lengths import compare_lengths, published_lengths, track_lengths

TRACKS = Tracks.from_lists([[(0, 0, 0), (30, 40, 1)], [(0, 0, 0), (0, 10, 1), (0, 0, 2)], [(7, 7, 0)], [(90, 0, 5)]])


def published(rows, **more) -> PublishedTrajectories:
    places = Locations.of({"c0": (0.0, 0.0), "c1": (60.0, 80.0)})
    return replace(PublishedTrajectories.from_lists(rows), places=places, **more)


def test_lengths_are_sums_of_ways_and_longer_rows_are_in_the_last_bin() -> None:
    found = track_lengths(TRACKS, published([["c0", "c1", "c0"], ["c0"], []]), bins=5)
    assert found.original.tolist() == [2, 0, 1, 0, 1]
    assert found.published.tolist() == [1, 0, 0, 0, 1]
    assert found.edges.tolist() == [0, 10, 20, 30, 40, 50]
    assert (found.original_mean, found.original_median) == (17.5, 10.0)
    assert (found.published_mean, found.published_median) == (100.0, 100.0)
    assert found.variation == pytest.approx((0 + 0 + 0.25 + 0 + 0.25) / 2)
    assert found.figures()["track_length_variation_loss"] == found.variation


def test_rows_are_as_long_as_the_way_through_their_places() -> None:
    assert published_lengths(published([["c1", "c0"], [], ["c0", "c1", "c0"]])).tolist() == [100.0, 0.0, 200.0]


def test_where_nothing_moves_everything_is_in_the_first_bin() -> None:
    found = compare_lengths(np.zeros(3), np.array([5.0]))
    assert (found.original[0], found.published[0], found.variation) == (3, 1, 0.0)


def test_an_empty_publication_is_as_far_away_as_can_be() -> None:
    assert track_lengths(TRACKS, published([[], []])).variation == 1.0
    assert compare_lengths(np.zeros(0), np.zeros(0)).variation == 0.0


@given(st.lists(st.floats(0, 1e6), min_size=1), st.lists(st.floats(0, 2e6), min_size=1), st.integers(1, 30))
def test_the_variation_is_a_distance_of_distributions(before, after, bins) -> None:
    found = compare_lengths(np.array(before), np.array(after), bins)
    assert 0 <= found.variation <= 1 + 1e-12
    assert found.original.sum() == len(before)
    assert found.published.sum() == len(after)
    assert compare_lengths(np.array(before), np.array(before), bins).variation == 0


def test_lengths_need_places_and_bins() -> None:
    with pytest.raises(BadCoordinate, match="places"):
        track_lengths(TRACKS, PublishedTrajectories.from_lists([["c0"]]))
    with pytest.raises(BadParameter, match="bins"):
        track_lengths(TRACKS, published([["c0"]]), bins=0)


def test_displacement_is_the_distance_of_fixes_from_their_cells_published_point() -> None:
    generators = Locations.of({"c1": (30.0, 40.0), "hidden": (90.0, 0.0), "c0": (0.0, 5.0)})
    found = displacement(TRACKS, published([["c0", "c1"]], generators=generators))
    away = np.hypot(7, 7)
    assert found.cells["c0"] == CellDisplacement(5, pytest.approx((0 + 0 + 10 + 0 + away) / 5), 10.0)
    assert found.cells["c1"] == CellDisplacement(1, 50.0, 50.0)
    assert found.overall == CellDisplacement(6, pytest.approx((10 + away + 50) / 6), 50.0)
    assert found.figures() == {"displaced_points": 6, "displacement_loss": found.overall.mean}


def test_displacement_needs_the_private_generators() -> None:
    with pytest.raises(NotApplicable, match="where the release was made"):
        displacement(TRACKS, published([["c0"]]))
