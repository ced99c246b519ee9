"""The largest distance between two points of the plane: all pairs of corners of their convex hull."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.compilation import njit


@njit
def largest_distance(x: Float64s, y: Float64s) -> float:
    """Largest distance between two of the points, which come sorted by x, then y; 0 for fewer than two."""
    corners = _hull_corners(x, y)
    largest = 0.0
    for index in range(len(corners)):
        for other in range(index + 1, len(corners)):
            distance = np.hypot(x[corners[index]] - x[corners[other]], y[corners[index]] - y[corners[other]])
            largest = max(largest, distance)
    return largest


@njit
def _hull_corners(x: Float64s, y: Float64s) -> Int64s:
    """Where the hull's corners are: a monotone chain along its upper side, then one along its lower side."""
    n_points = len(x)
    corners = np.empty(2 * n_points, np.int64)
    count = 0
    for side in (1.0, -1.0):
        bottom = count
        for point in range(n_points):
            while count - bottom >= 2:
                before, last = corners[count - 2], corners[count - 1]
                rise, run = y[last] - y[before], x[last] - x[before]
                turn = run * (y[point] - y[before]) - rise * (x[point] - x[before])
                if side * turn < 0:
                    break
                count -= 1
            corners[count] = point
            count += 1
    return corners[:count]
