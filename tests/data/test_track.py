"""Tracks: planar points with strictly rising times, and the column names of other libraries."""

from __future__ import annotations

import sys
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Tracks
from crypsis.errors import (
    BadCoordinate,
    BadParameter,
    BadRow,
    BadTimestamps,
    EmptyTrack,
    MissingExtra,
    UnknownColumn,
)

coordinates = st.floats(-1e6, 1e6)
tracks = st.lists(
    st.lists(
        st.tuples(coordinates, coordinates, st.integers(0, 50)), min_size=1, max_size=6, unique_by=lambda p: p[2]
    ).map(lambda points: sorted(points, key=lambda point: point[2])),
    max_size=5,
)
BEIJING = pl.DataFrame(
    {
        "uid": ["001", "001", "005"],
        "lat": [39.984094, 39.984198, 39.99],
        "lng": [116.319236, 116.319322, 116.32],
        "datetime": ["2008-10-23 05:53:05", "2008-10-23 05:53:06", "2008-10-23 05:53:05"],
    }
)


@given(tracks)
def test_tracks_give_their_points_back_as_lists_and_as_a_long_table(
    drawn: list[list[tuple[float, float, int]]],
) -> None:
    data = Tracks.from_lists(drawn)
    assert data.to_lists() == [[tuple(map(float, point)) for point in track] for track in drawn]
    assert Tracks.from_lists(data.to_lists()) == data
    long = data.to_frame()
    assert Tracks.from_frame(long) == data
    assert Tracks.from_frame(long.reverse(), sort=True).points == data.points


def test_owners_are_kept_and_must_be_one_per_track() -> None:
    data = Tracks.from_lists([[(0, 0, 0)], [(1, 1, 0)], [(2, 2, 0)]], owners=["ann", "bob", "ann"])
    assert data.owners is not None
    assert (data.owners.tolist(), data.owner_repeats) == ([0, 1, 0], True)
    again = Tracks.from_frame(data.to_frame(), id="track_id", owner="owner")
    assert again == data
    assert again.take(np.array([1])).owners is not None
    two_owners = pl.DataFrame({"track_id": [1, 1], "owner": ["a", "b"], "x": [0, 0], "y": [0, 0], "t": [0, 1]})
    with pytest.raises(BadRow, match="two owners for one id"):
        Tracks.from_frame(two_owners)


@pytest.mark.parametrize(
    ("points", "error", "where"),
    [
        ([[(0, 0, 0), (0, 0, 0)]], BadTimestamps, "track 0, point 1"),
        ([[(0, 0, 0)], [(0, 0, 5), (0, 0, 6), (0, 0, 4)]], BadTimestamps, "track 1, point 2"),
        ([[(0, 0, float("nan"))]], BadTimestamps, "track 0, point 0"),
        ([[(0, 0, 0), (float("inf"), 0, 1)]], BadCoordinate, "track 0, point 1"),
        ([[(0, None, 0)]], BadCoordinate, "track 0, point 0"),
        ([[(0, 0)]], BadCoordinate, "track 0, point 0"),
        ([[(0, 0, 0)], []], EmptyTrack, "track 1"),
    ],
)
def test_bad_points_are_refused_with_their_place(points: list[list[tuple[float]]], error: type, where: str) -> None:
    with pytest.raises(error) as caught:
        Tracks.from_lists(points)
    assert caught.value.where == where


def test_bad_rows_of_a_table_are_refused_with_row_and_column() -> None:
    frame = pl.DataFrame({"track_id": [1, 1], "x": [0.0, 0.0], "y": [0.0, 0.0], "t": [1, 1]})
    with pytest.raises(BadTimestamps) as caught:
        Tracks.from_frame(frame)
    assert (caught.value.code, caught.value.where) == ("bad-timestamps", "row 1, column 't'")
    assert "occurs twice" in caught.value.message
    with pytest.raises(BadTimestamps, match="sort=True"):
        Tracks.from_frame(frame.with_columns(t=pl.Series([2, 1])))
    with pytest.raises(BadCoordinate) as caught:
        Tracks.from_frame(frame.with_columns(t=pl.Series([0, 1]), x=pl.Series([0.0, None])))
    assert caught.value.where == "row 1, column 'x'"


def test_repeated_instants_can_be_left_out_and_are_counted() -> None:
    frame = pl.DataFrame({"track_id": [1, 1, 2, 2], "x": [0, 9, 0, 9], "y": [0, 0, 0, 0], "t": [1, 1, 1, 2]})
    data = Tracks.from_frame(frame, repeated="first")
    assert (data.to_lists(), data.repeated) == ([[(0, 0, 1)], [(0, 0, 1), (9, 0, 2)]], 1)
    with pytest.raises(BadParameter, match="'error' or 'first'"):
        Tracks.from_frame(frame, repeated="last")


def test_scikit_mobility_columns_are_understood_and_projected() -> None:
    data = Tracks.from_frame(BEIJING)
    assert (len(data), data.crs) == (2, "EPSG:32650")
    assert data.ids is not None
    assert data.ids.to_list() == ["001", "005"]
    assert data.t[1] - data.t[0] == 1.0
    assert data.t[0] == (datetime(2008, 10, 23, 5, 53, 5) - datetime(1970, 1, 1)).total_seconds()
    # A hundred-thousandth of a degree is about a metre: 0.000104 up, 0.000086 east of Beijing.
    assert abs(np.hypot(data.x[1] - data.x[0], data.y[1] - data.y[0]) - np.hypot(11.5, 7.3)) < 0.5


def test_a_trip_column_makes_tracks_and_the_user_their_owner() -> None:
    data = Tracks.from_frame(BEIJING.with_columns(tid=pl.Series([1, 2, 3])))
    assert (len(data), data.owner_repeats) == (3, True)


@pytest.mark.parametrize("points", ["columns", "text"])
def test_trackintel_columns_are_understood(points: str) -> None:
    renamed = BEIJING.rename({"uid": "user_id", "datetime": "tracked_at", "lat": "latitude", "lng": "longitude"})
    if points == "text":
        text = ["POINT (116.319236 39.984094)", "POINT(116.319322 39.984198)", "Point Z (116.32 39.99 12)"]
        renamed = renamed.drop("latitude", "longitude").with_columns(geom=pl.Series(text))
    assert Tracks.from_frame(renamed) == Tracks.from_frame(BEIJING)


def test_a_projection_can_be_chosen() -> None:
    assert Tracks.from_frame(BEIJING, crs=32651).crs == "EPSG:32651"
    planar = pl.DataFrame({"track_id": [1], "x": [0], "y": [0], "t": [0]})
    assert Tracks.from_frame(planar).crs is None
    assert Tracks.from_frame(planar, crs="EPSG:32650").crs == "EPSG:32650"
    for wrong in ("EPSG:4326", "utm", "EPSG:1"):
        with pytest.raises(BadParameter, match="planar projection"):
            Tracks.from_frame(BEIJING, crs=wrong)


def test_degrees_outside_the_earth_or_no_points_are_bad_coordinates() -> None:
    with pytest.raises(BadCoordinate) as caught:
        Tracks.from_frame(BEIJING.with_columns(lat=pl.Series([39.0, 139.0, 39.0])))
    assert caught.value.where == "row 1, column 'lat'"
    assert "-90 to 90" in caught.value.message
    with pytest.raises(BadCoordinate, match=r"POINT \(116.3 39.9\), got 'x'"):
        Tracks.from_frame(BEIJING.drop("lat", "lng").with_columns(geom=pl.Series(["x"] * 3)))


def test_columns_that_are_not_found_are_named_with_what_would_be_understood() -> None:
    with pytest.raises(
        UnknownColumn, match="No time column was found among uid, lat, lng; known names are t, datetime"
    ):
        Tracks.from_frame(BEIJING.drop("datetime"))
    with pytest.raises(UnknownColumn, match="track"):
        Tracks.from_frame(BEIJING.drop("uid"))
    with pytest.raises(UnknownColumn, match="coordinate"):
        Tracks.from_frame(BEIJING.drop("lat"))
    with pytest.raises(UnknownColumn, match="Did you mean 'lat'?"):
        Tracks.from_frame(BEIJING, lat="latt", lng="lng")
    with pytest.raises(BadParameter, match="both coordinates"):
        Tracks.from_frame(BEIJING, lat="lat")


def test_degrees_without_pyproj_name_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyproj", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[geo\]'"):
        Tracks.from_frame(BEIJING)


def test_tracks_cannot_be_written() -> None:
    data = Tracks.from_lists([[(0, 0, 0)]], owners=["ann"])
    assert data.owners is not None
    for array in (data.offsets, data.x, data.y, data.t, data.owners):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert repr(data) == "Tracks(1 tracks, 1 points)"


def test_a_column_id_names_the_tracks_unless_there_are_owners() -> None:
    columns = {"id": [1, 1, 2, 2], "lat": [37.7] * 4, "lon": [-122.4, -122.41] * 2, "t": [0, 1, 0, 1]}
    assert Tracks.from_frame(pl.DataFrame(columns)).lengths.tolist() == [2, 2]
    numbered = columns | {"id": [1, 2, 3, 4], "uid": ["a", "a", "b", "b"]}
    assert Tracks.from_frame(pl.DataFrame(numbered)).lengths.tolist() == [2, 2]


def test_degrees_with_a_decimal_comma_are_read() -> None:
    frame = pl.DataFrame({"id": [1, 1], "t": [0, 1], "lat": ["48,133", "48,134"], "lng": ["11,575", "11,576"]})
    with_points = frame.with_columns(pl.col("lat", "lng").str.replace(",", ".").cast(pl.Float64))
    assert Tracks.from_frame(frame) == Tracks.from_frame(with_points)
