"""GPX: each <trk> is a track, its segments one after the other. Points in degrees, times as ISO timestamps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from crypsis.data.formats.source import NumberedRows
from crypsis.data.formats.track_xml import TrackReader, TrackXml
from crypsis.errors import BadCoordinate, BadTimestamps, UnreadableFile
from crypsis.wording import counted


class _GpxReader(TrackReader):
    """A track is called by its name, or by its number; the name may follow the points."""

    format = "GPX"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.name = ""
        self.waiting: list[tuple[str, str, str, int]] = []  # points of the current track
        self.point: tuple[str, str, int] | None = None
        self.moment = ""
        self.lone_points = 0  # waypoints, and points of routes

    def read(self) -> tuple[pl.DataFrame, NumberedRows]:
        frame, source = super().read()
        if frame.is_empty() and self.lone_points:
            raise UnreadableFile(
                f"{self.file} holds {counted(self.lone_points, 'point')} of places or planned routes and no track "
                "(<trk>); export where somebody was, with times.",
                where=str(self.file),
            )
        return frame, source

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("wpt", "rtept"):
            self.lone_points += 1
        elif name == "trk":
            self.number += 1
            self.name, self.waiting = f"{self.number}", []
        elif name == "trkpt" and "trk" in self.path:
            if "lat" not in attributes or "lon" not in attributes:
                raise BadCoordinate("A track point lacks its lat or lon attribute; give both.", **self.place())
            self.point = (attributes["lat"], attributes["lon"], self.line)
            self.moment = ""

    def finish(self, name: str, text: str) -> None:
        if name == "name" and self.path[-1:] == ["trk"] and text:
            self.name = self.name_track(text)
        elif name == "time" and self.path[-1:] == ["trkpt"]:
            self.moment = text
        elif name == "trkpt" and self.point is not None:
            latitude, longitude, line = self.point
            self.point = None
            if not self.moment:
                raise BadTimestamps("A track point has no <time>; give every point one.", **self.place(line))
            self.waiting.append((latitude, longitude, self.moment, line))
        elif name == "trk":
            for latitude, longitude, moment, line in self.waiting:
                self.add_point(self.name, latitude, longitude, moment, line)
            self.waiting = []


@dataclass(frozen=True, kw_only=True)
class Gpx(TrackXml):
    """GPX: GPS tracks."""

    name, label = "gpx", "GPX: GPS tracks"
    suffixes = (".gpx",)
    reader = _GpxReader
