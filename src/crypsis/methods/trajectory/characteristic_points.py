"""Step of PPSG: the fixes that say where a track turns, stops, or has gone far.

Andrienko, Andrienko. Spatial generalization and aggregation of massive movement data.
IEEE Transactions on Visualization and Computer Graphics 17, 2011, 205-219.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.track import Tracks
from crypsis.kernels import characteristic_points as kernel


def characteristic_points(
    tracks: Tracks,
    *,
    min_angle: float = 45.0,
    min_stop: float = 300.0,
    max_distance: float = 3500.0,
    min_distance: float = 100.0,
) -> Int64s:
    """Positions of the characteristic fixes among all fixes, in the order of tracks and times.

    `min_angle` is in degrees, `min_stop` in seconds, the distances in the unit of the coordinates. The first and the
    last fix of a track always belong to them.
    """
    marked = kernel.characteristic_points(
        tracks.offsets,
        tracks.x,
        tracks.y,
        tracks.t,
        float(min_angle),
        float(min_stop),
        float(max_distance),
        float(min_distance),
    )
    return np.flatnonzero(marked)
