"""From the cell of each fix to the sequence of cells of each track: consecutive repeats are one visit."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s


def cell_sequences(offsets: Int64s, cell_of_point: Int32s) -> tuple[Int64s, Int32s]:
    """Offsets and cells of the sequences; a fix in cell -1 is in none and is passed over."""
    inside = cell_of_point >= 0
    if not inside.all():
        before = np.concatenate(([0], np.cumsum(inside)))
        offsets, cell_of_point = before[offsets], cell_of_point[inside]
    begins = np.ones(len(cell_of_point), np.bool_)
    begins[1:] = cell_of_point[1:] != cell_of_point[:-1]
    begins[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    collapsed = np.concatenate(([0], np.cumsum(begins)))[offsets]
    return collapsed.astype(np.int64), cell_of_point[begins]
