"""Sets that are spread over columns, trips with start and end in one row, and location tables in degrees."""

from __future__ import annotations

from pathlib import Path

import pytest

import crypsis
from crypsis.errors import BadParameter, UnknownColumn
from crypsis.evaluate.dataset import Dataset

CODES = "age,dx01,dx02,dx03,sex\n40,a, ,b,m\n51,c,c,,f\n62,,,,f\n"
TRIPS = (
    "ride,started,from,ended,to,from_lat,from_lon,to_lat,to_lon\n"
    "1,2020-01-01T10:00,A,2020-01-01T10:30,B,40.1,-74.0,40.2,-74.1\n"
    "2,2020-01-01T11:00,B,2020-01-01T11:30,A,40.2,-74.1,40.1,-74.0\n"
)


def test_columns_of_codes_become_one_set_in_python_and_in_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(CODES)
    roles = {"age": "quasi", "sex": "quasi"}
    read = crypsis.read_mixed(path, roles, {"dx": "dx01..dx03"}, each_row_is_a_person=True)
    assert read.transactions.to_lists() == [["a", "b"], ["c"], []]
    assert read.table.names == ("age", "sex")
    columns = {"dx": {"type": "items", "item_separator": "dx01..dx03"}}
    section = {"path": str(path), "columns": columns, "rest": "quasi", "each_row_is_a_person": True}
    assert Dataset(section, tmp_path).load().transactions.to_lists() == [["a", "b"], ["c"], []]


def test_a_range_of_columns_that_are_not_there_or_stand_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(CODES)
    with pytest.raises(UnknownColumn, match="'dx09'"):
        crypsis.read_mixed(path, {"age": "quasi", "sex": "quasi"}, {"dx": "dx01..dx09"})
    with pytest.raises(BadParameter, match="stands behind"):
        crypsis.read_mixed(path, {"age": "quasi", "sex": "quasi"}, {"dx": "dx03..dx01"})


def test_trips_with_start_and_end_in_one_row_are_trajectories_of_two_visits(tmp_path: Path) -> None:
    path = tmp_path / "rides.csv"
    path.write_text(TRIPS)
    read = crypsis.read_trajectories(path, id="ride", location="from..to", position="started..ended")
    assert read.to_lists() == [["A", "B"], ["B", "A"]]


def test_trips_with_start_and_end_in_one_row_are_tracks_of_two_fixes(tmp_path: Path) -> None:
    path = tmp_path / "rides.csv"
    path.write_text(TRIPS)
    read = crypsis.read_tracks(path, id="ride", t="started..ended", lat="from_lat..to_lat", lng="from_lon..to_lon")
    assert read.points == 4
    assert read.x[0] == read.x[3] != read.x[1]


def test_a_location_table_in_degrees_is_projected(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("location,lat,lon\nA,40.1,-74.0\nB,40.2,-74.1\n")
    read = crypsis.read_locations(path)
    assert read.has_coordinates
    assert read.y is not None
    assert 11_000 < read.y[1] - read.y[0] < 11_300  # a tenth of a degree to the north


def test_a_mark_at_the_end_of_every_line_is_no_item(tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2 -1\n3 -1\n\n")
    assert crypsis.read_transactions(path).to_lists() == [["1", "2"], ["3"], []]
    path.write_text("1 2 -1\n3\n")
    assert crypsis.read_transactions(path).to_lists() == [["-1", "1", "2"], ["3"]]
