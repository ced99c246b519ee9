"""Places as they stand in the files of a release: in degrees, rounded, with the areas around them.

GeoJSON knows only degrees, so the projection of the points must be known. What is written is what must not coincide
with anybody's position, so it is made once, carried with the places, and written as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crypsis.arrays import Float64s, FrozenArrays
from crypsis.data.projection import unproject

DECIMALS = 7  # of a degree: a centimetre
Ring = tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class WrittenPlaces(FrozenArrays):
    """`decimals` of the planar coordinates (None: not rounded); longitude and latitude of every place and the ring
    around its area, as written, where the projection is known. A place without an area has an empty ring."""

    decimals: int | None = None
    longitude: Float64s | None = None
    latitude: Float64s | None = None
    areas: tuple[Ring, ...] | None = None


def written_degrees(x: Float64s, y: Float64s, crs: str) -> tuple[Float64s, Float64s]:
    """Longitude and latitude of planar points, with the decimals that files have."""
    if not len(x):
        return x, y
    longitude, latitude = unproject(x, y, crs)
    return longitude.round(DECIMALS), latitude.round(DECIMALS)


def closed_ring(corners: Sequence[tuple[float, float]]) -> Ring:
    """The corners with the first one again at the end; what has no three corners has no area."""
    return () if len(corners) < 3 else (*corners, corners[0])
