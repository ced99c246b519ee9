"""Step of PPSG: the points that are published for cells. Each mixes at least k individuals and is nobody's position.

A generator, a medoid or the mean of a group may be the exact position of one person and is never published.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Float64s, Int32s, Int64s
from crypsis.data.track import Tracks
from crypsis.errors import InternalError
from crypsis.methods.trajectory.rare_fixes import CLOSEST, RareFixes
from crypsis.methods.trajectory.tessellation import Tessellation

_TRIED_AT_ONCE = 64


@dataclass(frozen=True)
class CellMeans:
    """By cell: the point that mixes its individuals, and how many these are. A cell without points has none: its
    coordinates are not numbers."""

    x: Float64s
    y: Float64s
    individuals: Int64s


def cell_means(cells: Tessellation, wanted: Bools, k: int, precision: int | None) -> CellMeans:
    """The mean, over the individuals with fixes in a wanted cell, of each one's own mean point there.

    Rounded to `precision` decimals if given.
    """
    tracks = cells.tracks
    person = people_of_fixes(tracks, cells.individuals)
    crowd = int(cells.individuals.max(initial=0)) + 1
    pair, which = np.unique(cells.cell_of_point * np.int64(crowd) + person, return_inverse=True)
    fixes = np.bincount(which, minlength=len(pair))
    cell = pair // crowd
    individuals = np.bincount(cell, minlength=len(cells)).astype(np.int64)
    if (individuals[wanted] < k).any():
        raise InternalError("A cell that fewer than k individuals visited was about to be published.")
    x, y = (
        _divided(np.bincount(cell, np.bincount(which, values, len(pair)) / fixes, len(cells)), individuals)
        for values in (tracks.x, tracks.y)
    )
    if precision is not None:
        x, y = np.round(x, precision), np.round(y, precision)
    return CellMeans(x, y, individuals)


def people_of_fixes(tracks: Tracks, individuals: Int32s) -> Int64s:
    """Whose each fix is."""
    return np.repeat(individuals, tracks.lengths).astype(np.int64)


def _divided(total: NDArray[Any], count: Int64s) -> Float64s:
    with np.errstate(invalid="ignore"):
        quotient: Float64s = total / count
    return quotient


def move_off_fixes(
    x: Float64s, y: Float64s, fixes: RareFixes | None, *, precision: int | None, unit_length: float
) -> tuple[Float64s, Int64s]:
    """The x of points that are published, each moved off the fixes that fewer than k individuals share, and by how many
    steps.

    Where a point, as it is written, is such a fix, its x is raised by the least multiple of a rounding unit
    (`unit_length` without rounding) that ends this.
    """
    x = x.copy()
    moved = np.zeros(len(x), np.int64)
    if fixes is None or not len(x):
        return x, moved
    step = unit_length if precision is None else 10.0**-precision
    for cell in np.flatnonzero(fixes.hit(x, y)).tolist():
        start = float(x[cell])
        # A step that cannot be seen in what is written would be taken very often.
        length = max(step, 2 * CLOSEST, 4 * float(np.spacing(abs(start))), fixes.unit_of_degrees(start, float(y[cell])))
        if precision is not None:
            length = math.ceil(length / step - CLOSEST) * step
        tried = 0
        while True:  # in blocks, because a row of fixes may be long
            steps = tried + np.arange(1, _TRIED_AT_ONCE + 1)
            raised: Float64s = start + steps * np.float64(length)
            if precision is not None:
                raised = np.round(raised, precision)
            free = np.flatnonzero(~fixes.hit(raised, np.full(len(raised), y[cell])))
            if len(free):
                x[cell], moved[cell] = raised[free[0]], steps[free[0]]
                break
            tried += _TRIED_AT_ONCE
    return x, moved
