"""Utility of published trajectories, the slow and obvious way.

A trajectory is a tuple of codes, a published one a tuple of frozensets of codes; points are (x, y) by code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

Path = Sequence[int]
PublishedPath = Sequence[frozenset[int]]
Point = tuple[float, float]


def subsequences(path: Path, size: int) -> set[tuple[int, ...]]:
    return set(combinations(path, size))


def contains(path: Path, query: Path) -> bool:
    rest = iter(path)
    return all(code in rest for code in query)


def support(paths: Sequence[Path], query: Path) -> int:
    return sum(contains(path, query) for path in paths)


def containment_probability(row: PublishedPath, query: Path) -> Fraction:
    """Go through every trajectory that the published one may stand for."""
    readings = list(product(*row))
    return Fraction(sum(contains(reading, query) for reading in readings), len(readings))


def expected_support(rows: Sequence[PublishedPath], query: Path) -> Fraction:
    return sum((containment_probability(row, query) for row in rows), Fraction(0))


def upper_support(rows: Sequence[PublishedPath], query: Path) -> int:
    return sum(containment_probability(row, query) > 0 for row in rows)


def average_relative_error(
    paths: Sequence[Path], rows: Sequence[PublishedPath], queries: Sequence[Path], estimator: str
) -> float:
    errors = []
    for query in queries:
        actual = support(paths, query)
        estimate = expected_support(rows, query) if estimator == "uniform" else upper_support(rows, query)
        errors.append(Fraction(abs(actual - estimate), max(actual, 1)))
    return float(sum(errors) / len(errors)) if errors else 0.0


def divergence(actual: Sequence[float], possible: Sequence[float]) -> float:
    total = 0.0
    for before, after in zip(actual, possible, strict=True):
        if before > 0:
            p = before / sum(actual)
            total += p * math.log(p / (after / sum(possible))) if after > 0 else math.inf
    return total


def diameter(points: Sequence[Point]) -> float:
    return max((math.dist(one, other) for one, other in combinations(points, 2)), default=0.0)


def distance(paths: Sequence[Path], rows: Sequence[Sequence[frozenset[int] | None]], points: Sequence[Point]) -> float:
    """D(T, T'); a published row has one entry for each original visit, None where it was suppressed."""
    occurring = {code for path in paths for code in path}
    widest = diameter([points[code] for code in occurring])
    total = 0.0
    for path, row in zip(paths, rows, strict=True):
        costs = []
        for code, symbol in zip(path, row, strict=True):
            if symbol is None:
                costs.append(widest)
            else:
                costs.append(sum(math.dist(points[code], points[member]) for member in symbol) / len(symbol))
        total += sum(costs) / len(costs) if costs else 0.0
    return total / len(paths) if paths else 0.0


def mean_pairwise_distance(symbol: frozenset[int], points: Sequence[Point]) -> float:
    distances = [math.dist(points[one], points[other]) for one, other in combinations(symbol, 2)]
    return sum(distances) / len(distances)
