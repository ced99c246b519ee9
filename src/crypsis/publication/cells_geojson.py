"""Published cells for a geographic information system: their points, and the areas nearest to them, as GeoJSON.

GeoJSON knows only degrees, so the projection of the points must be known. Everything here is derived from published
rows and published points.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import numpy as np

from crypsis.data.projection import unproject
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.reports.voronoi_polygons import box_around, voronoi_polygons

POINTS = "cells.geojson"
AREAS = "cell_areas.geojson"
_DECIMALS = 7  # of a degree: a centimetre


def cell_files(published: PublishedTrajectories, places: Locations | None) -> dict[str, str]:
    """File name and content of both files; none where `has_degrees` says no."""
    if places is None or not has_degrees(places):
        return {}
    return {POINTS: cells_geojson(published, places), AREAS: cell_areas_geojson(published, places)}


def has_degrees(places: Locations) -> bool:
    """The projection is known and can be undone; without pyproj a release has its table of coordinates only."""
    return places.crs is not None and places.has_coordinates and find_spec("pyproj") is not None


def cells_geojson(published: PublishedTrajectories, places: Locations) -> str:
    """One point per published cell, with its label and the number of rows that visit it."""
    longitude, latitude = _degrees(places, *places.coordinates("cells.geojson"))
    geometries = [{"type": "Point", "coordinates": list(point)} for point in zip(longitude, latitude, strict=True)]
    return _collection(published, places, geometries)


def cell_areas_geojson(published: PublishedTrajectories, places: Locations) -> str:
    """What is nearest to each published point, within a box around all of them."""
    x, y = places.coordinates("cell_areas.geojson")
    geometries: list[dict[str, Any] | None] = []
    for polygon in voronoi_polygons(x, y, box_around(x, y)) if len(x) else ():
        if len(polygon) < 3:
            geometries.append(None)
            continue
        corners = np.array([*polygon, polygon[0]])
        ring = [list(corner) for corner in zip(*_degrees(places, corners[:, 0], corners[:, 1]), strict=True)]
        geometries.append({"type": "Polygon", "coordinates": [ring]})
    return _collection(published, places, geometries)


def _degrees(places: Locations, x: Any, y: Any) -> tuple[list[float], list[float]]:
    assert places.crs is not None
    longitude, latitude = unproject(x, y, places.crs)
    return np.round(longitude, _DECIMALS).tolist(), np.round(latitude, _DECIMALS).tolist()


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
