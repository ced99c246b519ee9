"""A table with one row per trip is read as two visits each, whatever its columns are called."""

from __future__ import annotations

import pytest

from crypsis.evaluate.trips import SIDE, settings_of_trips

OLD = [
    "bikeid",
    "starttime",
    "stoptime",
    "start_station_id",
    "start_station_latitude",
    "start_station_longitude",
    "end_station_id",
    "end_station_latitude",
    "end_station_longitude",
]
NEW = [
    "ride_id",
    "started_at",
    "ended_at",
    "start_lat",
    "start_lng",
    "end_lat",
    "end_lng",
    "start_station_name",
    "end_station_name",
]


@pytest.mark.parametrize("columns", [OLD, NEW])
def test_trips_with_coordinates_visit_squares_of_the_map(columns: list[str]) -> None:
    told = settings_of_trips(columns)
    assert told is not None
    assert (told["kind"], told["grid"], told["id"]) == ("trajectories", SIDE, "trip")
    (step,) = told["step"]
    assert len(step["starts"]) == len(step["ends"]) == len(step["to"])
    assert {told["time"], told["lat"], told["lon"]} <= {*step["to"]}
    assert "person" not in told  # whose a trip is, is asked


def test_trips_without_coordinates_visit_the_places_that_are_named() -> None:
    told = settings_of_trips(["person", "from_place", "to_place", "from_time", "to_time"])
    assert told is not None
    assert (told["location"], told["position"]) == ("place", "time")


@pytest.mark.parametrize("columns", [["age", "sex"], ["start_time", "end_time"], ["from_place", "to_place"]])
def test_what_has_no_two_ends_is_no_trip(columns: list[str]) -> None:
    assert settings_of_trips(columns) is None
