"""Raw check-ins become trajectories over the cells of a grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data import read_checkins, trajectories_from_checkins
from crypsis.data.checkins import snap_to_grid
from crypsis.errors import BadCoordinate, BadParameter, BadRow, UnknownColumn
from tests.shared_data import dataset

# In zone 31 a degree of longitude at the equator is about 111 km: cells of 100 km are told apart by whole degrees.
CHECKINS = pl.DataFrame(
    {
        "user": ["u", "v", "u", "u", "u"],
        "time": [
            "2010-10-12T23:00:00Z",
            "2010-10-12T00:00:00Z",
            "2010-10-12T22:00:00Z",
            "2010-10-13T00:30:00Z",
            "2010-10-13T01:00:00Z",
        ],
        "lat": [1.0, 1.0, 1.0, 1.0, 1.0],
        "lon": [5.0, 3.0, 3.0, 5.0, 3.0],
    }
)


def test_visits_are_ordered_by_time_and_staying_is_one_visit() -> None:
    data = trajectories_from_checkins(CHECKINS, cell=100_000.0)
    west, east = "c5_1", "c7_1"  # x of 3 degrees is near 500 km, y of 1 degree near 110 km
    assert data.to_lists() == [[west, east, west], [west]]
    assert data.ids is not None
    assert data.ids.to_list() == ["u", "v"]
    assert data.owners is None
    every = trajectories_from_checkins(CHECKINS, cell=100_000.0, collapse=False)
    assert every.to_lists() == [[west, east, east, west], [west]]


def test_a_trajectory_per_day_belongs_to_the_user() -> None:
    data = trajectories_from_checkins(CHECKINS, cell=100_000.0, one_per="day")
    assert data.to_lists() == [["c5_1", "c7_1"], ["c7_1", "c5_1"], ["c5_1"]]
    assert data.owners is not None
    assert data.owners.tolist() == [0, 0, 1]
    assert data.ids is None


@given(
    st.lists(st.tuples(st.floats(-5000, 5000), st.floats(-5000, 5000)), min_size=1, max_size=20),
    st.sampled_from([1.0, 99.5, 1000.0]),
)
def test_every_point_lies_in_its_cell(points: list[tuple[float, float]], cell: float) -> None:
    x, y = np.array(points).T
    locations, codes = snap_to_grid(x, y, cell)
    assert locations.x is not None
    assert locations.y is not None
    assert np.all(np.abs(x - locations.x[codes]) <= cell / 2 * (1 + 1e-9))
    assert np.all(np.abs(y - locations.y[codes]) <= cell / 2 * (1 + 1e-9))
    assert sorted(set(codes.tolist())) == list(range(len(locations)))
    numbers = [tuple(map(int, label[1:].split("_"))) for label in locations.labels]
    assert numbers == sorted(numbers)
    for (across, up), code in zip(np.column_stack((x // cell, y // cell)).astype(int).tolist(), codes, strict=True):
        assert locations.labels[code] == f"c{across}_{up}"  # whatever other points there are


@pytest.mark.parametrize(
    ("value", "cell", "number"),
    [(-5e-324, 99.5, -1), (-0.0, 1.0, 0), (np.nextafter(298.5, 0), 99.5, 2), (298.5, 99.5, 3), (-1e-20, 1000.0, -1)],
)
def test_a_point_just_below_an_edge_is_below_it(value: float, cell: float, number: int) -> None:
    locations, _ = snap_to_grid(np.array([value]), np.array([value]), cell)
    assert list(locations.labels) == [f"c{number}_{number}"]


@pytest.mark.parametrize("cell", [0, -1, float("nan"), float("inf"), "x", True])
def test_a_cell_must_be_a_positive_number_of_metres(cell: float) -> None:
    with pytest.raises(BadParameter, match="positive number of metres"):
        trajectories_from_checkins(CHECKINS, cell=cell)


def test_bad_check_ins_are_refused_with_file_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "checkins.csv"
    CHECKINS.with_columns(lat=pl.Series(["1", "2", "", "1", "1"])).write_csv(file)
    with pytest.raises(BadCoordinate) as caught:
        read_checkins(file)
    assert caught.value.where == f"{file}, line 4, column 'lat'"
    CHECKINS.with_columns(time=pl.Series(["2010-10-12"] * 4 + ["yesterday"])).write_csv(file)
    with pytest.raises(BadRow) as bad_time:
        read_checkins(file)
    assert bad_time.value.where == f"{file}, line 6, column 'time'"
    with pytest.raises(UnknownColumn, match="Did you mean 'user'?"):
        read_checkins(file, user="users")
    with pytest.raises(BadParameter, match="'user' or 'day'"):
        read_checkins(file, one_per="week")


def test_numbers_as_times_are_ordered_but_have_no_days() -> None:
    numbered = CHECKINS.with_columns(time=pl.Series([3, 1, 2, 4, 5]))
    assert trajectories_from_checkins(numbered, cell=1e5) == trajectories_from_checkins(CHECKINS, cell=1e5)
    with pytest.raises(BadParameter, match="needs timestamps"):
        trajectories_from_checkins(numbered, one_per="day")


@pytest.mark.real_data("gowalla_nyc")
def test_the_check_ins_of_new_york_become_one_trajectory_per_user() -> None:
    file = dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz"
    data = read_checkins(file, cell=1000.0)
    assert len(data) == 7115
    assert data.locations.has_coordinates
    assert read_checkins(file, cell=1000.0, collapse=False).visits == 138_957
    days = read_checkins(file, cell=1000.0, one_per="day")
    assert days.owner_repeats
    assert len(np.unique(days.owners)) == 7115


def test_a_release_of_cells_says_which_grid_they_are_of(tmp_path: Path) -> None:
    data = trajectories_from_checkins(pl.concat([CHECKINS] * 2), cell=100_000.0)
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=1, m=1))
    release.write(tmp_path / "release")
    again = crypsis.read_release(tmp_path / "release")
    assert again.manifest["data"]["grid"] == {"crs": "EPSG:32631", "origin": [0.0, 0.0], "size": 100_000.0}
    assert again.side_file.grid == data.locations.grid
    assert again.side_file.crs == "EPSG:32631"
