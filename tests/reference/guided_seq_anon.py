"""SD-SEQANON and U-SEQANON word for word, on top of the slow SEQANON.

A taxonomy is a mapping child -> parent over names; locations are codes with a label each. Constraints are sets of
codes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from tests.reference.seq_anon import (
    Infeasible,
    Result,
    Symbol,
    average_distance,
    image_of,
    infeasible_length,
    symbols_of,
)
from tests.reference.subsequences import support, supports


class Unsatisfied(Exception):
    """More locations were suppressed than allowed."""

    def __init__(self, suppressed: list[Symbol], percent: float) -> None:
        super().__init__(suppressed, percent)
        self.suppressed, self.percent = suppressed, percent


class ConstrainedResult(NamedTuple):
    rows: list[tuple[Symbol, ...]]
    merges: list[Symbol]
    suppressed: list[Symbol]
    percent: float


def dissimilarity(names: Sequence[str], parent_of: Mapping[str, str]) -> float:
    """Leaves below the closest common ancestor, as a share of all leaves."""
    lines = [ancestors(name, parent_of) for name in names]
    common = next(node for node in lines[0] if all(node in line for line in lines))
    leaves = set(parent_of) - set(parent_of.values())
    return len([leaf for leaf in leaves if common in ancestors(leaf, parent_of)]) / len(leaves)


def ancestors(name: str, parent_of: Mapping[str, str]) -> list[str]:
    line = [name]
    while line[-1] in parent_of:
        line.append(parent_of[line[-1]])
    return line


def sd_seq_anon(
    trajectories: Sequence[Sequence[int]],
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    parent_of: Mapping[str, str],
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
        for listed in listed_rare(rows, size, k, who):
            found = image_of(listed, rows)
            while support(rows, found, who) < k:
                rarest = min(found, key=lambda symbol: (support(rows, [symbol], who), min(symbol)))
                criterion = {
                    other: average_distance(rarest, other, points)
                    * dissimilarity([labels[code] for code in rarest | other], parent_of)
                    for other in symbols_of(rows) - {rarest}
                }
                merged = rarest | least(criterion)
                rows = merged_rows(rows, merged)
                merges.append(merged)
                found = image_of(found, rows)
    return Result(rows, merges, symbols_of(rows), longest)


def u_seq_anon(
    trajectories: Sequence[Sequence[int]],
    points: Sequence[tuple[float, float]],
    constraints: Sequence[frozenset[int]],
    k: int,
    m: int,
    delta: float,
    *,
    individuals: Sequence[Hashable] | None = None,
) -> ConstrainedResult:
    who = list(range(len(trajectories)) if individuals is None else individuals)
    visitors = {individual for path, individual in zip(trajectories, who, strict=True) if path}
    if m >= 1 and k >= 2 and len(visitors) < k:
        raise Infeasible(1, len(visitors))
    occurring = {code for path in trajectories for code in path}
    rows = [tuple(frozenset([code]) for code in path) for path in trajectories]
    merges: list[Symbol] = []
    suppressed: list[Symbol] = []
    percent = 0.0
    for size in range(1, m + 1):
        for listed in listed_rare(rows, size, k, who):
            found = remaining(listed, rows)
            while found and 0 < support(rows, found, who) < k:
                rarest = min(found, key=lambda symbol: (support(rows, [symbol], who), min(symbol)))
                (constraint,) = (one for one in constraints if rarest <= one)
                criterion = {
                    other: average_distance(rarest, other, points)
                    for other in symbols_of(rows) - {rarest}
                    if other <= constraint
                }
                if criterion:
                    merged = rarest | least(criterion)
                    rows = merged_rows(rows, merged)
                    merges.append(merged)
                else:
                    rows = [tuple(symbol for symbol in row if symbol != rarest) for row in rows]
                    suppressed.append(rarest)
                    percent = 100 * sum(map(len, suppressed)) / len(occurring)
                    if percent > delta + 1e-9:
                        raise Unsatisfied(suppressed, percent)
                found = remaining(found, rows)
    return ConstrainedResult(rows, merges, suppressed, percent)


def listed_rare(
    rows: Sequence[Sequence[Symbol]], size: int, k: int, who: Sequence[Hashable]
) -> list[tuple[Symbol, ...]]:
    counted = supports(rows, size, who)
    rare = [found for found in counted if counted[found] < k]
    return sorted(rare, key=lambda found: (counted[found], tuple(map(min, found))))


def least(criterion: Mapping[Symbol, float]) -> Symbol:
    value = min(criterion.values())
    return min((symbol for symbol in criterion if criterion[symbol] <= value + 1e-9 * max(1.0, value)), key=min)


def merged_rows(rows: Sequence[Sequence[Symbol]], merged: Symbol) -> list[tuple[Symbol, ...]]:
    return [tuple(merged if symbol <= merged else symbol for symbol in row) for row in rows]


def remaining(found: Sequence[Symbol], rows: Sequence[Sequence[Symbol]]) -> tuple[Symbol, ...]:
    """The subsequence in today's symbols; suppressed ones vanish."""
    today = symbols_of(rows)
    return tuple(symbol for old in found for symbol in today if old <= symbol)
