"""Moves on a map that can still be read: above some number, those between the same two neighbourhoods are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int64s

MOST_ARROWS = 100
_DIVISIONS = (24, 16, 12, 10, 8, 7, 6, 5, 4, 3)  # neighbourhoods along an edge of the map, the finest first


@dataclass(frozen=True)
class Bundle:
    """Moves from one neighbourhood to another: where they begin and end on average, how many, on how many ways."""

    start: tuple[float, float]
    end: tuple[float, float]
    count: int
    connections: int
    ends: tuple[int, int] | None = None  # the two places, where it is the move between them alone

    @property
    def bundled(self) -> bool:
        return self.ends is None


def bundled(flows: Int64s, x: Float64s, y: Float64s, most: int = MOST_ARROWS) -> list[Bundle]:
    """Flows (origin, target, count) as at most this many arrows. The finest division that does is taken."""
    if len(flows) <= most:
        return [
            Bundle((float(x[a]), float(y[a])), (float(x[b]), float(y[b])), count, 1, (a, b))
            for a, b, count in flows.tolist()
        ]
    ends = flows[:, :2]
    low = np.array([x[ends].min(), y[ends].min()])
    span = max(float(x[ends].max() - low[0]), float(y[ends].max() - low[1])) or 1.0
    for division in _DIVISIONS:
        across = np.minimum(((x[ends] - low[0]) / span * division).astype(np.int64), division - 1)
        along = np.minimum(((y[ends] - low[1]) / span * division).astype(np.int64), division - 1)
        cells = across * division + along
        keys, group = np.unique(cells[:, 0] * division**2 + cells[:, 1], return_inverse=True)
        if len(keys) <= most or division == _DIVISIONS[-1]:
            break
    counts = np.bincount(group, weights=flows[:, 2])
    points = [np.bincount(group, weights=flows[:, 2] * at[ends[:, end]]) / counts for end in (0, 1) for at in (x, y)]
    ways = np.bincount(group)
    return [
        Bundle((float(one[0]), float(one[1])), (float(one[2]), float(one[3])), int(count), int(way))
        for one, count, way in zip(np.round(np.column_stack(points), 1).tolist(), counts, ways, strict=True)
    ]
