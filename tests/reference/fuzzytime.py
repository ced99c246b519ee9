"""Fuzzy relations by their definition on sets: the real line as points and the open gaps between them.

With whole bounds 0..n the line falls into the points 0, 1, ..., n and the open gaps between neighbours. Every set of
the definitions is a union of such pieces, so sets of pieces represent them exactly. Piece 2 i is the point i, piece
2 i + 1 the gap above it. A set is a whole number whose bit p tells whether it has piece p.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

RELATIONS = (
    "before", "meets", "overlaps", "starts", "during", "finishes", "equals",
    "finished_by", "contains", "started_by", "overlapped_by", "met_by", "after",
)  # fmt: skip
FORWARD = RELATIONS[:6]
LIMIT = 8

Quadruple = tuple[int, int, int, int]
Sets = tuple[int, int, int]  # interior, boundary, closure


def quadruples(limit: int = LIMIT) -> list[Quadruple]:
    return [q for q in combinations_with_replacement(range(limit + 1), 4) if q[1] < q[2]]


@cache
def real_sets(q: Quadruple) -> Sets:
    outer_start, inner_start, inner_end, outer_end = q
    interior = pieces(2 * inner_start + 1, 2 * inner_end)
    closure = pieces(2 * outer_start, 2 * outer_end + 1)
    return interior, closure & ~interior, closure


@cache
def integer_sets(q: Quadruple) -> Sets:
    outer_start, inner_start, inner_end, outer_end = q
    interior, closure = pieces(inner_start, inner_end + 1), pieces(outer_start, outer_end + 1)
    return interior, closure & ~interior, closure


def pieces(first: int, end: int) -> int:
    return (1 << end) - (1 << first)


def precedes(x: int, y: int) -> bool:
    """Every piece of x comes before every piece of y."""
    return not x or not y or x.bit_length() <= (y & -y).bit_length() - 1


def within(x: int, y: int) -> bool:
    return not x & ~y


def holding(a: Sets, b: Sets, overlaps: str = "corrected") -> list[str]:
    """Every relation whose definition is true."""
    held = [name for name in (*FORWARD, "equals") if holds(name, a, b, overlaps)]
    inverse = [RELATIONS[12 - RELATIONS.index(name)] for name in FORWARD if holds(name, b, a, overlaps)]
    return held + inverse


def holds(name: str, a: Sets, b: Sets, overlaps: str) -> bool:
    (ia, ba, ca), (ib, bb, cb) = a, b
    left_a, left_b = ia & ~cb, ib & ~ca
    if name == "before":
        return precedes(ca, cb)
    if name == "meets":
        return bool(ba & bb) and precedes(ia, ib)
    if name == "during":
        return within(ca, ib)
    if not ia & ib:
        return False
    if name == "overlaps":
        if not (left_a and left_b):
            return False
        if overlaps == "corrected":
            return precedes(left_a, cb) and precedes(ca, left_b)
        before, after = precedes(left_a, ca), precedes(cb, left_b)
        return before and after if overlaps == "conjunction" else before == after
    if name == "starts":
        return within(ia, cb) and bool(left_b) and precedes(ca, left_b)
    if name == "finishes":
        return within(ia, cb) and bool(left_b) and precedes(left_b, ca)
    return within(ia, cb) and within(ib, ca)


def possible(a: Quadruple, b: Quadruple) -> frozenset[str]:
    """Allen's relations between realizations; steps of a quarter are fine enough for all orders of four endpoints."""
    found = set()
    for sa, ea, sb, eb in product(
        range(4 * a[0], 4 * a[1] + 1), range(4 * a[2], 4 * a[3] + 1),
        range(4 * b[0], 4 * b[1] + 1), range(4 * b[2], 4 * b[3] + 1),
    ):  # fmt: skip
        if sa < ea and sb < eb:
            found.add(allen(sa, ea, sb, eb))
    return frozenset(found)


def allen(sa: float, ea: float, sb: float, eb: float) -> str:
    """The relation of two crisp intervals, straight from the orders of their endpoints."""
    if ea < sb:
        return "before"
    if eb < sa:
        return "after"
    if ea == sb:
        return "meets"
    if eb == sa:
        return "met_by"
    starts, ends = (sa > sb) - (sa < sb), (ea > eb) - (ea < eb)
    return {
        (-1, -1): "overlaps", (-1, 0): "finished_by", (-1, 1): "contains",
        (0, -1): "starts", (0, 0): "equals", (0, 1): "started_by",
        (1, -1): "during", (1, 0): "finishes", (1, 1): "overlapped_by",
    }[starts, ends]  # fmt: skip


@cache
def enumerate_relations() -> dict[str, Any]:
    """All ordered pairs with whole bounds: how many relations hold in each reading, and which one."""
    every = quadruples()
    sets, points = [real_sets(q) for q in every], [integer_sets(q) for q in every]
    counts: dict[str, Counter[str]] = {}
    for reading, given, overlaps in (
        ("corrected", sets, "corrected"),
        ("printed_overlaps_read_as_conjunction", sets, "conjunction"),
        ("printed_overlaps_read_as_biconditional", sets, "biconditional"),
        ("integer_point_reading", points, "corrected"),
    ):
        counts[reading] = Counter(str(len(holding(a, b, overlaps))) for a in given for b in given)
    relations = {(a, b): holding(real_sets(a), real_sets(b)) for a in every for b in every}
    return {**{name: dict(count) for name, count in counts.items()}, "relations": relations}
