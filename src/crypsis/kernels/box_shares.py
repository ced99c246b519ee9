"""How much of the published records falls on each point: every class spreads its records evenly over its box.

Point p has the code `points[p, a]`; class c has the cell `cells[c, a]`. A cell holds the codes `low` to `high`, or
those marked in row `table_row` of `tables`; cells and table rows of all attributes lie one after another.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.compilation import njit


@njit
def point_shares(
    points: Int64s, cells: Int64s, shares: Float64s, low: Int64s, high: Int64s, table_row: Int64s, tables: Bools
) -> Float64s:
    """The sum, over the classes whose box holds a point, of the classes' shares."""
    totals = np.zeros(len(points))
    for point in range(len(points)):
        total = 0.0
        for index in range(len(cells)):
            inside = True
            for attribute in range(points.shape[1]):
                cell, code = cells[index, attribute], points[point, attribute]
                row = table_row[cell]
                if row >= 0:
                    inside = tables[row, code]
                else:
                    inside = low[cell] <= code <= high[cell]
                if not inside:
                    break
            if inside:
                total += shares[index]
        totals[point] = total
    return totals
