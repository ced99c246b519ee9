"""From degrees to metres: geographic coordinates are projected to a plane before anything measures a distance."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.formats.source import place
from crypsis.errors import BadCoordinate, BadParameter, MissingExtra
from crypsis.parameters import MAP_UNITS

DEGREES = "EPSG:4326"
_UTM = re.compile(r"EPSG:32[67](?:0[1-9]|[1-5]\d|60)")  # their unit is known without asking anybody
_EPSG = re.compile(r"(?:EPSG:)?(\d+)", re.IGNORECASE)


def utm_zone(longitude: Float64s, latitude: Float64s) -> str:
    """The EPSG code of the UTM zone in which the middle of the data lies."""
    zone = int((float(np.median(longitude)) + 180) // 6) % 60 + 1
    south = float(np.median(latitude)) < 0
    return f"EPSG:{32700 + zone if south else 32600 + zone}"


LARGEST_DEGREES = 180.0


def project(
    longitude: Float64s,
    latitude: Float64s,
    crs: str | int | None = None,
    *,
    source: str | None = None,
    columns: tuple[str, str] = ("lng", "lat"),
) -> tuple[Float64s, Float64s, str]:
    """Planar x and y of degrees, and the projection used: the one given, or the UTM zone of the data."""
    for values, limit, name in ((longitude, 180.0, columns[0]), (latitude, 90.0, columns[1])):
        bad = np.flatnonzero(~(np.abs(values) <= limit))
        if len(bad):
            raise BadCoordinate(
                f"Column '{name}' must hold degrees from -{limit:g} to {limit:g}, got {float(values[bad[0]])!r}.",
                **place(source, int(bad[0]), name),
            )
    chosen = epsg(crs) if crs is not None else utm_zone(longitude, latitude) if len(longitude) else "EPSG:32631"
    x, y = transformer(DEGREES, chosen).transform(longitude, latitude)
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    bad = np.flatnonzero(~(np.isfinite(x) & np.isfinite(y)))
    if len(bad):
        raise BadCoordinate(
            f"A point lies outside what {chosen} can show; give a projection for its region (crs='EPSG:…').",
            **place(source, int(bad[0]), columns[0]),
        )
    return x, y, chosen


def unproject(x: Float64s, y: Float64s, crs: str) -> tuple[Float64s, Float64s]:
    """Longitude and latitude of planar points."""
    longitude, latitude = transformer(crs, DEGREES).transform(x, y)
    return np.asarray(longitude, np.float64), np.asarray(latitude, np.float64)


def epsg(crs: str | int) -> str:
    """`32618` and `"EPSG:32618"` are the same projection; anything that is no planar EPSG code is a `BadParameter`."""
    found = _EPSG.fullmatch(str(crs).strip())
    if found:
        pyproj = _pyproj()
        try:
            chosen = pyproj.CRS.from_epsg(int(found[1]))
        except pyproj.exceptions.CRSError:
            chosen = None
        if chosen is not None and chosen.is_projected:
            return f"EPSG:{int(found[1])}"
    raise BadParameter(
        f"crs must be the EPSG code of a planar projection like 'EPSG:32618', got {crs!r}.", parameter="crs"
    )


def unit_in(unit: str, crs: str | None) -> str:
    """A unit with distances in that of a projection: metres, where they are."""
    return "metres" if unit == MAP_UNITS and is_metric(crs) else unit


def is_metric(crs: str | None) -> bool:
    """Whether a unit of the plane is a metre; unknown planes have units of their own."""
    if crs is None or _UTM.fullmatch(crs):
        return crs is not None
    try:
        return bool(_pyproj().CRS.from_user_input(crs).axis_info[0].unit_name == "metre")
    except (MissingExtra, RuntimeError, IndexError):  # RuntimeError: no projection that pyproj knows
        return False


def transformer(origin: str, target: str) -> Any:
    """A pyproj transformer that takes and gives x before y."""
    return _pyproj().Transformer.from_crs(origin, target, always_xy=True)


def _pyproj() -> Any:
    try:
        import pyproj
    except ImportError as error:
        raise MissingExtra(
            "Coordinates in degrees need pyproj to be projected; install it with: pip install 'crypsis[geo]' "
            "(or give planar x and y)."
        ) from error
    return pyproj
