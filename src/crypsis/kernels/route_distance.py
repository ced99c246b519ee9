"""Route distance: cheapest order-preserving alignment of two routes. Route r is the points offsets[r]:offsets[r + 1].

Dynamic time warping with the steps (1, 0), (0, 1), (1, 1); the cost of an aligned pair is its Euclidean distance, and
the total is divided by the number of points of the longer route. Every alignment has at least that many pairs, and
each point of either route is in one: this is what the lower bounds are made of.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.compilation import njit

_TOLERANCE = 1e-9


@njit
def route_distance(
    offsets: Int64s, x: Float64s, y: Float64s, one: int, other: int, most: float, rest: Float64s, row: Float64s
) -> float:
    """Distance of two routes, or infinity once it is certain to exceed `most`.

    `rest[i]` is a lower bound of what the points of `one` from its i-th on must cost; `row` is working space for the
    points of `other`. Both empty: 0; one empty: infinite.
    """
    start, end = offsets[one], offsets[one + 1]
    first, last = offsets[other], offsets[other + 1]
    if start == end or first == last:
        return 0.0 if start == end and first == last else np.inf
    longest = max(end - start, last - first)
    budget = most * longest
    for point in range(start, end):
        diagonal = np.inf if point > start else 0.0  # the cell up and to the left of the current one
        before = np.inf  # the cell to the left
        cheapest = np.inf
        for facing in range(first, last):
            column = facing - first
            above = row[column] if point > start else np.inf
            least = min(diagonal, min(above, before))
            across, up = x[point] - x[facing], y[point] - y[facing]
            diagonal = above
            before = least + np.sqrt(across * across + up * up)
            row[column] = before
            cheapest = min(cheapest, before)
        if cheapest + rest[point - start + 1] > budget:
            return np.inf
    return float(row[last - first - 1] / longest)


@njit
def route_distances(offsets: Int64s, x: Float64s, y: Float64s) -> Float64s:
    """Distances of all pairs of routes, computed once per pair and mirrored."""
    n_routes = len(offsets) - 1
    longest = _longest(offsets)
    nothing, row = np.zeros(longest + 1), np.empty(longest)
    distances = np.zeros((n_routes, n_routes))
    for route in range(n_routes):
        for other in range(route + 1, n_routes):
            distance = route_distance(offsets, x, y, route, other, np.inf, nothing, row)
            distances[route, other] = distance
            distances[other, route] = distance
    return distances


@njit
def near_routes(
    offsets: Int64s, x: Float64s, y: Float64s, most: float, most_pairs: int, part: int, parts: int
) -> tuple[Int64s, Int64s, Float64s, bool]:
    """All pairs of routes that are at most `most` apart, and their distances; False if there are too many pairs.

    Routes are swept by their western edge. A pair is given up as soon as its bounding boxes, its ends, or the
    distances of one route's points to the other's box show that it is too far apart, or while it is being aligned.
    The work can be shared: each part takes every `parts`-th route with all that follow it in the sweep.
    """
    n_routes = len(offsets) - 1
    limit = most + _TOLERANCE * max(1.0, abs(most))  # the tolerance of all thresholds
    loose = limit + _TOLERANCE * max(1.0, abs(limit))  # bounds are rounded, too: no pair is lost to that
    west, east = np.full(n_routes, np.inf), np.full(n_routes, -np.inf)
    south, north = np.full(n_routes, np.inf), np.full(n_routes, -np.inf)
    for route in range(n_routes):
        for point in range(offsets[route], offsets[route + 1]):
            west[route] = min(west[route], x[point])
            east[route] = max(east[route], x[point])
            south[route] = min(south[route], y[point])
            north[route] = max(north[route], y[point])
    order = np.argsort(west, kind="mergesort")  # empty routes come last
    west, east, south, north = west[order], east[order], south[order], north[order]
    longest = _longest(offsets)
    rest, other_rest, row = np.zeros(longest + 1), np.zeros(longest + 1), np.empty(longest)

    ones, others = np.empty(1024, np.int64), np.empty(1024, np.int64)
    distances = np.empty(1024)
    n_pairs = 0
    for rank in range(part, n_routes, parts):
        one = order[rank]
        length = offsets[one + 1] - offsets[one]
        for later in range(rank + 1, n_routes):
            if length > 0:
                if west[later] - east[rank] > loose:
                    break
                gap_x = max(0.0, west[later] - east[rank])
                gap_y = max(0.0, max(south[later] - north[rank], south[rank] - north[later]))
                if gap_x * gap_x + gap_y * gap_y > loose * loose:
                    continue
            other = order[later]
            if length > 0:
                budget = loose * max(length, offsets[other + 1] - offsets[other])
                if _ends_apart(offsets, x, y, one, other) > budget:
                    continue
                _to_box(offsets, x, y, one, west[later], east[later], south[later], north[later], rest)
                if rest[0] > budget:
                    continue
                _to_box(offsets, x, y, other, west[rank], east[rank], south[rank], north[rank], other_rest)
                if other_rest[0] > budget:
                    continue
            distance = route_distance(offsets, x, y, one, other, loose, rest, row)
            if distance <= limit:
                if n_pairs == most_pairs:
                    return ones[:n_pairs], others[:n_pairs], distances[:n_pairs], False
                if n_pairs == len(ones):
                    ones = np.append(ones, np.empty(n_pairs, np.int64))
                    others = np.append(others, np.empty(n_pairs, np.int64))
                    distances = np.append(distances, np.empty(n_pairs))
                ones[n_pairs], others[n_pairs], distances[n_pairs] = one, other, distance
                n_pairs += 1
    return ones[:n_pairs], others[:n_pairs], distances[:n_pairs], True


@njit
def _longest(offsets: Int64s) -> int:
    """Return the number of points of the longest route."""
    longest = 0
    for route in range(len(offsets) - 1):
        longest = max(longest, offsets[route + 1] - offsets[route])
    return longest


@njit
def _ends_apart(offsets: Int64s, x: Float64s, y: Float64s, one: int, other: int) -> float:
    """First points are aligned with each other, and so are last points."""
    apart = np.hypot(x[offsets[one]] - x[offsets[other]], y[offsets[one]] - y[offsets[other]])
    if offsets[one + 1] - offsets[one] > 1 or offsets[other + 1] - offsets[other] > 1:
        end, last = offsets[one + 1] - 1, offsets[other + 1] - 1
        apart += np.hypot(x[end] - x[last], y[end] - y[last])
    return float(apart)


@njit
def _to_box(
    offsets: Int64s,
    x: Float64s,
    y: Float64s,
    route: int,
    west: float,
    east: float,
    south: float,
    north: float,
    rest: Float64s,
) -> None:
    """rest[i]: distances from the i-th and all later points of a route to a box, summed."""
    start, end = offsets[route], offsets[route + 1]
    rest[end - start] = 0.0
    for point in range(end - 1, start - 1, -1):
        across = max(0.0, max(west - x[point], x[point] - east))
        up = max(0.0, max(south - y[point], y[point] - north))
        rest[point - start] = rest[point - start + 1] + np.sqrt(across * across + up * up)
