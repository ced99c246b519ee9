"""Regions of interest against their slow version, and what may be published of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import BadParameter, NotApplicable, TooLarge
from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
from tests.reference import tracks as reference
from tests.reference.tracks import Fix
from tests.strategies import track_lists


@given(
    track_lists(max_tracks=8, max_points=12),
    st.sampled_from([0.3, 1.0, 2.0, 25.0]),
    st.sampled_from([0.1, 0.3, 0.5, 1.0]),
)
def test_regions_match_the_definition(lists: list[list[Fix]], cell: float, density: float) -> None:
    found = RegionsOfInterest(cell=cell, min_density=density).prepare(Tracks.from_lists(lists))
    rectangles, sequences = reference.regions(lists, cell, density)
    assert [tuple(rectangle) for rectangle in found.rectangles.tolist()] == rectangles
    kept = [sequence for sequence in sequences if sequence]
    assert found.trajectories.to_lists() == [[f"r{region}" for region in sequence] for sequence in kept]
    assert found.rows.tolist() == [row for row, sequence in enumerate(sequences) if sequence]
    assert found.lost == len(lists) - len(kept)


TRACKS = [[(3, 4, 0), (95, 5, 9)], [(6, 4, 0), (55, 5, 5), (94, 6, 9)], [(55, 55, 0)]]


def test_rectangles_on_the_grid_of_the_data_are_not_given_away() -> None:
    found = RegionsOfInterest(cell=10, min_density=0.6).prepare(Tracks.from_lists(TRACKS))
    assert found.origin == (3.0, 4.0)
    assert not found.trajectories.locations.has_coordinates
    with pytest.raises(NotApplicable, match="somebody's position"):
        found.bounds(PublishedTrajectories.from_lists([["r0"]]))


@pytest.mark.parametrize("origin", [{"origin": "snapped"}, {"origin_x": 0.0, "origin_y": 0.0}])
def test_rectangles_on_another_grid_are_published_where_a_row_holds_them(origin) -> None:
    found = RegionsOfInterest(cell=10, min_density=0.6, **origin).prepare(Tracks.from_lists(TRACKS))
    assert found.origin == (0.0, 0.0)
    assert found.trajectories.to_lists() == [["r0", "r1"], ["r0", "r1"]]
    assert (found.rows.tolist(), found.lost) == ([0, 1], 1)
    assert found.bounds(PublishedTrajectories.from_lists([["r1"], []])) == {"r1": (90.0, 0.0, 100.0, 10.0)}
    assert found.trajectories.locations.x.tolist() == [5.0, 95.0]


def test_the_middle_of_a_region_lies_inside_it() -> None:
    tracks = Tracks.from_lists([[(5, 5, 0), (15, 5, 1)], [(5, 5, 0), (15, 5, 1)]])
    found = RegionsOfInterest(cell=10, min_density=1.0, origin="snapped").prepare(tracks)
    assert found.rectangles.tolist() == [[0, 0, 1, 0]]
    assert (found.trajectories.locations.x[0], found.trajectories.locations.y[0]) == (10.0, 5.0)
    assert found.trajectories.to_lists() == [["r0"], ["r0"]]


def test_owners_and_ids_stay_with_their_tracks() -> None:
    found = RegionsOfInterest(cell=10, min_density=0.6).prepare(Tracks.from_lists(TRACKS, owners=[7, 7, 8]))
    assert found.trajectories.owners.tolist() == [0, 0]


def test_one_coordinate_of_an_origin_is_not_enough() -> None:
    with pytest.raises(BadParameter, match="both origin_x and origin_y"):
        RegionsOfInterest(origin_x=0.0).prepare(Tracks.from_lists(TRACKS))


def test_an_origin_inside_the_data_is_refused() -> None:
    with pytest.raises(BadParameter, match="smaller one"):
        RegionsOfInterest(origin_x=50.0, origin_y=0.0).prepare(Tracks.from_lists(TRACKS))


@pytest.mark.parametrize("bad", [{"cell": 0}, {"cell": float("nan")}, {"min_density": 0}, {"min_density": 1.5}])
def test_bad_parameters_are_refused(bad) -> None:
    with pytest.raises(BadParameter, match=next(iter(bad))):
        RegionsOfInterest(**bad)


def test_a_grid_that_is_too_fine_is_refused() -> None:
    with pytest.raises(TooLarge, match="larger cell"):
        RegionsOfInterest(cell=1e-4).prepare(Tracks.from_lists([[(0, 0, 0), (1e3, 1e3, 1)]]))


def test_no_tracks_have_no_regions() -> None:
    empty = Tracks(np.zeros(1, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    found = RegionsOfInterest().prepare(empty)
    assert (len(found.trajectories), len(found.rectangles), found.lost) == (0, 0, 0)
