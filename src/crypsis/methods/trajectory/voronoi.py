"""Voronoi cells of generators: the cell of a point, and which cells are neighbours. Ties go to the lower index."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.kernels.bisectors import share_a_boundary
from crypsis.kernels.nearest_generators import TOLERANCE, nearest_generators, tolerance, tree_of

_NEAREST_LOOKED_AT = 24
_EVERY_PAIR_UP_TO = 40  # generators; below this, listing all pairs is quicker than a triangulation

__all__ = [
    "are_neighbours",
    "nearest_generators",
    "neighbouring_pairs",
    "tolerance",
    "tree_of",
    "without_duplicates",
]


def without_duplicates(x: Float64s, y: Float64s) -> Bools:
    """Which generators stay when those within 1e-9 of an earlier one that stays are dropped."""
    stays = np.ones(len(x), np.bool_)
    if len(x) > 1:
        pairs = tree_of(x, y).query_pairs(TOLERANCE, output_type="ndarray")
        for earlier, later in sorted((min(pair), max(pair)) for pair in pairs.tolist()):
            if stays[earlier]:
                stays[later] = False
    return stays


def are_neighbours(x: Float64s, y: Float64s, first: NDArray[Any], second: NDArray[Any]) -> Bools:
    """For each pair of different generators: whether their cells share a boundary longer than a point."""
    if not len(first):
        return np.zeros(0, np.bool_)
    looked_at = min(len(x), _NEAREST_LOOKED_AT)
    middles = np.column_stack(((x[first] + x[second]) / 2, (y[first] + y[second]) / 2))
    distance, near = tree_of(x, y).query(middles, k=looked_at)
    reach = np.full(len(first), np.inf) if looked_at == len(x) else distance.reshape(len(first), -1)[:, -1].copy()
    return share_a_boundary(
        x,
        y,
        first.astype(np.int64),
        second.astype(np.int64),
        near.reshape(len(first), looked_at).astype(np.int64),
        reach,
    )


def neighbouring_pairs(x: Float64s, y: Float64s) -> Int64s:
    """All pairs (lower, higher index) of neighbouring cells, in order.

    A Delaunay triangulation proposes pairs and the test on the bisector decides: where four generators lie on one
    circle, the triangulation has a diagonal that touches in a point only.
    """
    candidates = _delaunay_edges(x, y)
    return candidates[are_neighbours(x, y, candidates[:, 0], candidates[:, 1])]


def _delaunay_edges(x: Float64s, y: Float64s) -> Int64s:
    """Every pair that may be neighbours: all pairs of a few or of collinear generators, else the triangulation's."""
    count = len(x)
    if count <= _EVERY_PAIR_UP_TO:
        return _every_pair(np.arange(count), count)
    from scipy.spatial import Delaunay, QhullError

    # Far from the origin Qhull would lose digits that the generators have.
    try:
        triangulation = Delaunay(np.column_stack((x - x.mean(), y - y.mean())))
    except QhullError:
        return _every_pair(np.arange(count), count)
    corners = triangulation.simplices.astype(np.int64)
    edges = np.concatenate((corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]))
    left_out = np.unique(triangulation.coplanar[:, 0]).astype(np.int64) if len(triangulation.coplanar) else None
    keys = edges.min(axis=1) * count + edges.max(axis=1)
    if left_out is not None:  # Qhull could not tell them from others; they may neighbour anything
        extra = _every_pair(left_out, count)
        keys = np.concatenate((keys, extra[:, 0] * count + extra[:, 1]))
    keys = np.unique(keys)
    return np.column_stack((keys // count, keys % count))


def _every_pair(some: NDArray[Any], count: int) -> Int64s:
    """Each of some generators with each other generator, without repeats, in order."""
    one = np.repeat(some, count).astype(np.int64)
    other = np.tile(np.arange(count, dtype=np.int64), len(some))
    keys = np.unique((np.minimum(one, other) * count + np.maximum(one, other))[one != other])
    return np.column_stack((keys // max(count, 1), keys % max(count, 1)))
