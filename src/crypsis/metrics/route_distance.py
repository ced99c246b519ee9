"""Routes, and how far apart two of them are: what a clustering of tracks or trajectories compares.

The distance is the cost of the cheapest order-preserving alignment of the points (dynamic time warping, the cost of a
pair being its Euclidean distance), divided by the number of points of the longer route.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, FrozenArrays, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import BadCoordinate, TooLarge
from crypsis.kernels import route_distance as kernels
from crypsis.metrics.equal_rows import row_numbers

MOST_PAIRS = 100_000_000
_PARTS = 2


@dataclass(frozen=True, eq=False)
class Routes(FrozenArrays):
    """Route r goes through the points x[offsets[r]:offsets[r + 1]], y likewise."""

    offsets: Int64s
    x: Float64s
    y: Float64s

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise BadCoordinate("A route has a point without finite coordinates.")

    @classmethod
    def from_lists(cls, routes: Sequence[Sequence[Sequence[float]]]) -> Routes:
        """From lists of points `(x, y)`."""
        points = np.array([point for route in routes for point in route], np.float64).reshape(-1, 2)
        return cls(offsets_of(np.array([len(route) for route in routes], np.int64)), points[:, 0], points[:, 1])

    @classmethod
    def of(cls, data: Tracks | Trajectories, needed_by: str = "The route distance") -> Routes:
        """The fixes of tracks, or the visited locations of trajectories."""
        if isinstance(data, Tracks):
            return cls(data.offsets, data.x, data.y)
        x, y = data.locations.coordinates(needed_by)
        return cls(data.offsets, x[data.codes], y[data.codes])

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The neighbours of route r, itself excluded, are indices[starts[r]:starts[r + 1]], ascending, with distances."""

    starts: Int64s
    indices: Int64s
    distances: Float64s


def route_distances(routes: Routes) -> Float64s:
    """Distances of all pairs; for small data."""
    return kernels.route_distances(routes.offsets, routes.x, routes.y)


def near_routes(routes: Routes, max_distance: float) -> Neighbours:
    """The routes within `max_distance` of each route. Equal routes are compared with the others only once."""
    numbers = row_numbers(routes.offsets, np.unique(routes.x + 1j * routes.y, return_inverse=True)[1])
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    offsets, positions = take_records(routes.offsets, first)
    with ThreadPoolExecutor(_PARTS) as threads:  # the kernel works without the interpreter lock
        found = list(
            threads.map(
                lambda part: kernels.near_routes(
                    offsets, routes.x[positions], routes.y[positions], max_distance, MOST_PAIRS, part, _PARTS
                ),
                range(_PARTS),
            )
        )
    ones, others, distances = (np.concatenate([part[index] for part in found]) for index in range(3))
    copies = np.bincount(number, minlength=len(first))
    n_pairs = int((copies[ones] * copies[others]).sum() + (copies * (copies - 1)).sum())
    if n_pairs > MOST_PAIRS or not all(part[3] for part in found):
        raise TooLarge(
            f"More than {MOST_PAIRS} pairs of routes are within {max_distance:g} of each other; lower max_distance."
        )
    itself = np.arange(len(first))
    origin, target, apart = _between_copies(
        number,
        np.concatenate([ones, others, itself]),
        np.concatenate([others, ones, itself]),
        np.concatenate([distances, distances, np.zeros(len(first))]),
    )
    order = np.lexsort((target, origin))
    return Neighbours(offsets_of(np.bincount(origin, minlength=len(routes))), target[order], apart[order])


def _between_copies(
    number: Int64s, origin: Int64s, target: Int64s, distances: Float64s
) -> tuple[Int64s, Int64s, Float64s]:
    """All ordered pairs of routes from pairs of distinct ones, and of equal routes, without a route and itself."""
    copies = np.argsort(number, kind="stable")
    starts = offsets_of(np.bincount(number))
    each = np.diff(starts)
    _, positions = take_records(starts, origin)
    first = np.repeat(copies[positions], np.repeat(each[target], each[origin]))
    facing = np.repeat(target, each[origin])
    _, positions = take_records(starts, facing)
    second = copies[positions]
    apart = np.repeat(distances, each[origin] * each[target])
    different = first != second
    return first[different], second[different], apart[different]


def representative_points(symbols: Symbols, locations: Locations, needed_by: str) -> tuple[Float64s, Float64s]:
    """The mean position of the members of each symbol, whose codes are those of the location table."""
    x, y = locations.coordinates(needed_by)
    symbol_of_slot = np.repeat(np.arange(len(symbols)), symbols.sizes)
    sums = [np.bincount(symbol_of_slot, values[symbols.members], len(symbols)) for values in (x, y)]
    return sums[0] / symbols.sizes, sums[1] / symbols.sizes
