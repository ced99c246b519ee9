"""GeoJSON tracks: a feature per track (LineString with times in its properties) or a feature per point.

A line carries its times in the property times, coordTimes or timestamps, one per coordinate; a point carries its
own in time, datetime, timestamp or tracked_at, and its track in track_id, tid, uid, user_id or id. Whose it is may
stand in owner, uid, user_id or user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.compression import read_bytes, readable_file
from crypsis.data.formats.format import TrackFormat
from crypsis.errors import BadCoordinate, BadTimestamps, CrypsisError, UnreadableFile
from crypsis.strict_json import parse_json

MEMORY_PER_BYTE = 15.0
TIMES_OF_LINE = ("times", "coordTimes", "timestamps")
TIME_OF_POINT = ("time", "datetime", "timestamp", "tracked_at")
TRACK_OF_POINT = ("track_id", "tid", "uid", "user_id", "id")
OWNER = ("owner", "uid", "user_id", "user")

_FEATURES = re.compile(rb'^[\xef\xbb\xbf\s]*\{[^\[]*"type"\s*:\s*"FeatureCollection"')
Point = tuple[str, float, float, Any, str | None]


@dataclass(frozen=True, kw_only=True)
class GeoJson(TrackFormat):
    """GeoJSON: points or lines with times."""

    name, label = "geojson", "GeoJSON: points or lines with times"
    suffixes, also_under = (".geojson",), (".json",)

    @classmethod
    def sniff(cls, beginning: bytes) -> bool:
        return _FEATURES.search(beginning) is not None

    def read_points(self, file: Path) -> tuple[pl.DataFrame, str]:
        """Columns tid, lat, lng, datetime, and uid where features say whose they are: one row per position."""
        file = readable_file(file)
        try:
            document = parse_json(read_bytes(file, MEMORY_PER_BYTE))
        except CrypsisError:
            raise
        except ValueError as error:
            raise UnreadableFile(f"{file} is no GeoJSON: {error}.", where=str(file)) from error
        if not isinstance(document, dict) or document.get("type") not in ("FeatureCollection", "Feature"):
            raise UnreadableFile(
                f"{file} is no GeoJSON FeatureCollection; give one feature per track or per point.", where=str(file)
            )
        features = document.get("features") if document["type"] == "FeatureCollection" else [document]
        if not isinstance(features, list):
            raise UnreadableFile(f"{file} is a FeatureCollection without features.", where=str(file))
        points = [point for index, feature in enumerate(features) for point in _points(feature, index, str(file))]
        tracks, latitudes, longitudes, moments, owners = zip(*points, strict=True) if points else ((), (), (), (), ())
        moment_type = pl.String if all(isinstance(moment, str) for moment in moments) else pl.Float64
        frame = pl.DataFrame(
            {"tid": tracks, "lat": latitudes, "lng": longitudes, "datetime": moments},
            schema={"tid": pl.String, "lat": pl.Float64, "lng": pl.Float64, "datetime": moment_type},
            strict=False,
        )
        if any(owner is not None for owner in owners):
            frame = frame.with_columns(pl.Series("uid", owners, dtype=pl.String))
        return frame, str(file)


def _points(feature: Any, number: int, file: str) -> Iterator[Point]:
    where = f"{file}, feature {number}"
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    properties = (feature.get("properties") or {}) if isinstance(feature, dict) else {}
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    positions = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if not isinstance(positions, list) or not isinstance(properties, dict):
        raise BadCoordinate("A feature needs a geometry with coordinates.", where=where)
    named = next((properties[key] for key in OWNER if properties.get(key) is not None), None)
    owner = None if named is None else str(named)
    if kind == "Point":
        moment = next((properties[key] for key in TIME_OF_POINT if key in properties), None)
        track = next((properties[key] for key in TRACK_OF_POINT if key in properties), None)
        yield _point(owner or "0" if track is None else str(track), positions, moment, owner, where)
    elif kind == "LineString":
        moments = next((properties[key] for key in TIMES_OF_LINE if key in properties), None)
        if not isinstance(moments, list) or len(moments) != len(positions):
            raise BadTimestamps(
                f"A line of {len(positions)} points needs as many times in its property 'times', got "
                f"{len(moments) if isinstance(moments, list) else 'none'}.",
                where=where,
            )
        track = str(feature.get("id", properties.get("id", number)))
        for position, moment in zip(positions, moments, strict=True):
            yield _point(track, position, moment, owner, where)
    else:
        raise UnreadableFile(
            f"A track is a LineString or a series of Points, got {kind or 'no geometry'}.", where=where
        )


def _point(track: str, position: Any, moment: Any, owner: str | None, where: str) -> Point:
    try:
        longitude, latitude = (float(value) for value in position[:2])
    except (TypeError, ValueError) as error:
        raise BadCoordinate(f"A position must be [longitude, latitude], got {position!r}.", where=where) from error
    if not isinstance(moment, (str, int, float)) or isinstance(moment, bool):
        raise BadTimestamps(
            f"A point needs a time (ISO text or a number) in its property 'time', got {moment!r}.", where=where
        )
    return track, latitude, longitude, moment, owner
