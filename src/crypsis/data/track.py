"""GPS tracks: positions in a plane with their times.

Track r has the fixes `offsets[r]:offsets[r + 1]` of x, y (one planar unit) and t (seconds, strictly rising).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, FrozenArrays, Int32s, Int64s, offsets_of
from crypsis.data.formats.columns import column, coordinates, labels, moments
from crypsis.data.formats.frames import as_frame
from crypsis.data.formats.long import check_positions, group_rows, owners_of
from crypsis.data.formats.source import place
from crypsis.data.formats.wide_rows import unfold_trips
from crypsis.data.microdata import Microdata
from crypsis.data.owned_rows import OwnedRows
from crypsis.data.person_detection import PersonLike
from crypsis.data.person_of_records import person_like_of_records, several_values_within
from crypsis.data.projection import LARGEST_DEGREES, epsg, project
from crypsis.data.usual_columns import (
    LATITUDE_NAMES,
    LONGITUDE_NAMES,
    OWNER_NAMES,
    POINT_NAMES,
    TIME_NAMES,
    TRACK_NAMES,
    time_column,
)
from crypsis.data.ways_of_reading import option_without_effect, the_person
from crypsis.errors import BadCoordinate, BadParameter, BadTimestamps, EmptyTrack, InputError, UnknownColumn


@dataclass(frozen=True, eq=False)
class Tracks(FrozenArrays, OwnedRows, Microdata):
    """A list of tracks. `crs` is the projection of x and y where it is known; `repeated` is the number of fixes
    that the input had at an instant that its track already had, and that were left out because that was asked for.

    `owners` gives each track's individual as an integer; `ids` and `owner_names` are the input's own names and never
    leave the publisher.
    `person_like` is a column that seems to name people with several tracks, as long as nobody said whether it does;
    `understood` tells which column was taken for what.
    """

    description = "GPS tracks"
    value_columns = ("x", "y", "t")
    row_columns = ("owners", "ids", "owner_names")

    offsets: Int64s
    x: Float64s
    y: Float64s
    t: Float64s
    owners: Int32s | None = None
    ids: pl.Series | None = field(default=None, repr=False)
    owner_names: pl.Series | None = field(default=None, repr=False)
    crs: str | None = None
    repeated: int = 0
    person_like: PersonLike | None = field(default=None, repr=False)
    understood: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.x) == len(self.y) == len(self.t) == int(self.offsets[-1]):
            raise InputError("Track offsets, x, y and t do not end together.")
        empty = np.flatnonzero(np.diff(self.offsets) == 0)
        if len(empty):
            raise EmptyTrack(f"Track {int(empty[0])} has no points; leave it out.", where=f"track {int(empty[0])}")
        for name, values in (("x", self.x), ("y", self.y)):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                raise BadCoordinate(
                    f"A track point has no finite {name} coordinate; give planar numbers for every point.",
                    where=self._place(int(bad[0])),
                )
        bad = np.flatnonzero(~np.isfinite(self.t))
        if len(bad):
            raise BadTimestamps("A track point has no finite time.", where=self._place(int(bad[0])))
        falls = np.diff(self.t) <= 0
        falls[self.offsets[1:-1] - 1] = False  # between two tracks nothing needs to rise
        bad = np.flatnonzero(falls) + 1
        if len(bad):
            raise BadTimestamps(
                f"Times must rise strictly along a track: {self.t[bad[0]]:g} follows {self.t[bad[0] - 1]:g}.",
                where=self._place(int(bad[0])),
            )
        if self.owners is not None and len(self.owners) != len(self):
            raise InputError(f"There are {len(self.owners)} owners for {len(self)} tracks.")

    def _place(self, point: int) -> str:
        track = int(np.searchsorted(self.offsets, point, side="right")) - 1
        return f"track {track}, point {point - int(self.offsets[track])}"

    @classmethod
    def from_lists(
        cls, tracks: Sequence[Sequence[Sequence[float]]], owners: Sequence[Any] | None = None, crs: str | None = None
    ) -> Tracks:
        """From lists of points `(x, y, t)`."""
        for number, track in enumerate(tracks):
            for index, point in enumerate(track):
                if len(point) != 3:
                    raise BadCoordinate(
                        f"A track point is (x, y, t), got {point!r}.", where=f"track {number}, point {index}"
                    )
        lengths = np.array([len(track) for track in tracks], np.int64)
        points = [[np.nan if value is None else float(value) for value in point] for track in tracks for point in track]
        flat = np.array(points, np.float64).reshape(-1, 3)
        codes = None
        if owners is not None:
            codes = np.unique(np.array([str(owner) for owner in owners]), return_inverse=True)[1].astype(np.int32)
        return cls(offsets_of(lengths), flat[:, 0], flat[:, 1], flat[:, 2], codes, crs=crs)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str | None = None,
        x: str | None = None,
        y: str | None = None,
        t: str | None = None,
        lat: str | None = None,
        lng: str | None = None,
        person: str | None = None,
        each_row_is_a_person: bool = False,
        owner: str | None = None,
        crs: str | int | None = None,
        sort: bool = False,
        repeated: str = "error",
        time_format: str | None = None,
        source: str | None = None,
    ) -> Tracks:
        """From a table with one row per point, planar (x, y) or in degrees (lat, lng), which are then projected.

        Columns that are not named are found by the names of scikit-mobility (uid, tid, lat, lng, datetime) and
        trackintel (user_id, tracked_at, geom or longitude, latitude). Without a track column each owner has one
        track. `person` (or `owner`) names the column that says whose a track is; with `each_row_is_a_person` no person
        has several tracks. A track column of decimal numbers is refused. `crs` is the projection of planar coordinates,
        or the one to project degrees to (default: the UTM zone of the data). Times must rise along each track as the
        rows stand, or after sorting if `sort`; with `repeated="first"` the first fix of each instant is kept and the
        others are counted. `time_format` says how times are written where the column does not tell.
        """
        if repeated not in ("error", "first"):
            raise BadParameter(f"repeated must be 'error' or 'first', got {repeated!r}.", parameter="repeated")
        wide = {"x": x, "y": y, "t": t, "lat": lat, "lng": lng}
        table, _, source = unfold_trips(as_frame(frame), wide, source)
        names = table.columns
        owner = the_person(person, each_row_is_a_person, owner=owner)
        usual = None if each_row_is_a_person and id is not None else _first(names, OWNER_NAMES)
        # Beside an owner, "id" may number the fixes; alone it can only name the tracks.
        track = id or _first(names, TRACK_NAMES) or owner or usual or _first(names, ("id",))
        if track is None:
            raise _not_found("track", "id", (*TRACK_NAMES, *OWNER_NAMES, "id"), names, source)
        _refuse_decimals(column(table, track, source), track, source)
        owner = owner or (None if each_row_is_a_person else usual)
        moment = t or _first(names, TIME_NAMES) or time_column(names)
        if moment is None:
            raise _not_found("time", "t", TIME_NAMES, names, source)
        rows = group_rows(table, track, source)
        rows = check_positions(
            table,
            moment,
            rows,
            source,
            sort=sort,
            repeated=repeated == "first",
            error=BadTimestamps,
            time_format=time_format,
        )
        planar_x, planar_y, projection, named = _plane(table, (x, y), (lat, lng), crs, source)
        owners = owner_names = None
        if owner is not None and owner != track:
            owners = owners_of(table, owner, rows, source)
            owner_names = labels(table, owner, source).gather(rows.arranged(np.arange(table.height))[rows.offsets[:-1]])
        used = (track, moment, *(name for _, name in named))
        like = None
        if owner is None and not each_row_is_a_person:
            like = person_like_of_records(table, rows, used, "tracks")
        if id is None and like is not None and several_values_within(table, like.column, rows):
            raise BadParameter(
                f"Column '{track}' was taken for the track, but one of its tracks has several values of "
                f"'{like.column}', which seems to name people. Name the column of the track with id='COLUMN', and the "
                "person with person='COLUMN'.",
                parameter="id",
            )
        seconds, written = _seconds(table, moment, source, time_format)
        understood = [("person", owner or (track if track in OWNER_NAMES else None)), ("id", track), *named]
        understood += [("time", f"{moment} ({written})"), ("projection", projection)]
        return cls(
            rows.offsets,
            rows.arranged(planar_x),
            rows.arranged(planar_y),
            rows.arranged(seconds),
            owners,
            rows.ids,
            owner_names,
            projection,
            table.height - int(rows.offsets[-1]),
            like,
            tuple((role, name) for role, name in understood if name is not None),
        )

    @property
    def points(self) -> int:
        return len(self.t)

    def to_lists(self) -> list[list[tuple[float, float, float]]]:
        """The points (x, y, t) of each track."""
        points = list(zip(self.x.tolist(), self.y.tolist(), self.t.tolist(), strict=True))
        return self.cut_into_rows(points)

    def to_frame(self) -> pl.DataFrame:
        """Long table: track_id, x, y, t, and owner where owners are known."""
        rows = np.repeat(np.arange(len(self)), self.lengths)
        columns: dict[str, Any] = {"track_id": pl.Series(rows) if self.ids is None else self.ids.gather(rows)}
        columns |= {"x": self.x, "y": self.y, "t": self.t}
        if self.owners is not None:
            columns["owner"] = self.owners[rows]
        return pl.DataFrame(columns)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.offsets, self.x, self.y, self.t, self.owners, self.crs)

    def __repr__(self) -> str:
        return f"Tracks({len(self)} tracks, {self.points} points{f', {self.crs}' if self.crs else ''})"


def degrees_of(
    frame: Any,
    *,
    x: str | None = None,
    y: str | None = None,
    t: str | None = None,
    lat: str | None = None,
    lng: str | None = None,
    source: str | None = None,
) -> tuple[Float64s, Float64s] | None:
    """Longitude and latitude of the points of a table, one a row; None where its coordinates are planar."""
    table, _, source = unfold_trips(as_frame(frame), {"x": x, "y": y, "t": t, "lat": lat, "lng": lng}, source)
    if _planar_columns(table.columns, (x, y), (lat, lng)) is not None:
        return None
    return _degrees(table, (lat, lng), source)[:2]


def _plane(
    table: pl.DataFrame,
    planar: tuple[str | None, str | None],
    degrees: tuple[str | None, str | None],
    crs: str | int | None,
    source: str | None,
) -> tuple[Float64s, Float64s, str | None, list[tuple[str, str | None]]]:
    """x and y, their projection, and which columns they were taken from."""
    columns = _planar_columns(table.columns, planar, degrees)
    if columns is not None:
        x, y = (coordinates(table, name, source) for name in columns)
        return x, y, None if crs is None else epsg(crs), [("x", columns[0]), ("y", columns[1])]
    longitude, latitude, named, told = _degrees(table, degrees, source)
    return *project(longitude, latitude, crs, source=source, columns=named), told


def _planar_columns(
    names: Sequence[str], planar: tuple[str | None, str | None], degrees: tuple[str | None, str | None]
) -> tuple[str, str] | None:
    """The columns with planar coordinates; None where points are in degrees."""
    if (planar[0] is None) != (planar[1] is None) or (degrees[0] is None) != (degrees[1] is None):
        raise BadParameter("Name both coordinates of a point, x and y or lat and lng.", parameter="x")
    if planar[0] is not None and degrees[0] is not None:
        raise option_without_effect("lat", "a table with planar coordinates", ("x", "y", "crs"))
    x, y = planar if planar[0] else (("x", "y") if not degrees[0] and {"x", "y"} <= set(names) else (None, None))
    return None if x is None or y is None else (x, y)


def _degrees(
    table: pl.DataFrame, degrees: tuple[str | None, str | None], source: str | None
) -> tuple[Float64s, Float64s, tuple[str, str], list[tuple[str, str | None]]]:
    """Longitude and latitude, the columns that hold them, and which they were taken from, in words."""
    names = table.columns
    latitude = degrees[0] or _first(names, LATITUDE_NAMES)
    longitude = degrees[1] or _first(names, LONGITUDE_NAMES)
    if latitude and longitude:
        values = [coordinates(table, name, source, LARGEST_DEGREES) for name in (longitude, latitude)]
        told: list[tuple[str, str | None]] = [("longitude", longitude), ("latitude", latitude)]
        return values[0], values[1], (longitude, latitude), told
    point = _first(names, POINT_NAMES)
    if point is None:
        raise _not_found(
            "coordinate",
            "x= and y= (planar) or lat= and lng",
            (*LATITUDE_NAMES, *LONGITUDE_NAMES, *POINT_NAMES),
            names,
            source,
        )
    first, second = _parsed_points(column(table, point, source), point, source)
    return first, second, (point, point), [("longitude, latitude", point)]


def _parsed_points(cells: pl.Series, name: str, source: str | None) -> tuple[Float64s, Float64s]:
    """Longitude and latitude of points written as text: `POINT (116.3 39.9)`."""
    text = cells.cast(pl.String, strict=False) if cells.dtype != pl.Object else pl.Series([str(c) for c in cells])
    number = r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
    parts = text.str.extract_groups(rf"(?i)^\s*POINT\s*Z?\s*\(\s*{number}\s+{number}(?:\s+[^)\s]+)?\s*\)\s*$")
    longitude, latitude = (parts.struct.field(group).cast(pl.Float64) for group in ("1", "2"))
    bad = longitude.is_null() | latitude.is_null()
    if bad.any():
        row = int(bad.arg_true()[0])
        raise BadCoordinate(
            f"Column '{name}' must hold points like POINT (116.3 39.9), got {text[row]!r}.", **place(source, row, name)
        )
    return longitude.to_numpy(), latitude.to_numpy()


def _seconds(table: pl.DataFrame, name: str, source: str | None, time_format: str | None) -> tuple[Float64s, str]:
    """Seconds, and how the times are written."""
    values, written = moments(table, name, source, time_format)
    if values.dtype == pl.Datetime:
        return values.to_physical().to_numpy().astype(np.float64) / 1e6, written
    return values.to_numpy().astype(np.float64), written


def _refuse_decimals(cells: pl.Series, name: str, source: str | None) -> None:
    """A heading in degrees is no name of a track, whatever its column is called."""
    numbers = cells.cast(pl.Float64, strict=False) if cells.dtype == pl.String else cells
    if not (numbers.dtype.is_float() or numbers.dtype.is_decimal()) or numbers.null_count() == len(numbers):
        return
    decimal = (numbers != numbers.round()).fill_null(False)
    if decimal.any():
        row = int(decimal.arg_true()[0])
        raise BadParameter(
            f"Column '{name}' holds decimal numbers such as {cells[row]}, which name no track. Name the column of the "
            "track with id='COLUMN'.",
            parameter="id",
            **place(source, row, name),
        )


def _first(names: Sequence[str], candidates: Sequence[str]) -> str | None:
    return next((name for name in candidates if name in names), None)


def _not_found(
    what: str, parameter: str, candidates: Sequence[str], names: Sequence[str], source: str | None
) -> UnknownColumn:
    return UnknownColumn(
        f"No {what} column was found among {', '.join(names)}; known names are {', '.join(candidates)}. "
        f"Name it with {parameter}=.",
        where=None if source is None else str(source),
    )
