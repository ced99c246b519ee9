"""Expected answers to counting queries, record by record and in fractions. Cells are plain tuples; see the tests."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any


def actual(values: list[dict[str, Any]], items: list[list[str]], query: tuple[dict[str, Any], list[str]]) -> int:
    """Records whose values satisfy every predicate and that hold every item."""
    asked, wanted = query
    return sum(
        all(row[name] is not None and admits(predicate, row[name]) for name, predicate in asked.items())
        and set(wanted) <= set(held)
        for row, held in zip(values, items, strict=True)
    )


def admits(predicate: tuple[Any, ...], value: Any) -> bool:
    """("range", low, high) or ("in", values)."""
    return predicate[1] <= value <= predicate[2] if predicate[0] == "range" else value in predicate[1]


def expected(
    cells: list[dict[str, Any]],
    shown: list[list[tuple[str, ...]]],
    query: tuple[dict[str, Any], list[str]],
    domains: dict[str, list[Any]],
    leaves: dict[str, tuple[str, ...]],
    uniform: bool = False,
) -> Fraction:
    """The sum over records of the probability that what a cell hides satisfies the query."""
    asked, wanted = query
    total = Fraction(0)
    for row, symbols in zip(cells, shown, strict=True):
        probability = Fraction(1)
        for name, predicate in asked.items():
            probability *= share(row[name], predicate, domains[name], leaves, whole=name == "age")
        if any(cell == ("suppressed",) for cell in row.values()):
            probability = Fraction(0)
        total += probability * held(symbols, wanted, uniform)
    return total


def share(cell: tuple[Any, ...], predicate: tuple[Any, ...], domain: list[Any], leaves: Any, whole: bool) -> Fraction:
    """How likely the value behind a cell satisfies the predicate."""
    kind = cell[0]
    if kind in ("missing", "suppressed"):
        return Fraction(0)
    if kind == "any" and domain and not isinstance(domain[0], str):
        cell = ("value", domain[0]) if len(domain) == 1 else ("range", domain[0], domain[-1])
        kind = cell[0]
    if kind == "range":
        low, high = cell[1], cell[2]
        if whole:
            inside = [value for value in range(low, high + 1) if admits(predicate, value)]
            return Fraction(len(inside), high - low + 1)
        if predicate[0] == "in":
            return Fraction(0)
        overlap = min(Fraction(high), Fraction(predicate[2])) - max(Fraction(low), Fraction(predicate[1]))
        return max(overlap, Fraction(0)) / (Fraction(high) - Fraction(low))
    members = {
        "value": lambda: cell[1:],
        "set": lambda: cell[1],
        "node": lambda: leaves[cell[1]],
        "any": lambda: domain,
    }[kind]()
    return Fraction(sum(admits(predicate, member) for member in members), len(members)) if members else Fraction(0)


def held(symbols: list[tuple[str, ...]], wanted: list[str], uniform: bool) -> Fraction:
    """How likely all wanted items are behind the symbols, each of which hides a non-empty subset of itself."""
    probability = Fraction(1)
    for symbol in {next((one for one in symbols if item in one), ()) for item in wanted}:
        inside = [item for item in wanted if item in symbol]
        if not symbol:
            return Fraction(0)
        if uniform:
            probability *= Fraction(1, len(symbol) ** len(inside))
            continue
        subsets = [set(some) for size in range(1, len(symbol) + 1) for some in combinations(symbol, size)]
        probability *= Fraction(sum(set(inside) <= some for some in subsets), len(subsets))
    return probability
