"""Density clusters of full-size GPS tracks, and all pairs of some of them beside the search with pruning."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis.arrays import take_records
from crypsis.metrics.clustering import density_clusters
from crypsis.metrics.route_distance import Routes, near_routes, route_distances


def rows(quick: bool = False) -> Iterator[Row]:
    """OPTICS at the distances of the paper; the kernel of all pairs is the comparator on a part of the tracks."""
    routes = Routes.of(workloads.cars())
    for distance in (50.0, 450.0) if quick else (50.0, 200.0, 450.0):
        seconds = best_of(1, lambda: density_clusters(routes, distance))  # noqa: B023
        yield Row(f"OPTICS within {distance:g} m", f"cars {len(routes):,} tracks", seconds)
    offsets, positions = take_records(routes.offsets, np.arange(500))
    some = Routes(offsets, routes.x[positions], routes.y[positions])
    ours = best_of(3, lambda: near_routes(some, 450.0))
    started = time.perf_counter()
    route_distances(some)
    theirs = time.perf_counter() - started
    yield Row("near tracks within 450 m", "cars 500 tracks", ours, "all pairs aligned", theirs, required=1)
