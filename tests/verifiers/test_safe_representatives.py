"""The verifier of published places notices every way in which one may give somebody away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.cell_blocks import CellBlocks
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import SequenceKAnonymity
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from crypsis.verifiers.safe_representatives import generalized_tracks, unsafe_place, visitors
from tests.reference import tracks as reference
from tests.reference.tracks import Fix
from tests.strategies import track_lists

GENERATORS = {"c0": (0.0, 0.0), "c1": (100.0, 0.0), "c2": (200.0, 0.0)}
TRACKS = Tracks.from_lists(
    [[(0, 1, 0), (100, 2, 1)], [(2, 0, 0), (101, 3, 1)], [(1, 5, 0), (99, 1, 1), (200, 0, 2)]], owners=[1, 2, 2]
)
PROMISED = SequenceKAnonymity(k=3)


def published(rows=None, places=None) -> PublishedTrajectories:
    rows = [["c0", "c1"]] * 3 if rows is None else rows
    places = {"c0": (1.0, 2.0), "c1": (100.0, 2.5)} if places is None else places
    return replace(
        PublishedTrajectories.from_lists(rows), places=Locations.of(places), generators=Locations.of(GENERATORS)
    )


def test_safe_places_pass() -> None:
    verdict = verify(published(), PROMISED, TRACKS)
    assert verdict.holds
    assert "recomputed from the tracks" in verdict.counted
    assert visitors(published(), TRACKS, "trajectory") == {"c0": 3, "c1": 3, "c2": 1}


@pytest.mark.parametrize(
    ("rows", "places", "problem"),
    [
        (None, {"c0": (0.0, 1.0), "c1": (100.0, 2.5)}, "place of cell 'c0' is a position that 1 individuals share"),
        (None, {"c0": (5e-10, 1.0), "c1": (100.0, 2.5)}, "place of cell 'c0' is a position"),
        (None, {"c0": (1.0, 2.0), "c1": (200.0, 0.0)}, "place of cell 'c1' is a position"),
        (None, {"c0": (1.0, 2.0)}, "Cell 'c1' has no place"),
        (None, {"c0": (1.0, 2.0), "c1": (100.0, 2.5), "c2": (190.0, 7.0)}, "but the cell is in no row"),
        ([["c2"]] * 3, {"c2": (190.0, 7.0)}, "Cell 'c2' was visited by 1, 3 are required"),
    ],
)
def test_an_unsafe_place_is_named(rows, places, problem: str) -> None:
    verdict = verify(published(rows, places), PROMISED, TRACKS)
    assert not verdict.holds
    assert problem in verdict.problem


def test_visitors_are_those_of_the_block_of_a_cell() -> None:
    """Two tracks are of the block with c0 and c1; a third passes there, but it was generalized in another block."""
    cells = {"c0": (0.0, 0.0), "c1": (100.0, 0.0), "c2": (500.0, 0.0)}
    places = {"c0": (1.0, 2.0), "c1": (100.0, 2.5)}
    release = replace(published(places=places), generators=Locations.of(cells))
    assert verify(release, PROMISED, TRACKS).holds
    apart = replace(release, cell_blocks=CellBlocks.of([2, 1], [np.array([0, 1]), np.array([2])]))
    assert visitors(apart, TRACKS, "trajectory") == {"c0": 2, "c1": 2, "c2": 1}
    verdict = verify(apart, PROMISED, TRACKS)
    assert not verdict.holds
    assert "visited by 2, 3 are required" in verdict.problem


def test_rows_that_the_tracks_do_not_have_are_noticed() -> None:
    verdict = verify(published([["c1", "c0"]] * 2), PROMISED, TRACKS)
    assert not verdict.holds
    assert "contained in 0 original trajectories" in verdict.problem


def test_owners_are_counted_where_they_are_promised() -> None:
    found = unsafe_place(published(), TRACKS, 3, "owner")
    assert found is not None
    assert found.support == 2
    assert unsafe_place(published(), TRACKS, 2, "owner") is None
    with pytest.raises(NotApplicable, match="owner of each track"):
        unsafe_place(published(), Tracks.from_lists(TRACKS.to_lists()), 2, "owner")


def test_missing_places_are_noticed() -> None:
    assert unsafe_place(replace(published(), places=None), TRACKS, 3, "trajectory").sentence.startswith("no places")


def test_without_the_private_generators_nothing_is_claimed() -> None:
    without = replace(published(), generators=None)
    with pytest.raises(OriginalRequired, match="generators"):
        verify(without, PROMISED, TRACKS)
    assert unsafe_place(without, TRACKS, 3, "trajectory", Locations.of(GENERATORS)) is None


@given(track_lists(), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12, unique=True))
def test_tracks_are_generalized_as_the_definition_says(lists: list[list[Fix]], places) -> None:
    generators = [(float(x), float(y)) for x, y in places]
    table = Locations.of({str(number): point for number, point in enumerate(generators)})
    found = generalized_tracks(Tracks.from_lists(lists), table)
    assert list(map(list, found.paths())) == reference.sequences(lists, generators)


@given(track_lists(min_tracks=3, max_tracks=8), st.integers(2, 3), st.data())
def test_a_place_moved_onto_somebodys_fix_is_noticed(lists: list[list[Fix]], k: int, data: st.DataObject) -> None:
    tracks = Tracks.from_lists(lists)
    made = PPSG(k=k, radius=15.0, min_distance=1.0).anonymize(tracks, RunContext())
    if not len(made.places):
        return
    assert verify(made, SequenceKAnonymity(k=k), tracks).holds
    cell = data.draw(st.integers(0, len(made.places) - 1))
    fix = data.draw(st.integers(0, tracks.points - 1))
    shared = sum(any((x, y) == (tracks.x[fix], tracks.y[fix]) for x, y, _ in track) for track in lists)
    x, y = made.places.x.copy(), made.places.y.copy()
    x[cell], y[cell] = tracks.x[fix], tracks.y[fix]
    moved = replace(made, places=replace(made.places, x=x, y=y))
    assert verify(moved, SequenceKAnonymity(k=k), tracks).holds == (shared >= k)
    assert np.array_equal(made.generators.x, moved.generators.x)
