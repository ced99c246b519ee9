"""Step of PPSG: the positions that fewer than k individuals share, and whether a point as written is one of them.

A point is compared in every form in which it is written: planar with its decimals, and in degrees with theirs. Forms
are compared with a little room, because a position may round differently after it was projected and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.data.projection import unproject
from crypsis.data.track import Tracks
from crypsis.data.written_places import DECIMALS, written_degrees
from crypsis.methods.trajectory.voronoi import tree_of

CLOSEST = 1e-9
HALF_DEGREE_UNIT = 0.5 * 10.0**-DECIMALS + 2e-9  # what going through a projection and back may add


@dataclass(frozen=True, eq=False)
class RareFixes:
    """Search trees over the rare positions; `crs` is None where points are not written in degrees."""

    planar: Any
    reach: float  # how near in x and in y a written planar point is the same as a fix
    degrees: Any = None
    crs: str | None = None

    @classmethod
    def of(cls, tracks: Tracks, individuals: Int64s, k: int, precision: int | None) -> RareFixes | None:
        """Of tracks whose fixes belong to these individuals; None where k individuals share every position."""
        x, y = _rarely_shared(tracks, individuals, k)
        if not len(x):
            return None
        noise = 4 * float(np.spacing(max(float(np.abs(x).max()), float(np.abs(y).max()))))
        reach = max(CLOSEST, noise) + (0.0 if precision is None else 0.5 * 10.0**-precision)
        if tracks.crs is None:
            return cls(tree_of(x, y), reach)
        return cls(tree_of(x, y), reach, tree_of(*unproject(x, y, tracks.crs)), tracks.crs)

    def hit(self, x: Float64s, y: Float64s) -> Bools:
        """Which planar points are, in some form in which they are written, somebody's position."""
        found: Bools = _near(self.planar, x, y, self.reach)
        if self.crs is not None:
            found |= self.hit_in_degrees(*written_degrees(x, y, self.crs))
        return found

    def hit_in_degrees(self, longitude: Float64s, latitude: Float64s) -> Bools:
        """Which points written in degrees are somebody's position."""
        return _near(self.degrees, longitude, latitude, HALF_DEGREE_UNIT)

    def unit_of_degrees(self, x: float, y: float) -> float:
        """How far east one unit of the last written digit of a longitude is; 0 where no degrees are written."""
        if self.crs is None:
            return 0.0
        longitude, _ = unproject(np.array([x, x + 1.0]), np.array([y, y]), self.crs)
        return 10.0**-DECIMALS / max(abs(float(longitude[1] - longitude[0])), 1e-300)


def _near(tree: Any, x: Float64s, y: Float64s, reach: float) -> Bools:
    distance, _ = tree.query(np.column_stack((x, y)), p=np.inf)
    near: Bools = distance <= reach
    return near


def _rarely_shared(tracks: Tracks, individuals: Int64s, k: int) -> tuple[Float64s, Float64s]:
    """Distinct positions at which fewer than k individuals have a fix."""
    order = np.lexsort((individuals, tracks.y, tracks.x))
    x, y, who = tracks.x[order], tracks.y[order], individuals[order]
    new_place = np.ones(len(x), np.bool_)
    new_place[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    new_person = new_place.copy()
    new_person[1:] |= who[1:] != who[:-1]
    starts = np.flatnonzero(new_place)
    shared = np.add.reduceat(new_person.astype(np.int64), starts) if len(starts) else np.zeros(0, np.int64)
    rare = starts[shared < k]
    return x[rare], y[rare]
