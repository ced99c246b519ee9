"""KML: each `gx:Track` is a track with its times; a placemark with a time and a point is a fix of its track."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from crypsis.data.formats.track_xml import TrackReader, TrackXml
from crypsis.errors import BadCoordinate, BadTimestamps


class _KmlReader(TrackReader):
    format = "KML"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.name = ""
        self.times: list[str] = []
        self.places: list[tuple[list[str], int]] = []

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("Placemark", "Track"):
            self.times, self.places = [], []
        if name == "Placemark":
            self.name = ""

    def finish(self, name: str, text: str) -> None:
        if name == "name" and self.path[-1:] == ["Placemark"]:
            self.name = text
        elif name == "when":
            self.times.append(text)
        elif name == "coord":
            self.places.append((text.split(), self.line))
        elif name == "coordinates" and self.path[-1:] == ["Point"]:
            self.places.append((text.split(","), self.line))
        elif name == "coordinates" and self.path[-1:] == ["LineString"]:
            self.places += [(point.split(","), self.line) for point in text.split()]
        elif name == "Track":
            self.number += 1
            self.take(self.name_track(self.name))
        elif name == "Placemark" and len(self.places) > 1 and not self.times:
            raise BadTimestamps(
                f"The line {self.name!r} has no times; a track needs one for each point. Export it as GPX, or as KML "
                "with gx:Track.",
                **self.place(),
            )
        elif name == "Placemark" and (self.places and self.times):
            self.take(self.name or "1")

    def take(self, track: str) -> None:
        """Add the fixes of one track, each with its time."""
        if len(self.times) != len(self.places):
            raise BadTimestamps(
                f"A track of {len(self.places)} points needs as many times, got {len(self.times)}.", **self.place()
            )
        for moment, (parts, line) in zip(self.times, self.places, strict=True):
            if len(parts) < 2:
                raise BadCoordinate("A point needs a longitude and a latitude.", **self.place(line))
            self.add_point(track, parts[1], parts[0], moment, line)
        self.times, self.places = [], []


@dataclass(frozen=True, kw_only=True)
class Kml(TrackXml):
    """Tracks of Google Earth and of phones."""

    name, label = "kml", "KML: tracks with times"
    suffixes = (".kml",)  # in an archive also .kmz
    reader = _KmlReader
