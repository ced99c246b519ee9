"""KML: tracks with their times, points with a time each; what is wrong is told with its line."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import crypsis
from crypsis.errors import BadTimestamps, UnreadableFile

HEAD = '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>'
TRACK = (
    "<Placemark><name>{name}</name><gx:Track><when>2020-01-01T00:00:00Z</when><when>2020-01-01T00:01:00Z</when>"
    "<gx:coord>-73.9 40.7 0</gx:coord><gx:coord>-73.8 40.8 0</gx:coord></gx:Track></Placemark>"
)
POINT = (
    "<Placemark><name>walk</name><TimeStamp><when>2020-01-01T00:0{minute}:00Z</when></TimeStamp>"
    "<Point><coordinates>-73.{minute},40.7,0</coordinates></Point></Placemark>"
)


def written(path: Path, *parts: str) -> Path:
    path.write_text(HEAD + "".join(parts) + "</Document></kml>", encoding="utf-8")
    return path


def test_tracks_and_timed_points_are_read(tmp_path: Path) -> None:
    parts = [TRACK.format(name="a"), TRACK.format(name="a"), *(POINT.format(minute=minute) for minute in range(3))]
    tracks = crypsis.read_tracks(written(tmp_path / "t.kml", *parts), each_row_is_a_person=True)
    assert [*map(str, tracks.ids)] == ["a", "a (2)", "walk"]
    assert [int(length) for length in tracks.offsets[1:] - tracks.offsets[:-1]] == [2, 2, 3]


def test_a_line_without_times_says_what_to_do(tmp_path: Path) -> None:
    line = "<Placemark><name>a</name><LineString><coordinates>1,2,0 3,4,0</coordinates></LineString></Placemark>"
    with pytest.raises(BadTimestamps, match="The line 'a' has no times.*Export it as GPX"):
        crypsis.read_tracks(written(tmp_path / "t.kml", line))


def test_an_archive_of_google_earth_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.kmz", "w") as archive:
        archive.writestr("files/picture.png", b"")
        archive.write(written(tmp_path / "doc.kml", TRACK.format(name="a")), "doc.kml")
    assert [*crypsis.read_tracks(tmp_path / "t.kmz", each_row_is_a_person=True).ids] == ["a"]


def test_a_damaged_file_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(BadTimestamps, match="2 points needs as many times, got 1"):
        crypsis.read_tracks(
            written(tmp_path / "t.kml", TRACK.format(name="a").replace("<when>2020-01-01T00:01:00Z</when>", ""))
        )
    (tmp_path / "cut.kml").write_text(HEAD)
    with pytest.raises(UnreadableFile, match="cannot be read as KML"):
        crypsis.read_tracks(tmp_path / "cut.kml")
    (tmp_path / "bomb.kml").write_text('<!DOCTYPE k [<!ENTITY a "x">]><kml>&a;</kml>')
    with pytest.raises(UnreadableFile, match="declares XML entities"):
        crypsis.read_tracks(tmp_path / "bomb.kml")
