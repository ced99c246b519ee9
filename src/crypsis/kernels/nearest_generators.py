"""The nearest generator of each point, by a KD-tree. Generator g lies at generator_x[g], generator_y[g] (float64)."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.arrays import Float64s, Int32s

TOLERANCE = 1e-9


def nearest_generators(generator_x: Float64s, generator_y: Float64s, x: Float64s, y: Float64s) -> Int32s:
    """The nearest generator of each point; of those within a billionth of the nearest, the lowest index."""
    if len(generator_x) == 1 or not len(x):
        return np.zeros(len(x), np.int32)
    tree = tree_of(generator_x, generator_y)
    points = np.column_stack((x, y))
    distance, index = tree.query(points, k=2)
    nearest: Int32s = index[:, 0].astype(np.int32)
    limit = distance[:, 0] + tolerance(distance[:, 0])
    tied = np.flatnonzero(distance[:, 1] <= limit)
    for point, candidates in zip(tied, tree.query_ball_point(points[tied], limit[tied] * (1 + 1e-12)), strict=True):
        nearest[point] = min(candidates)
    return nearest


def tolerance(distance: Float64s) -> Float64s:
    """How far beyond the smallest distance another still counts as equal."""
    allowance: Float64s = TOLERANCE * np.maximum(1.0, np.abs(distance))
    return allowance


def tree_of(x: Float64s, y: Float64s) -> Any:
    """A KD-tree of points."""
    from scipy.spatial import cKDTree

    return cKDTree(np.column_stack((x, y)))
