"""GPS tracks as an adversary sees them beside a release of cells: every fix lies in the cell of the nearest point.

Whoever made the release knows the generators of the cells and is the strongest adversary. Everybody else takes the
published points for them, and puts some fixes into the wrong cell.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s
from crypsis.data.cell_blocks import nearest_cells
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable

EXACT = "the cells of known points were computed from the private generators, as if the adversary knew them"
NEAREST = "the adversary puts a known point into the cell whose published point is nearest; give the private report to "
NEAREST += "let the adversary know the cells (--private-report)"


def points_in_cells(tracks: Tracks, published: PublishedTrajectories) -> Trajectories:
    """The cell of every fix of every track, in order; with the generators also the blocks are known."""
    places = published.generators if published.generators is not None else published.places
    if places is None:
        raise NotApplicable("Known points are looked for in cells, and this release has no places for its symbols.")
    x, y = places.coordinates("An attack with GPS tracks")
    if not len(x):
        return Trajectories(np.zeros(len(tracks) + 1, np.int64), np.zeros(0, np.int32), places, tracks.owners)
    cells = nearest_cells(tracks, x, y, published.cell_blocks, _nearest)
    return Trajectories(tracks.offsets, cells.astype(np.int32), places, tracks.owners)


def _nearest(tracks: Tracks, x: Float64s, y: Float64s) -> Int64s:
    from scipy.spatial import cKDTree

    _, cell = cKDTree(np.column_stack((x, y))).query(np.column_stack((tracks.x, tracks.y)))
    return np.asarray(cell, np.int64)


def seconds_spent(tracks: Tracks) -> Float64s:
    """How long each fix lasts: until the next one of its track; the last one for no time."""
    spent = np.append(np.diff(tracks.t), 0.0)
    spent[tracks.offsets[1:] - 1] = 0.0
    return spent


def longest_stays(tracks: Tracks, points: Trajectories, individuals: Int32s, how_many: int) -> Int32s:
    """The cells in which each individual spends most time, most first; -1 where there are not so many."""
    n_cells = max(len(points.locations), 1)
    who = np.repeat(individuals, tracks.lengths).astype(np.int64)
    pairs, which = np.unique(who * n_cells + points.codes, return_inverse=True)
    spent = np.bincount(which, seconds_spent(tracks), len(pairs))
    person, cell = np.divmod(pairs, n_cells)
    order = np.lexsort((cell, -spent, person))
    person, cell = person[order], cell[order]
    rank = np.arange(len(person)) - np.searchsorted(person, person)
    stays = np.full((int(individuals.max(initial=-1)) + 1, how_many), -1, np.int32)
    inside = rank < how_many
    stays[person[inside], rank[inside]] = cell[inside]
    return stays
