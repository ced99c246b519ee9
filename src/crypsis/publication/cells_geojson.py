"""Published cells for a geographic information system: their points, and the areas nearest to them, as GeoJSON.

GeoJSON knows only degrees, so the projection of the points must be known. Everything here is derived from published
rows and published points.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.data.written_places import WrittenPlaces
from crypsis.errors import BadRelease

POINTS = "cells.geojson"
AREAS = "cell_areas.geojson"


def cell_files(published: PublishedTrajectories, places: Locations | None) -> dict[str, str]:
    """File name and content of both files; none where `has_degrees` says no."""
    if places is None or not has_degrees(places):
        return {}
    return {POINTS: cells_geojson(published, places), AREAS: cell_areas_geojson(published, places)}


def has_degrees(places: Locations) -> bool:
    """The projection is known and was undone; without pyproj a release has its table of coordinates only."""
    return places.written is not None and places.written.longitude is not None


def cells_geojson(published: PublishedTrajectories, places: Locations) -> str:
    """One point per published cell, with its label and the number of rows that visit it."""
    written = places.written
    assert written is not None and written.longitude is not None and written.latitude is not None  # noqa: PT018
    points = zip(written.longitude.tolist(), written.latitude.tolist(), strict=True)
    return _collection(published, places, [{"type": "Point", "coordinates": list(point)} for point in points])


def cell_areas_geojson(published: PublishedTrajectories, places: Locations) -> str:
    """What is nearest to each published point, within a box around all of them."""
    assert places.written is not None
    rings = places.written.areas or ((),) * len(places)
    geometries = [{"type": "Polygon", "coordinates": [list(map(list, ring))]} if ring else None for ring in rings]
    return _collection(published, places, geometries)


def read_cell_files(folder: Path, labels: tuple[str, ...], decimals: int | None) -> WrittenPlaces:
    """What both files of a release folder say of the cells with these labels."""
    try:
        points = _geometries(folder / POINTS, labels)
        longitude, latitude = (
            np.array([float(point["coordinates"][axis]) for point in points], np.float64) for axis in (0, 1)
        )
        areas = tuple(
            tuple((float(corner[0]), float(corner[1])) for corner in (area["coordinates"][0] if area else ()))
            for area in _geometries(folder / AREAS, labels)
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise BadRelease(f"{POINTS} and {AREAS} do not show the cells of this release.", where=str(folder)) from error
    return WrittenPlaces(decimals, longitude, latitude, areas)


def _geometries(file: Path, labels: tuple[str, ...]) -> list[Any]:
    features = json.loads(file.read_text(encoding="utf-8"))["features"]
    geometries = {str(feature["id"]): feature["geometry"] for feature in features}
    return [geometries[label] for label in labels]


def _collection(published: PublishedTrajectories, places: Locations, geometries: Any) -> str:
    rows = _rows_by_label(published)
    features = [
        {
            "type": "Feature",
            "id": label,
            "geometry": geometry,
            "properties": {"cell": label, "rows": rows.get(label, 0)},
        }
        for label, geometry in zip(places.labels, geometries, strict=True)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False) + "\n"


def _rows_by_label(published: PublishedTrajectories) -> dict[str, int]:
    row = np.repeat(np.arange(len(published)), published.lengths)
    visited = np.unique(published.codes.astype(np.int64) * max(len(published), 1) + row) // max(len(published), 1)
    counts = np.bincount(visited, minlength=len(published.symbols)).tolist()
    return {names[0]: count for names, count in zip(published.symbols.label_lists, counts, strict=True)}
