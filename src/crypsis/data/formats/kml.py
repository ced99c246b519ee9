"""KML: each `gx:Track` is a track with its times; a placemark with a time and a point is a fix of its track."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polars as pl

from crypsis.data.formats.compression import read_bytes
from crypsis.data.formats.format import TRACK, Format
from crypsis.data.formats.source import NumberedRows, line_place
from crypsis.errors import BadCoordinate, BadTimestamps, UnreadableFile

MEMORY_PER_BYTE = 6.0


@dataclass(frozen=True, kw_only=True)
class Kml(Format):
    """Tracks of Google Earth and of phones."""

    name, label = "kml", "KML: tracks with times"
    suffixes = (".kml",)
    holds = frozenset({TRACK})

    def read_points(self, file: Path) -> tuple[pl.DataFrame, str]:
        reader = _Reader(str(file))
        try:
            reader.parser.Parse(read_bytes(file, MEMORY_PER_BYTE), True)
        except expat.ExpatError as error:
            raise UnreadableFile(
                f"{file} cannot be read as KML: {expat.errors.messages[error.code]}. It is truncated or no KML file.",
                **line_place(str(file), error.lineno),
            ) from error
        columns = ("tid", "lat", "lng", "datetime")
        frame = pl.DataFrame(reader.points, schema=dict.fromkeys(columns, pl.String), orient="row")
        return frame, NumberedRows.of(str(file), reader.lines)


class _Reader:
    """Collects the points while expat reads; a file that declares entities is refused, so nothing can be expanded."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.points: list[tuple[str, str, str, str]] = []
        self.lines: list[int] = []
        self.names: set[str] = set()
        self.number = 0
        self.name = ""
        self.times: list[str] = []
        self.places: list[tuple[list[str], int]] = []
        self.path: list[str] = []
        self.text: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text.append
        self.parser.EntityDeclHandler = self.refuse_entity

    def refuse_entity(self, *_: Any) -> None:
        raise UnreadableFile(
            f"{self.file} declares XML entities, which no KML file needs; remove them.", **self.place()
        )

    def place(self) -> dict[str, Any]:
        return line_place(self.file, self.parser.CurrentLineNumber)

    def start(self, qualified: str, _: dict[str, str]) -> None:
        name = qualified.rpartition(" ")[2]
        self.path.append(name)
        self.text.clear()
        if name in ("Placemark", "Track"):
            self.times, self.places = [], []
        if name == "Placemark":
            self.name = ""

    def end(self, _: str) -> None:
        name, text = self.path.pop(), "".join(self.text).strip()
        self.text.clear()
        if name == "name" and self.path[-1:] == ["Placemark"]:
            self.name = text
        elif name == "when":
            self.times.append(text)
        elif name == "coord":
            self.places.append((text.split(), self.parser.CurrentLineNumber))
        elif name == "coordinates" and self.path[-1:] == ["Point"]:
            self.places.append((text.split(","), self.parser.CurrentLineNumber))
        elif name == "Track":
            self.number += 1
            track = self.name if self.name and self.name not in self.names else f"{self.name} ({self.number})".strip()
            self.names.add(track)
            self.take(track)
        elif name == "Placemark" and (self.places and self.times):
            self.take(self.name or "1")

    def take(self, track: str) -> None:
        """The fixes of one track, each with its time."""
        if len(self.times) != len(self.places):
            raise BadTimestamps(
                f"A track of {len(self.places)} points needs as many times, got {len(self.times)}.", **self.place()
            )
        for moment, (parts, line) in zip(self.times, self.places, strict=True):
            if len(parts) < 2:
                raise BadCoordinate("A point needs a longitude and a latitude.", **line_place(self.file, line))
            self.points.append((track, parts[1], parts[0], moment))
            self.lines.append(line)
        self.times, self.places = [], []
