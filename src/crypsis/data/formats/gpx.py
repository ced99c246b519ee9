"""GPX: each <trk> is a track, its segments one after the other. Points in degrees, times as ISO timestamps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polars as pl

from crypsis.data.formats.compression import existing_file, read_bytes
from crypsis.data.formats.format import TRACK, Format
from crypsis.data.formats.source import NumberedRows, line_place
from crypsis.errors import BadCoordinate, BadTimestamps, UnreadableFile

MEMORY_PER_BYTE = 6.0


@dataclass(frozen=True, kw_only=True)
class Gpx(Format):
    """GPX: GPS tracks."""

    name, label = "gpx", "GPX: GPS tracks"
    suffixes = (".gpx",)
    holds = frozenset({TRACK})

    def read_points(self, file: Path) -> tuple[pl.DataFrame, str]:
        return read_points(file)


def read_points(path: str | Path) -> tuple[pl.DataFrame, NumberedRows]:
    """Columns tid, lat, lng, datetime (text): one row per point; a track is called by its name, or its number."""
    file = existing_file(path)
    reader = _Reader(str(file))
    try:
        reader.parser.Parse(read_bytes(file, MEMORY_PER_BYTE), True)
    except expat.ExpatError as error:
        raise UnreadableFile(
            f"{file} cannot be read as GPX: {expat.errors.messages[error.code]}. It is truncated or no GPX file.",
            **line_place(str(file), error.lineno),
        ) from error
    frame = pl.DataFrame(
        {"tid": reader.tracks, "lat": reader.latitudes, "lng": reader.longitudes, "datetime": reader.moments},
        schema={"tid": pl.String, "lat": pl.String, "lng": pl.String, "datetime": pl.String},
    )
    return frame, NumberedRows.of(str(file), reader.lines)


class _Reader:
    """Collects the points while expat reads; declares no entities, so nothing can be expanded into a bomb."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.tracks: list[str] = []
        self.latitudes: list[str] = []
        self.longitudes: list[str] = []
        self.moments: list[str] = []
        self.lines: list[int] = []
        self.number = 0
        self.first_point = 0
        self.name = ""
        self.names: set[str] = set()
        self.text: list[str] = []
        self.path: list[str] = []
        self.point: tuple[str, str, int] | None = None
        self.moment = ""
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EntityDeclHandler = self.refuse_entity

    def refuse_entity(self, *_: Any) -> None:
        raise UnreadableFile(
            f"{self.file} declares XML entities, which no GPX file needs; remove them.",
            **line_place(self.file, self.parser.CurrentLineNumber),
        )

    def start(self, qualified: str, attributes: dict[str, str]) -> None:
        name = qualified.rpartition(" ")[2]
        self.path.append(name)
        self.text.clear()
        if name == "trk":
            self.number += 1
            self.name = f"{self.number}"
            self.first_point = len(self.tracks)
        elif name == "trkpt" and "trk" in self.path:
            line = self.parser.CurrentLineNumber
            if "lat" not in attributes or "lon" not in attributes:
                raise BadCoordinate(
                    "A track point lacks its lat or lon attribute; give both.", **line_place(self.file, line)
                )
            self.point = (attributes["lat"], attributes["lon"], line)
            self.moment = ""

    def end(self, qualified: str) -> None:
        name = self.path.pop()
        text = "".join(self.text).strip()
        self.text.clear()
        if name == "name" and self.path[-1:] == ["trk"] and text:
            # Two tracks may share a name and are two tracks all the same.
            self.name = text if text not in self.names else f"{text} ({self.number})"
            self.names.add(self.name)
            self.tracks[self.first_point :] = [self.name] * (len(self.tracks) - self.first_point)
        elif name == "time" and self.path[-1:] == ["trkpt"]:
            self.moment = text
        elif name == "trkpt" and self.point is not None:
            latitude, longitude, line = self.point
            self.point = None
            if not self.moment:
                raise BadTimestamps("A track point has no <time>; give every point one.", **line_place(self.file, line))
            self.tracks.append(self.name)
            self.latitudes.append(latitude)
            self.longitudes.append(longitude)
            self.moments.append(self.moment)
            self.lines.append(line)
