"""Golden vectors of the way from GPS tracks to cells and regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crypsis.data.track import Tracks
from crypsis.errors import CrypsisError
from crypsis.methods.trajectory.characteristic_points import characteristic_points
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.progressive_generalization import ProgressiveGeneralization, suggested_limit
from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
from crypsis.methods.trajectory.voronoi import neighbouring_pairs
from crypsis.run_context import RunContext
from tests.conformance.vectors import case, load

PPSG_SMALL = "trajectory/ppsg_small.json"
ROI_SMALL = "trajectory/roi_small.json"
NEIGHBOURS = "trajectory/voronoi_neighbours.json"
ERRORS = "trajectory/errors.json"


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-12)


def points_close(points: list[list[float]]) -> list[Any]:
    return [close(tuple(point)) for point in points]


def generalization(vector: Any, **more: Any) -> ProgressiveGeneralization:
    params = vector["params"]
    names = ("min_angle", "min_stop", "max_distance", "min_distance", "radius", "k")
    tracks = Tracks.from_lists(vector["input"]["tracks_xyt"])
    return ProgressiveGeneralization.of_tracks(tracks, **{name: params[name] for name in names}, **more)


small = pytest.mark.parametrize("vector", [case(PPSG_SMALL, load(PPSG_SMALL))])


@small
def test_characteristic_points(vector: Any) -> None:
    expected = vector["expected"]
    for tracks, indices in (
        (vector["input"]["tracks_xyt"], expected["characteristic_indices"]),
        ([vector["input"]["stop_track"]], [expected["stop_track_indices"]]),
    ):
        data = Tracks.from_lists(tracks)
        found = characteristic_points(data)
        parts = np.split(found, np.searchsorted(found, data.offsets[1:-1]))
        assert [(part - start).tolist() for part, start in zip(parts, data.offsets, strict=False)] == indices


@small
def test_cells_flows_and_displacements_before_any_step(vector: Any) -> None:
    expected, cells = vector["expected"], generalization(vector)
    assert cells.generators == points_close(expected["centroids"])
    assert cells.sequences == expected["generalized"]
    assert neighbouring_pairs(cells.state.x, cells.state.y).tolist() == expected["neighbours"]
    assert [[flow.origin, flow.target, flow.count] for flow in cells.flows] == expected["connections"]
    figures = [[cell.points, cell.mean_displacement, cell.max_displacement] for cell in cells.figures]
    assert figures == [close(row) for row in expected["displacement_n_mean_max"]]


@small
def test_progressive_steps(vector: Any) -> None:
    expected, cells = vector["expected"], generalization(vector)
    merged = [[merge.first, merge.second, merge.count] for merge in cells.step()]
    assert merged == expected["first_step_merged_a_b_count"]
    assert cells.generators == points_close(expected["first_step_centroids"])
    cells.run()
    assert cells.steps == expected["steps"]
    assert cells.generators == points_close(expected["final_centroids"])
    assert cells.sequences == expected["final_generalized"]
    limited = generalization(vector, max_displacement=350.0)
    assert limited.step() == expected["first_step_merged_with_max_displacement_350"]


@pytest.mark.parametrize("described", [case(PPSG_SMALL, load(PPSG_SMALL)["suggest_max_displacement"], name="suggest")])
def test_the_suggested_displacement(described: Any) -> None:
    local, marked = described["local"], described["marked"]
    assert suggested_limit(local, marked) == described["value"]
    assert suggested_limit(local, range(len(local))) == described["none_below"]


@pytest.mark.parametrize(
    ("vector", "inner"),
    [case(PPSG_SMALL, load(PPSG_SMALL), inner, name=inner) for inner in ("kam-cut", "kam-rec")],
)
def test_published_sequences_and_representatives(vector: Any, inner: str) -> None:
    params, expected = vector["params"], vector["expected"]
    context = RunContext()
    published = PPSG(inner=inner, **params).anonymize(Tracks.from_lists(vector["input"]["tracks_xyt"]), context)
    cell = {label: index for index, label in enumerate(published.generators.labels)}
    rows: list[list[int]] = [[] for _ in vector["input"]["tracks_xyt"]]
    for number, row in zip(context.private["published_input_rows"], published.to_lists(), strict=True):
        rows[number] = [cell[label] for label in row]
    assert rows == expected[inner.replace("-", "_")]
    if inner == "kam-rec":
        found = [
            [cell[label], x, y, context.private["visitors"][label]]
            for label, x, y in published.places.to_frame().iter_rows()
        ]
        assert sorted(found) == [close(row) for row in expected["kam_rec_representatives_cell_x_y_tracks"]]


@pytest.mark.parametrize("vector", [case(ROI_SMALL, load(ROI_SMALL))])
def test_regions_of_interest(vector: Any) -> None:
    found = RegionsOfInterest(**vector["params"]).prepare(Tracks.from_lists(vector["input"]["tracks_xyt"]))
    expected = vector["expected"]
    assert list(found.origin) == expected["origin"]
    assert found.rectangles.tolist() == expected["regions_x1_y1_x2_y2"]
    assert list(map(list, found.trajectories.paths())) == expected["sequences"]
    assert found.lost == 0


@pytest.mark.parametrize(
    "described", [case(NEIGHBOURS, one, name=number) for number, one in enumerate(load(NEIGHBOURS)["cases"])]
)
def test_neighbouring_voronoi_cells(described: Any) -> None:
    points = np.array(described["centroids"], np.float64)
    found = neighbouring_pairs(points[:, 0].copy(), points[:, 1].copy())
    assert found.tolist() == described["neighbours"]


@pytest.mark.parametrize(
    "described",
    [case(ERRORS, one, part="PPSG", name=one["name"]) for one in load(ERRORS)["cases"] if one["algorithm"] == "PPSG"],
)
def test_bad_input_raises_its_code(described: Any) -> None:
    def number(value: Any) -> Any:
        return float(value) if isinstance(value, str) else value

    with pytest.raises(CrypsisError) as raised:
        method = PPSG(**{name: number(value) for name, value in described["params"].items()})
        tracks = [[[number(value) for value in fix] for fix in track] for track in described["input"]["tracks_xyt"]]
        method.anonymize(Tracks.from_lists(tracks), RunContext())
    assert raised.value.code == described["error"]
    assert raised.value.exit_code in (2, 3)
    assert len(str(raised.value)) > 20
