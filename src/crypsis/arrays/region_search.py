"""Which region, a box of cells, holds a record."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit


@njit
def find_regions(cells: Int32s, low: Int32s, high: Int32s) -> Int64s:
    """The first region that holds each record, given as cells; -1 where none does."""
    regions = np.full(len(cells), -1, np.int64)
    for record in range(len(cells)):
        for region in range(len(low)):
            inside = True
            for column in range(cells.shape[1]):
                if cells[record, column] < low[region, column] or cells[record, column] >= high[region, column]:
                    inside = False
                    break
            if inside:
                regions[record] = region
                break
    return regions
