"""Staying in a cell is one visit: what a track becomes when it is generalized."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.data.trajectory import Trajectories


def collapsed(points: Trajectories) -> Trajectories:
    """The generalized tracks, from the cell of every point."""
    offsets, codes = collapsed_rows(points.offsets, points.codes)
    return Trajectories(offsets, codes, points.locations, points.owners, points.ids)


def collapsed_rows(offsets: Int64s, codes: Int32s) -> tuple[Int64s, Int32s]:
    """Rows without the codes that repeat the one before."""
    kept = np.ones(len(codes), np.bool_)
    kept[1:] = codes[1:] != codes[:-1]
    kept[offsets[:-1][np.diff(offsets) > 0]] = True
    return np.append(0, np.cumsum(kept))[offsets], codes[kept]
