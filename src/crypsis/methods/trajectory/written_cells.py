"""Step of PPSG: what files show of the published cells, in degrees: their points, and the areas nearest to them.

Everything is derived from published points. A corner of an area may still hit somebody's position by chance; it is then
moved east by units of its last digit, in every area that has it.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.written_places import DECIMALS, WrittenPlaces, closed_ring, written_degrees
from crypsis.methods.trajectory.rare_fixes import RareFixes
from crypsis.methods.trajectory.voronoi_polygons import box_around, voronoi_polygons


def written_places(
    x: Float64s, y: Float64s, crs: str | None, fixes: RareFixes | None, precision: int | None
) -> WrittenPlaces:
    """The points in degrees, which are no fixes already, and the rings of their areas; only the decimals where the
    projection is not known."""
    if crs is None or find_spec("pyproj") is None:
        return WrittenPlaces(precision)
    polygons = voronoi_polygons(x, y, box_around(x, y)) if len(x) else []
    corners = np.array([corner for polygon in polygons for corner in polygon], np.float64).reshape(-1, 2)
    longitude, latitude = written_degrees(corners[:, 0], corners[:, 1], crs)
    longitude = _move_off_fixes(longitude, latitude, fixes)
    written = list(zip(longitude.tolist(), latitude.tolist(), strict=True))
    rings, used = [], 0
    for polygon in polygons:
        rings.append(closed_ring(written[used : used + len(polygon)]))
        used += len(polygon)
    return WrittenPlaces(precision, *written_degrees(x, y, crs), tuple(rings))


def _move_off_fixes(longitude: Float64s, latitude: Float64s, fixes: RareFixes | None) -> Float64s:
    """The same step for equal corners, so that neighbouring areas still meet."""
    if fixes is None or fixes.crs is None:
        return longitude
    moved = longitude.copy()
    hit = np.flatnonzero(fixes.hit_in_degrees(moved, latitude))
    while len(hit):
        moved[hit] = np.round(moved[hit] + 10.0**-DECIMALS, DECIMALS)
        hit = hit[fixes.hit_in_degrees(moved[hit], latitude[hit])]
    return moved
