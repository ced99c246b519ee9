"""Step of PPSG: the points that are published for cells. Each mixes at least k individuals and is nobody's position.

A generator, a medoid or the mean of a group may be the exact position of one person and is never published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.data.arrays import Bools, Float64s, Int64s
from crypsis.errors import InternalError
from crypsis.methods.trajectory.tessellation import Tessellation
from crypsis.methods.trajectory.voronoi import tree_of

CLOSEST = 1e-9


@dataclass(frozen=True)
class Representatives:
    """By cell: the point, how many individuals it mixes, and by how many units its x was moved off somebody's fix.

    A cell without points has no representative: its coordinates are not numbers.
    """

    x: Float64s
    y: Float64s
    individuals: Int64s
    moved: Int64s


def cell_representatives(
    cells: Tessellation, wanted: Bools, k: int, *, precision: int | None, unit_length: float
) -> Representatives:
    """The mean, over the individuals with fixes in a wanted cell, of each one's own mean point there.

    Rounded to `precision` decimals if given. Where a representative hits a fix that fewer than k individuals share,
    its x is raised by the least multiple of a rounding unit (`unit_length` without rounding) that ends this.
    """
    tracks = cells.tracks
    person = np.repeat(cells.individuals, tracks.lengths).astype(np.int64)
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
    step = unit_length if precision is None else 10.0**-precision
    moved = _moved_off_fixes(x, y, wanted, _rarely_shared_fixes(cells, person, k), step, precision)
    return Representatives(x, y, individuals, moved)


def _divided(total: NDArray[Any], count: Int64s) -> Float64s:
    with np.errstate(invalid="ignore"):
        quotient: Float64s = total / count
    return quotient


def _rarely_shared_fixes(cells: Tessellation, person: Int64s, k: int) -> tuple[Float64s, Float64s]:
    """Distinct positions at which fewer than k individuals have a fix."""
    tracks = cells.tracks
    order = np.lexsort((person, tracks.y, tracks.x))
    x, y, who = tracks.x[order], tracks.y[order], person[order]
    new_place = np.ones(len(x), np.bool_)
    new_place[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    new_person = new_place.copy()
    new_person[1:] |= who[1:] != who[:-1]
    starts = np.flatnonzero(new_place)
    shared = np.add.reduceat(new_person.astype(np.int64), starts) if len(starts) else np.zeros(0, np.int64)
    rare = starts[shared < k]
    return x[rare], y[rare]


def _moved_off_fixes(
    x: Float64s,
    y: Float64s,
    wanted: Bools,
    fixes: tuple[Float64s, Float64s],
    step: float,
    precision: int | None,
) -> Int64s:
    """Raise x where a representative hits a fix; by how many steps each was raised."""
    moved = np.zeros(len(x), np.int64)
    if not len(fixes[0]) or not wanted.any():
        return moved
    tree = tree_of(*fixes)
    chosen = np.flatnonzero(wanted)
    distance, _ = tree.query(np.column_stack((x[chosen], y[chosen])))
    for cell in chosen[distance <= CLOSEST].tolist():
        steps, raised = 0, float(x[cell])
        # A step that cannot be seen beside the coordinate, or that never leaves the fix, would go on for ever.
        length = max(step, 2 * CLOSEST, 2 * float(np.spacing(abs(raised))))
        while tree.query((raised, y[cell]))[0] <= CLOSEST:
            steps += 1
            raised = float(x[cell]) + steps * length
            if precision is not None:
                raised = round(raised, precision)
        x[cell], moved[cell] = raised, steps
    return moved
