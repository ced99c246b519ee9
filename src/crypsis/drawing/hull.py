"""Convex hull of points in the plane by Andrew's monotone chain."""

from __future__ import annotations

from collections.abc import Iterable

Point = tuple[float, float]


def convex_hull(points: Iterable[Point]) -> list[Point]:
    """Corners in turn, counterclockwise where y points up; two points for a line, one where all are equal."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered
    below, above = _chain(ordered), _chain(ordered[::-1])
    return below[:-1] + above[:-1]


def _chain(ordered: list[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Point, b: Point, c: Point) -> float:
    """Positive for a left turn at b on the way from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
