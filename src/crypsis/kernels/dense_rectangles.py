"""Rectangles of busy grid cells. density[column, row] is the number of tracks in a cell (int64)."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.compilation import njit

TOLERANCE = 1e-9


@njit
def grow_rectangles(density: Int64s, seed_columns: Int64s, seed_rows: Int64s, threshold: float) -> Int64s:
    """One rectangle (first column, first row, last column, last row) per seed that no earlier one covers.

    Each grows by the column or row (left, right, down, up) that leaves the largest mean density, as long as that
    stays at the threshold, the strip holds a dense cell, and it overlaps no earlier rectangle.
    """
    columns, rows = density.shape
    limit = threshold - TOLERANCE * max(1.0, abs(threshold))
    covered = np.zeros((columns, rows), np.bool_)
    rectangles = np.empty((len(seed_columns), 4), np.int64)
    regions = 0
    for seed in range(len(seed_columns)):
        left = seed_columns[seed]
        right = left
        low = seed_rows[seed]
        high = low
        if covered[left, low]:
            continue
        total = density[left, low]
        while True:
            best = -1
            best_mean = 0.0
            best_total = 0
            for side in range(4):
                from_column, to_column, from_row, to_row = left, right, low, high
                area = (right - left + 1) * (high - low + 1)
                if side == 0:
                    from_column = to_column = left - 1
                elif side == 1:
                    from_column = to_column = right + 1
                elif side == 2:
                    from_row = to_row = low - 1
                else:
                    from_row = to_row = high + 1
                if from_column < 0 or to_column >= columns or from_row < 0 or to_row >= rows:
                    continue
                strip = 0
                free = True
                dense = False
                for column in range(from_column, to_column + 1):
                    for row in range(from_row, to_row + 1):
                        strip += density[column, row]
                        if covered[column, row]:
                            free = False
                        if density[column, row] >= limit:
                            dense = True
                if not free or not dense:
                    continue
                area += (to_column - from_column + 1) * (to_row - from_row + 1)
                mean = (total + strip) / area
                if mean < limit:
                    continue
                if best < 0 or mean > best_mean + TOLERANCE * max(1.0, best_mean):
                    best = side
                    best_mean = mean
                    best_total = total + strip
            if best < 0:
                break
            total = best_total
            if best == 0:
                left -= 1
            elif best == 1:
                right += 1
            elif best == 2:
                low -= 1
            else:
                high += 1
        covered[left : right + 1, low : high + 1] = True
        rectangles[regions, 0] = left
        rectangles[regions, 1] = low
        rectangles[regions, 2] = right
        rectangles[regions, 3] = high
        regions += 1
    return rectangles[:regions].copy()
