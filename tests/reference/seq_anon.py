"""SEQANON word for word: recount every support whenever it is needed, measure every distance from the members.

Trajectories are sequences of location codes 0, 1, ...; a symbol is a frozenset of codes; `individuals` says whom a
trajectory counts for (itself, or its owner).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import hypot
from typing import NamedTuple

from tests.reference.subsequences import support, supports

Symbol = frozenset[int]


class Infeasible(Exception):
    """`size` is the smallest that some, but fewer than k individuals have; 1 means too few trajectories."""

    def __init__(self, size: int, have: int) -> None:
        super().__init__(size, have)
        self.size, self.have = size, have


class Result(NamedTuple):
    rows: list[tuple[Symbol, ...]]
    merges: list[Symbol]
    partition: set[Symbol]
    longest: int | None


def seq_anon(
    trajectories: Sequence[Sequence[int]],
    points: Sequence[tuple[float, float]],
    k: int,
    m: int,
    *,
    individuals: Sequence[Hashable] | None = None,
    truncate: bool = False,
) -> Result:
    who = list(range(len(trajectories)) if individuals is None else individuals)
    longest = None
    infeasible = infeasible_length(trajectories, who, k, m)
    if infeasible is not None:
        size, have = infeasible
        if size == 1 or not truncate:
            raise Infeasible(size, have)
        longest = size - 1
    rows = [tuple(frozenset([code]) for code in path[:longest]) for path in trajectories]
    merges: list[Symbol] = []
    for size in range(1, m + 1):
        counted = supports(rows, size, who)
        rare = [found for found in counted if counted[found] < k]
        for listed in sorted(rare, key=lambda found: (counted[found], tuple(map(min, found)))):
            found = image_of(listed, rows)
            while support(rows, found, who) < k:
                rarest = min(found, key=lambda symbol: (support(rows, [symbol], who), min(symbol)))
                merged = rarest | nearest(rarest, symbols_of(rows), points)
                rows = [tuple(merged if symbol <= merged else symbol for symbol in row) for row in rows]
                merges.append(merged)
                found = image_of(found, rows)
    return Result(rows, merges, symbols_of(rows), longest)


def infeasible_length(
    trajectories: Sequence[Sequence[int]], who: Sequence[Hashable], k: int, m: int
) -> tuple[int, int] | None:
    """The smallest size that some, but fewer than k individuals have, and how many have it."""
    for size in range(1, m + 1):
        have = len({individual for path, individual in zip(trajectories, who, strict=True) if len(path) >= size})
        if 0 < have < k or (size == 1 and have == 0 and k >= 2):
            return size, have
    return None


def symbols_of(rows: Sequence[Sequence[Symbol]]) -> set[Symbol]:
    return {symbol for row in rows for symbol in row}


def image_of(found: Sequence[Symbol], rows: Sequence[Sequence[Symbol]]) -> tuple[Symbol, ...]:
    """The subsequence in today's symbols."""
    today = symbols_of(rows)
    return tuple(next(symbol for symbol in today if old <= symbol) for old in found)


def nearest(symbol: Symbol, symbols: set[Symbol], points: Sequence[tuple[float, float]]) -> Symbol:
    """The other symbol with the smallest average distance; within rounding the smallest representative."""
    distance = {other: average_distance(symbol, other, points) for other in symbols if other != symbol}
    least = min(distance.values())
    ties = [other for other in distance if distance[other] <= least + 1e-9 * max(1.0, least)]
    return min(ties, key=min)


def average_distance(one: Symbol, other: Symbol, points: Sequence[tuple[float, float]]) -> float:
    """The mean over all pairs of members."""
    distances = [hypot(points[a][0] - points[b][0], points[a][1] - points[b][1]) for a in one for b in other]
    return sum(distances) / len(distances)
