"""Whose a trajectory or a track is, is kept by every way of reading, and asked where nobody said."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.data import trajectories_from_checkins
from crypsis.errors import BadParameter, BadRow, OptionWithoutEffect, OwnerRepeated, PersonUndecided
from crypsis.methods import METHODS

RIDES = pl.DataFrame(
    {
        "trip": ["t1", "t1", "t2", "t2", "t3"],
        "cab": ["a", "a", "a", "a", "b"],
        "driver": ["x", "x", "x", "x", "y"],
        "time": [0, 60, 3600, 3660, 0],
        "lat": [37.78, 37.79, 37.78, 37.79, 37.78],
        "lon": [-122.4, -122.4, -122.4, -122.4, -122.4],
        "stop": ["p", "q", "p", "q", "p"],
    }
)


def test_trips_on_a_grid_keep_their_person() -> None:
    data = trajectories_from_checkins(RIDES, id="trip", person="driver")
    assert data.person is not None
    assert data.person.tolist() == [0, 0, 1]
    assert data == trajectories_from_checkins(RIDES, id="trip", owner="driver")
    with pytest.raises(OwnerRepeated):
        crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1))
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1, unit="owner", on_infeasible="truncate"))
    assert release.verify().holds
    assert len(set(map(str, release.data.to_lists()))) >= 1


def test_two_trips_of_one_person_are_no_two_people() -> None:
    frame = RIDES.head(4).with_columns(user=pl.col("driver"))
    data = trajectories_from_checkins(frame, id="trip", user="user")
    with pytest.raises(crypsis.CrypsisError) as refused:
        crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1, unit="owner"))
    assert refused.value.code == "too-few-trajectories"


@pytest.mark.parametrize("grid", [True, False])
def test_a_person_who_may_have_several_trips_is_asked_about(grid: bool) -> None:
    if grid:
        data = trajectories_from_checkins(RIDES, id="trip")
        alone = trajectories_from_checkins(RIDES, id="trip", each_row_is_a_person=True)
    else:
        columns = {"id": "trip", "position": "time", "location": "stop"}
        data = crypsis.Trajectories.from_frame(RIDES, **columns)
        alone = crypsis.Trajectories.from_frame(RIDES, **columns, each_row_is_a_person=True)
    with pytest.raises(PersonUndecided, match="Does one person have several trajectories\\? Column 'driver'"):
        crypsis.anonymize(data, crypsis.SeqAnon(k=2, m=1))
    assert alone.person is None
    assert alone.person_like is None


def test_tracks_ask_also_where_their_id_is_named() -> None:
    frame = RIDES.rename({"lon": "lng"}).drop("cab", "stop")
    data = crypsis.Tracks.from_frame(frame, id="trip", t="time")
    with pytest.raises(PersonUndecided, match="'driver'"):
        crypsis.anonymize(data, crypsis.PPSG(k=2))
    named = crypsis.Tracks.from_frame(frame.rename({"driver": "uid"}), id="trip", t="time")
    assert named.person is not None
    assert named.person.tolist() == [0, 0, 1]
    alone = crypsis.Tracks.from_frame(frame.rename({"driver": "uid"}), id="trip", t="time", each_row_is_a_person=True)
    assert alone.person is None


@pytest.mark.parametrize("heading", [["271.5", "270", "90", "91.25", "0"], [271.5, 270.0, 90.0, 91.25, 0.0]])
def test_a_heading_is_no_name_of_a_track(heading: list[object]) -> None:
    frame = RIDES.select("time", "lat", "lon", icao24=pl.col("driver")).with_columns(pl.Series("track", heading))
    with pytest.raises(BadParameter, match=r"Column 'track' holds decimal numbers such as 271.5.*id='COLUMN'"):
        crypsis.Tracks.from_frame(frame, sort=True)


def test_a_track_of_several_people_is_no_track() -> None:
    columns = {"track": pl.Series([270, 90, 270, 90, 270]), "time": pl.Series(range(5))}
    frame = RIDES.select("lat", "lon", icao24=pl.col("driver")).with_columns(**columns)
    with pytest.raises(BadParameter, match="one of its tracks has several values of 'icao24'"):
        crypsis.Tracks.from_frame(frame)
    with pytest.raises(BadRow, match="names two owners"):
        crypsis.Tracks.from_frame(frame, id="track", person="icao24")
    assert len(crypsis.Tracks.from_frame(frame, id="icao24")) == 2


def test_one_notion_has_one_column() -> None:
    with pytest.raises(BadParameter, match="One column names the person"):
        crypsis.Trajectories.from_frame(
            RIDES, id="trip", position="time", location="stop", person="cab", owner="driver"
        )
    with pytest.raises(BadParameter, match="give one of `person` and `each_row_is_a_person`"):
        trajectories_from_checkins(RIDES, id="trip", person="cab", each_row_is_a_person=True)
    with pytest.raises(OptionWithoutEffect, match="one_per"):
        trajectories_from_checkins(RIDES, id="trip", person="cab", one_per="day")
    with pytest.raises(OptionWithoutEffect, match="`lat` has no effect"):
        crypsis.Tracks.from_frame(RIDES, id="trip", x="lon", y="lat", lat="lat", lng="lon")


def test_ids_of_fixes_name_nobody() -> None:
    frame = RIDES.drop("cab", "driver").with_columns(point_id=pl.Series([0, 1, 0, 1, 0]))
    assert crypsis.Trajectories.from_frame(frame, id="trip", position="time", location="stop").person_like is None


def test_geojson_keeps_whose_a_feature_is(tmp_path: Path) -> None:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "LineString", "coordinates": [[7.0, 50.0], [7.1, 50.0]]},
            "properties": {"times": [0, 1], "id": number, "user_id": person},
        }
        for number, person in enumerate("aab")
    ]
    file = tmp_path / "tracks.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    data = crypsis.read_tracks(file)
    assert data.person is not None
    assert data.person.tolist() == [0, 0, 1]


def test_every_method_for_movement_counts_people() -> None:
    for method in METHODS.values():
        if method.accepts in (crypsis.Trajectories, crypsis.Tracks):
            assert method.counts_people, method
            assert "unit" in method.__dataclass_fields__


def test_epochs_in_milliseconds_are_no_seconds() -> None:
    frame = RIDES.with_columns(time=1_212_968_439_000 + pl.col("time") * 1000).drop("cab", "driver")
    data = crypsis.Tracks.from_frame(frame, id="trip")
    assert data.t[:2].tolist() == [1_212_968_439.0, 1_212_968_499.0]
    assert ("time", "time (epoch milliseconds)") in data.understood


def test_what_was_understood_is_told_and_people_are_proposed(tmp_path: Path) -> None:
    from crypsis.cli.reading import words_on
    from crypsis.evaluate.first_look import suggested_experiment

    file = tmp_path / "rides.csv"
    RIDES.rename({"driver": "uid", "trip": "trip_id"}).drop("cab", "stop").write_csv(file)
    words = words_on(crypsis.read_tracks(file))
    assert "read 3 tracks of 2 people with 5 fixes" in words
    assert "person = uid, id = trip_id, longitude = lon, latitude = lat" in words
    assert "projection = EPSG:32610" in words
    assert [(run.method, run.params) for run in suggested_experiment(file, {}).runs] == [
        ("ppsg", {"k": 5, "unit": "owner"})
    ]
