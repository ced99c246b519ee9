"""GeoJSON tracks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crypsis.data import read_tracks
from crypsis.data.formats import format_of
from crypsis.data.formats.geojson import GeoJson
from crypsis.data.formats.json_array import Json
from crypsis.data.inspection import inspect_file
from crypsis.errors import BadCoordinate, BadTimestamps, CrypsisError, UnreadableFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "walk.geojson"


def line(coordinates: list[Any], times: Any, name: str = "times", **feature: Any) -> dict[str, Any]:
    geometry = {"type": "LineString", "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": {name: times}, **feature}


def fix(lon: float, lat: float, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]}, "properties": properties}


def write(file: Path, *features: Any) -> Path:
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


TIMES = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z"]


@pytest.mark.parametrize("name", ["times", "coordTimes", "timestamps"])
def test_a_line_with_times_is_a_track(file: Path, name: str) -> None:
    write(file, line([[8, 47], [8.001, 47, 500]], TIMES, name, id="a"), line([[8, 47]], TIMES[:1], name))
    data = read_tracks(file)
    assert data.ids is not None
    assert (data.ids.to_list(), data.lengths.tolist()) == (["a", "1"], [2, 1])


def test_points_are_gathered_by_their_track_and_numbers_are_times(file: Path) -> None:
    write(file, fix(8, 47, tid="a", time=1), fix(8, 47, tid="b", time=1), fix(8.1, 47, tid="a", time=2.5))
    data = read_tracks(file)
    assert (data.lengths.tolist(), data.t.tolist()) == ([2, 1], [1.0, 2.5, 1.0])
    file.write_text(json.dumps(line([[8, 47]], TIMES[:1])))
    assert len(read_tracks(file)) == 1


@pytest.mark.parametrize(
    ("feature", "error", "where"),
    [
        (line([[8, 47], [8, 47]], TIMES[:1]), BadTimestamps, "feature 1"),
        (line([[8, 47]], None), BadTimestamps, "feature 1"),
        (fix(8, 47, tid="a"), BadTimestamps, "feature 1"),
        (fix(8, 47, tid="a", time=True), BadTimestamps, "feature 1"),
        (line([["x", 47]], TIMES[:1]), BadCoordinate, "feature 1"),
        (line([8], TIMES[:1]), BadCoordinate, "feature 1"),
        ({"type": "Feature", "geometry": None, "properties": {}}, BadCoordinate, "feature 1"),
        (7, BadCoordinate, "feature 1"),
        (
            {"geometry": {"type": "Polygon", "coordinates": []}, "properties": {}},
            UnreadableFile,
            "feature 1",
        ),
        (line([[8, 47], [8, 47]], [TIMES[0], TIMES[0]]), BadTimestamps, "row 2, column 'datetime'"),
        (line([[8, 99]], TIMES[:1]), BadCoordinate, "row 1, column 'lat'"),
    ],
)
def test_a_bad_feature_is_named(file: Path, feature: Any, error: type[CrypsisError], where: str) -> None:
    write(file, line([[8, 47]], TIMES[:1]), feature)
    with pytest.raises(error) as caught:
        read_tracks(file)
    assert caught.value.where == f"{file}, {where}"


@pytest.mark.parametrize("content", ["", "[1,2", '{"type":"Topology"}', "[]", '{"type":"FeatureCollection"}'])
def test_what_is_no_feature_collection_is_unreadable(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(UnreadableFile) as caught:
        read_tracks(file)
    assert caught.value.where == str(file)


def test_points_without_a_track_make_one_for_each_person(file: Path) -> None:
    write(
        file,
        fix(8, 47, time=TIMES[0], user="ann"),
        fix(8, 48, time=TIMES[1], user="ann"),
        fix(9, 47, time=TIMES[0], user="bob"),
    )
    assert [len(track) for track in read_tracks(file).to_lists()] == [2, 1]


def test_features_in_a_file_called_json_are_tracks(file: Path) -> None:
    other = file.with_suffix(".json")
    features = [
        {"type": "Feature", "properties": {"uid": uid, "time": n}, "geometry": {"type": "Point", "coordinates": [8, n]}}
        for uid in ("a", "b")
        for n in range(3)
    ]
    other.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert format_of(other) is GeoJson
    assert inspect_file(other).kind == "tracks"
    other.write_text(json.dumps([{"type": "FeatureCollection", "age": 3}]))
    assert format_of(other) is Json
