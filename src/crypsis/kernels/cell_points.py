"""Figures over the points of cells: how far they lie from one place, and which of them is their medoid.

The points of cell c are members[offsets[c]:offsets[c + 1]], numbers of points that lie at x, y.
"""

from __future__ import annotations

import math

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.compilation import njit

TOLERANCE = 1e-9


@njit
def displacements(
    x: Float64s, y: Float64s, offsets: Int64s, members: Int64s, cells: Int64s, place_x: float, place_y: float
) -> tuple[float, float]:
    """Mean and largest distance of the points of some cells from a place."""
    total = 0.0
    largest = 0.0
    count = 0
    for cell in cells:
        for position in range(offsets[cell], offsets[cell + 1]):
            point = members[position]
            distance = math.hypot(x[point] - place_x, y[point] - place_y)
            total += distance
            largest = max(largest, distance)
            count += 1
    return (total / count if count else 0.0), largest


@njit
def medoid(x: Float64s, y: Float64s, points: Int64s) -> int:
    """The point with the least sum of distances to the others; ties go to the smaller x, then the smaller y."""
    sums = np.zeros(len(points))
    for index in range(len(points)):
        for other in range(index + 1, len(points)):
            distance = math.hypot(x[points[index]] - x[points[other]], y[points[index]] - y[points[other]])
            sums[index] += distance
            sums[other] += distance
    limit = sums.min() + TOLERANCE * max(1.0, sums.min())
    best = -1
    for index in range(len(points)):
        point = points[index]
        if sums[index] <= limit:
            if best < 0 or x[point] < x[best] or (x[point] == x[best] and y[point] < y[best]):
                best = point
    return best
