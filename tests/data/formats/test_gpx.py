"""GPX tracks."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.data import read_tracks
from crypsis.data.formats.gpx import Gpx
from crypsis.errors import BadCoordinate, BadRow, BadTimestamps, CrypsisError, UnreadableFile

POINT = '<trkpt lat="{lat}" lon="{lon}"><ele>1</ele><time>{time}</time></trkpt>'
BEGIN = '<?xml version="1.0"?>\n<gpx xmlns="http://www.topografix.com/GPX/1/1">\n'


def point(second: int, lat: str = "47.0", lon: str = "8.0") -> str:
    return POINT.format(lat=lat, lon=lon, time=f"2020-01-01T00:00:{second:02d}Z") + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "walk.gpx"


def test_each_track_is_one_and_its_segments_follow_each_other(file: Path) -> None:
    file.write_text(
        BEGIN + f"<metadata><time>2019-01-01T00:00:00Z</time><name>all</name></metadata><wpt lat='1' lon='1'/>"
        f"<trk><trkseg>{point(0)}{point(1)}</trkseg><trkseg>{point(5)}</trkseg><name>home &amp; away</name></trk>"
        f"<trk><name>home &amp; away</name><trkseg>{point(0, '47.1')}</trkseg></trk><trk/></gpx>"
    )
    frame, source = Gpx().read_points(file)
    assert frame["tid"].to_list() == ["home & away"] * 3 + ["home & away (2)"]
    assert frame["lat"].to_list() == ["47.0", "47.0", "47.0", "47.1"]
    assert [source.line_of(row) for row in range(3)] == [3, 4, 5]
    data = read_tracks(file)
    assert (data.lengths.tolist(), data.crs) == ([3, 1], "EPSG:32632")


@pytest.mark.parametrize(
    ("body", "error", "line"),
    [
        ('<trkpt lat="47"><time>2020-01-01T00:00:00Z</time></trkpt>', BadCoordinate, 4),
        ('<trkpt lat="47" lon="8"/>', BadTimestamps, 4),
        (point(0), BadTimestamps, 4),
        (point(1, lat="north"), BadRow, 4),
        (point(1, lat="99"), BadCoordinate, 4),
    ],
)
def test_a_bad_point_is_named_with_its_line(file: Path, body: str, error: type[CrypsisError], line: int) -> None:
    file.write_text(f"{BEGIN}<trk><trkseg>{point(0)}{body}</trkseg></trk></gpx>")
    with pytest.raises(error) as caught:
        read_tracks(file)
    assert caught.value.details["line"] == line
    assert str(caught.value.where).startswith(f"{file}, line {line}")


@pytest.mark.parametrize("content", ["", "{}", BEGIN + "<trk>", "<gpx><trk></gpx>"])
def test_what_is_no_xml_is_unreadable(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(UnreadableFile, match="cannot be read as GPX"):
        read_tracks(file)


def test_entities_are_refused_so_that_no_bomb_can_be_built(file: Path) -> None:
    file.write_text('<!DOCTYPE gpx [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><gpx>&b;</gpx>')
    with pytest.raises(UnreadableFile, match="declares XML entities"):
        read_tracks(file)
