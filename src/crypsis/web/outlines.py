"""Outlines on a map, from a file that somebody gives: borders, coasts, roads. They stay on this machine."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.projection import DEGREES, transformer
from crypsis.drawing.map_view import Outline
from crypsis.errors import NotApplicable, UnreadableFile
from crypsis.strict_json import parse_json
from crypsis.web.shapefile import read_shapes

_MOST_POINTS = 200_000
_DEEPEST = {"Point": 0, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}


def read_outlines(path: Path, crs: str | None) -> tuple[Outline, ...]:
    """The lines and borders of GeoJSON or a zipped shapefile; where the plane of the data is known, moved into it."""
    if zipfile.is_zipfile(path):
        lines, system = read_shapes(path)
    else:
        lines, system = _read_geojson(path), DEGREES
    lines = [line for line in lines if line.ndim == 2 and len(line) > 1 and np.isfinite(line).all()]
    if not lines:
        raise NotApplicable("There are no lines or areas in this file.")
    if sum(map(len, lines)) > _MOST_POINTS:
        raise NotApplicable(f"These outlines have more than {_MOST_POINTS:,} points; simplify them first.")
    if crs is None:
        return tuple(Outline(line[:, 0], line[:, 1]) for line in lines)
    try:
        to_plane = transformer(system or DEGREES, crs)
    except RuntimeError as error:  # of pyproj: a reference system that it does not know
        raise UnreadableFile("The reference system of these outlines is unknown; export them in degrees.") from error
    projected = [to_plane.transform(line[:, 0], line[:, 1]) for line in lines]
    outlines = tuple(Outline(*map(np.asarray, one)) for one in projected if np.isfinite(one).all())
    if not outlines:
        raise NotApplicable("These outlines do not lie where the data lie; export them in degrees.")
    return outlines


def _read_geojson(path: Path) -> list[Float64s]:
    try:
        content = parse_json(path.read_text("utf-8"))
        return [np.array([point[:2] for point in line], np.float64) for line in _lines(content)]
    except (ValueError, TypeError, KeyError, IndexError, UnicodeDecodeError) as error:
        raise UnreadableFile(
            "This file holds no outlines; give GeoJSON with lines or areas, or a shapefile as a zip file."
        ) from error


def _lines(content: Any) -> Iterator[Any]:
    """Every line of points, however deep it lies."""
    kind = content["type"]
    if kind == "FeatureCollection":
        for feature in content["features"]:
            yield from _lines(feature)
    elif kind == "Feature":
        if content["geometry"] is not None:
            yield from _lines(content["geometry"])
    elif kind == "GeometryCollection":
        for one in content["geometries"]:
            yield from _lines(one)
    else:
        yield from _at_depth(content["coordinates"], _DEEPEST.get(kind, 0))


def _at_depth(coordinates: Any, depth: int) -> Iterator[Any]:
    if depth == 1:
        yield coordinates
    elif depth > 1:
        for coordinate in coordinates:
            yield from _at_depth(coordinate, depth - 1)
