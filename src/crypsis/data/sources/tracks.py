"""Tracks of position fixes from a table, GPX, GeoJSON, KML or PLT, or from several files with one track each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from crypsis.arrays import Float64s
from crypsis.data.declarations import Declarations
from crypsis.data.formats.format import TABLE, TRACK
from crypsis.data.sources.data_source import AlsoCalled, DataFile, DataSource, Label, NamesColumn, OnlyIn
from crypsis.data.sources.shared_options import (
    MOVEMENT,
    EachRowIsAPerson,
    Id,
    Latitude,
    Longitude,
    Person,
    Projection,
    Sort,
    Time,
    TimeFormat,
)
from crypsis.data.sources.transactions import refuse_changes
from crypsis.data.track import Tracks, degrees_of
from crypsis.data.ways_of_reading import Way
from crypsis.errors import CrypsisError
from crypsis.parameters import OneOf

FIXES = Way("a table with one row per position fix")
FILE_OF_FIXES = Way("a file of tracks, which names its own columns")


@dataclass(frozen=True, kw_only=True)
class TrackSource(DataSource):
    """How tracks are read; columns that are not named are found by their usual names, degrees are projected."""

    kind, label, plural = "tracks", "GPS tracks", "tracks"
    family = MOVEMENT
    holding = frozenset({TABLE, TRACK})

    id: Annotated[Id, OnlyIn(FIXES)] = None
    x: Annotated[
        str | None, NamesColumn("Position to the east"), OnlyIn(FIXES), "Column with the planar x coordinate."
    ] = None
    y: Annotated[
        str | None, NamesColumn("Position to the north"), OnlyIn(FIXES), "Column with the planar y coordinate."
    ] = None
    t: Annotated[Time, OnlyIn(FIXES)] = None
    lat: Annotated[Latitude, OnlyIn(FIXES)] = None
    lon: Annotated[Longitude, AlsoCalled("lng"), OnlyIn(FIXES)] = None
    person: Annotated[Person, AlsoCalled("owner")] = None
    each_row_is_a_person: EachRowIsAPerson = False
    crs: Projection = None
    sort: Sort = False
    repeated: Annotated[
        str,
        OneOf(error="are an error", first="keep the first"),
        Label("Two fixes at one instant"),
        "Two fixes at one instant are an 'error', or keep the 'first'.",
    ] = "error"
    time_format: Annotated[TimeFormat, OnlyIn(FIXES)] = None

    def way(self, file: DataFile) -> Way:
        return FILE_OF_FIXES if TRACK in file.format_of(self.holding).holds else FIXES

    def load(self, file: DataFile, declared: Declarations) -> Tracks:
        named = {"lng" if name == "lon" else name: value for name, value in self.parameters().items()}
        named = {name: value for name, value in named.items() if name in _TAKEN}
        if file.change is not None:
            if self.way(file) == FILE_OF_FIXES:
                refuse_changes(file)
            frame, source = file.frame()
            return Tracks.from_frame(frame, source=source, **named)
        parts = file.points(self.holding, *file.files)
        if len(parts) == 1:
            return Tracks.from_frame(parts[0][0], source=parts[0][1], **named)
        try:
            return Tracks.from_frame(pl.concat([frame for frame, _ in parts], how="diagonal_relaxed"), **named)
        except CrypsisError:
            for frame, source in parts:  # say in which of the files
                Tracks.from_frame(frame, source=source, **named)
            raise

    def rows(self, file: DataFile) -> pl.DataFrame:
        """The position fixes of a file, one a row."""
        return file.points(self.holding, file.first)[0][0]

    def degrees(self, file: DataFile) -> tuple[Float64s, Float64s] | None:
        """Longitude and latitude of the position fixes of a file; None where they are planar."""
        [(frame, source)] = file.points(self.holding, file.first)
        return degrees_of(frame, x=self.x, y=self.y, t=self.t, lat=self.lat, lng=self.lon, source=source)

    @classmethod
    def describe(cls, data: Any) -> str:
        people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
        return f"{len(data):,} tracks{people} with {data.points:,} fixes"


_TAKEN = ("id", "x", "y", "t", "lat", "lng", "person", "each_row_is_a_person", "crs", "sort", "repeated", "time_format")
