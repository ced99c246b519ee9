"""The steps from fixes to cells against their slow versions, and the generalization as its user sees it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.data.track import Tracks
from crypsis.errors import BadParameter, NotApplicable, OwnerRepeated
from crypsis.kernels.nearest_generators import nearest_generators
from crypsis.methods.trajectory.characteristic_points import characteristic_points
from crypsis.methods.trajectory.point_grouping import group_means
from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization, suggested_limit
from crypsis.methods.trajectory.tessellation import Tessellation
from crypsis.methods.trajectory.voronoi import are_neighbours, neighbouring_pairs, without_duplicates
from tests.reference import tracks as reference
from tests.reference.tracks import Fix
from tests.strategies import track_lists

grid_places = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda place: (float(place[0]), float(place[1])))
tenth_places = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(lambda place: (place[0] / 10, place[1] / 10))
free_places = st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
places = st.one_of(
    st.lists(kind, min_size=1, max_size=14, unique=True) for kind in (grid_places, tenth_places, free_places)
)


def arrays(points: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([point[0] for point in points]), np.array([point[1] for point in points])


@given(track_lists(max_points=14), st.sampled_from([(45, 300, 60, 3), (30, 500, 15, 1), (90, 100, 1000, 20)]))
def test_characteristic_points_match_the_definition(lists: list[list[Fix]], limits: tuple[float, ...]) -> None:
    angle, stop, far, near = limits
    tracks = Tracks.from_lists(lists)
    found = characteristic_points(tracks, min_angle=angle, min_stop=stop, max_distance=far, min_distance=near)
    expected = [
        start + index
        for start, track in zip(tracks.offsets.tolist(), lists, strict=False)
        for index in reference.characteristic_points(track, angle, stop, far, near)
    ]
    assert found.tolist() == expected


@given(track_lists(max_tracks=5, max_points=12), st.sampled_from([0.5, 1.0, 2.0, 10.0, 50.0, 1000.0]))
def test_groups_match_the_definition(lists: list[list[Fix]], radius: float) -> None:
    points = [fix[:2] for track in lists for fix in track]
    x, y = group_means(*arrays(points), radius)
    expected = reference.group_means(points, radius)
    assert list(zip(x, y, strict=True)) == [pytest.approx(point, abs=1e-12) for point in expected]


@given(places, st.lists(grid_places | tenth_places | free_places, min_size=1, max_size=20))
def test_the_nearest_generator_with_the_lowest_index_is_found(generators, points) -> None:
    found = nearest_generators(*arrays(generators), *arrays(points))
    assert found.tolist() == [reference.nearest(generators, point)[0] for point in points]


@given(places)
def test_neighbours_match_the_definition(generators: list[tuple[float, float]]) -> None:
    x, y = arrays(generators)
    stays = without_duplicates(x, y)
    kept = [point for point, stay in zip(generators, stays, strict=True) if stay]
    assert kept == reference.distinct(generators)
    found = neighbouring_pairs(*arrays(kept))
    assert sorted(map(tuple, found.tolist())) == sorted(reference.neighbouring_pairs(kept))
    assert found.tolist() == sorted(found.tolist())


@pytest.mark.parametrize(
    "generators",
    [
        [(float(x), float(y)) for x in range(9) for y in range(8)],
        [(i / 10, 3 * i / 10) for i in range(60)],
        [(float(i), 0.0) for i in range(60)],
        [(float(np.cos(i)), float(np.sin(i))) for i in range(60)],
        [(float(x) + 4e6, float((x * 37) % 61) + 5e6) for x in range(61)],
    ],
    ids=["grid", "nearly collinear", "collinear", "on a circle", "far from the origin"],
)
def test_neighbours_of_many_generators_match_the_definition(generators: list[tuple[float, float]]) -> None:
    found = neighbouring_pairs(*arrays(generators))
    assert sorted(map(tuple, found.tolist())) == sorted(reference.neighbouring_pairs(generators))


@pytest.mark.long
def test_scattered_neighbours_match_the_definition() -> None:
    random = np.random.default_rng(7)
    x, y = random.random(300) * 1e4, random.random(300) * 1e4
    first, second = np.triu_indices(300, 1)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    expected = reference.neighbouring_pairs(points)
    chosen = are_neighbours(x, y, first, second)
    assert sorted(zip(first[chosen].tolist(), second[chosen].tolist(), strict=True)) == sorted(expected)
    assert sorted(map(tuple, neighbouring_pairs(x, y).tolist())) == sorted(expected)


@given(
    track_lists(min_tracks=2),
    st.sampled_from([1.0, 15.0, 60.0]),
    st.integers(1, 4),
    st.sampled_from([None, 3.0, 40.0, 400.0]),
    st.sampled_from(["max", "mean"]),
    st.sampled_from(["mean", "medoid"]),
    st.booleans(),
)
@settings(max_examples=150)
def test_steps_match_the_definition(lists, radius, k, limit, measure, rep, by_owner) -> None:
    owners = [number // 2 for number in range(len(lists))]
    individuals = owners if by_owner else list(range(len(lists)))
    cells = ProgressiveGeneralization.of_tracks(
        Tracks.from_lists(lists, owners),
        radius,
        min_distance=1.0,
        max_distance=50.0,
        unit="owner" if by_owner else "trajectory",
        k=k,
        max_displacement=limit,
        displacement=measure,
        rep=rep,
    )
    while True:
        generators = cells.generators
        assert cells.sequences == reference.sequences(lists, generators)
        expected_flows = reference.flows(lists, generators, individuals)
        assert {(flow.origin, flow.target): flow.count for flow in cells.flows} == expected_flows
        assert list(expected_flows) == [(flow.origin, flow.target) for flow in cells.flows]
        expected, following = reference.step(lists, generators, individuals, k, limit, measure, rep)
        if len(generators) <= 2:
            assert cells.step() == []
            break
        made = cells.step()
        assert [(merge.first, merge.second, merge.count) for merge in made] == expected
        if not made:
            break
        assert cells.generators == [pytest.approx(point, abs=1e-9) for point in following]
        everything = Tessellation.of(cells.state.tracks, cells.state.individuals, cells.state.x, cells.state.y)
        assert everything == cells.state


@given(track_lists(min_tracks=2), st.integers(2, 4), st.integers(1, 3))
def test_undo_restores_the_state_exactly_and_steps_repeat_exactly(lists, k, levels) -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists(lists), 15.0, min_distance=1.0, k=k, min_cells=1)
    states, merges = [cells.state], []
    while made := cells.step():
        states.append(cells.state)
        merges.append(made)
    figures, flows = cells.figures, cells.flows
    undone = cells.undo(levels)
    assert undone == min(levels, len(merges))
    assert cells.state == states[len(merges) - undone]
    assert cells.steps == len(merges) - undone
    assert cells.run() == merges[len(merges) - undone :]
    assert cells.state == states[-1]
    assert (cells.figures, cells.flows) == (figures, flows)
    assert cells.undo(1000) == len(merges)
    assert cells.state == states[0]
    assert cells.undo() == 0


@given(track_lists(min_tracks=2), st.integers(2, 4))
def test_nothing_weak_is_left_when_no_limit_stops_the_merging(lists, k) -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists(lists), 15.0, min_distance=1.0, k=k, min_cells=1)
    cells.run()
    assert cells.n_weak == 0
    assert all(flow.count >= 1 for flow in cells.flows)


WAYS = [
    [(0, 0, 0), (1000, 0, 60), (2000, 0, 120), (3000, 0, 180)],
    [(0, 9, 0), (1000, 9, 60), (2000, 9, 120)],
    [(0, 5, 0), (1000, 5, 60)],
]


def test_run_stops_after_n_steps_and_undo_can_be_limited() -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), 300, k=3, history=1, min_cells=1)
    assert len(cells) == 4
    assert len(cells.run(1)) == 1
    assert len(cells.run(0)) == 0
    cells.step()
    assert cells.undo(5) == 1


def test_rules_may_change_between_steps() -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), 300, k=3, max_displacement=1.0)
    assert cells.step() == []
    cells.merging = type(cells.merging)(k=3, max_displacement=5000.0)
    assert len(cells.step()) == 1


def test_the_suggested_limit_spares_the_marked_cells() -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), 300, k=3)
    cells.step()
    local = [figures.max_displacement for figures in cells.figures]
    largest = local.index(max(local))
    limit = cells.suggest([largest])
    assert limit == max(value for value in local if value < local[largest])
    assert cells.suggest(range(len(cells))) == 0
    with pytest.raises(BadParameter, match="there is no cell 99"):
        cells.suggest([99])


def test_without_marks_the_largest_displacement_is_suggested() -> None:
    assert suggested_limit([3.0, 5.0], []) == 5.0


@pytest.mark.parametrize("generators", [[], [(float("nan"), 0.0)]])
def test_generators_must_be_points(generators) -> None:
    with pytest.raises(BadParameter, match="finite points"):
        ProgressiveGeneralization(Tracks.from_lists(WAYS), generators)


@pytest.mark.parametrize("radius", [0, -1.0, float("nan"), float("inf")])
def test_a_radius_must_be_positive(radius: float) -> None:
    with pytest.raises(BadParameter, match="radius"):
        ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), radius)


def test_repeated_owners_demand_a_choice() -> None:
    with pytest.raises(OwnerRepeated):
        ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS, owners=[1, 1, 2]), 300)
    with pytest.raises(NotApplicable, match="owner"):
        ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), 300, unit="owner")
    with pytest.raises(BadParameter, match="unit"):
        ProgressiveGeneralization.of_tracks(Tracks.from_lists(WAYS), 300, unit="car")


def test_all_points_equal_make_one_cell() -> None:
    cells = ProgressiveGeneralization.of_tracks(Tracks.from_lists([[(1, 1, 0), (1, 1, 5)], [(1, 1, 2)]]), 10, k=2)
    assert (len(cells), cells.sequences, cells.flows, cells.step()) == (1, [[0], [0]], [], [])
