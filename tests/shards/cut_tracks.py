"""Random tracks on a coarse grid, with ties, stops and several tracks that are alike; their order along a Z-curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import crypsis
from crypsis.methods.trajectory.track_blocks import CURVE_BITS

Fix = tuple[float, float, float]


def random_tracks(rng: np.random.Generator, n: int, crs: str | None = None) -> crypsis.Tracks:
    """Tracks along a few ways; some stand still, some are the same."""
    ways = [[(100.0 * step, 150.0 * way) for step in range(way, way + 4)] for way in range(4)]
    offset = (500_000.0, 4_400_000.0) if crs else (0.0, 0.0)
    lists: list[list[Fix]] = []
    for _ in range(n):
        if lists and rng.random() < 0.1:
            lists.append(lists[int(rng.integers(len(lists)))])
            continue
        way = ways[int(rng.integers(len(ways)))]
        first = int(rng.integers(0, 3))
        noise = rng.integers(-2, 3, (len(way), 2)) * float(rng.choice([0.5, 7.0]))
        times = np.cumsum(rng.integers(1, 400, len(way)))
        lists.append(
            [
                (x + offset[0] + dx, y + offset[1] + dy, float(t))
                for (x, y), (dx, dy), t in zip(way[first:], noise.tolist(), times.tolist(), strict=False)
            ]
        )
    return crypsis.Tracks.from_lists(lists, crs=crs)


def drawn_ppsg(name: str, rng: np.random.Generator, k: int) -> crypsis.PPSG:
    """The method with parameters that lead to few or many cells."""
    return crypsis.PPSG(
        k=k,
        inner="kam-cut" if name == "ppsg-kam-cut" else "kam-rec",
        strict=name == "ppsg-strict",
        unit="owner" if name == "ppsg-owner" else None,
        radius=float(rng.choice([20.0, 60.0, 200.0])),
        precision=[None, 0, 1][int(rng.integers(3))],
        max_displacement=[None, 100.0][int(rng.integers(2))],
        rep=str(rng.choice(["mean", "medoid"])),
        min_distance=1.0,
        max_distance=120.0,
    )


def rows_of(tracks: Sequence[Sequence[Fix]], names: Sequence[Any]) -> pl.DataFrame:
    """One row per fix, track by track."""
    rows = [(name, *fix) for name, track in zip(names, tracks, strict=True) for fix in track]
    return pl.DataFrame(rows, schema=["track_id", "x", "y", "t"], orient="row")


def order_along_the_curve(tracks: Sequence[Sequence[Fix]], some: Sequence[int] | None = None) -> list[int]:
    """The order of all tracks or some for blocks, the slow and obvious way: whole numbers, bit by bit."""
    firsts = [track[0][:2] for track in tracks]
    west, south = (min(point[axis] for point in firsts) for axis in (0, 1))
    side = max(max(x - west, y - south) for x, y in firsts)

    def place(x: float, y: float) -> int:
        if side == 0:
            return 0
        column, row = (min(int(away / side * 2**CURVE_BITS), 2**CURVE_BITS - 1) for away in (x - west, y - south))
        return sum(((column >> bit) & 1) << (2 * bit) | ((row >> bit) & 1) << (2 * bit + 1) for bit in range(32))

    return sorted(
        range(len(tracks)) if some is None else some, key=lambda row: (place(*firsts[row]), list(tracks[row]), row)
    )
