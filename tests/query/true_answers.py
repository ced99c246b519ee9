"""What questions have for answers where everything is known: counted visit by visit, the slow and obvious way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, product

from tests.timed_movements import Visit

Period = tuple[float, float]


def was_there(path: Sequence[Visit], region: Collection[str], period: Period, mode: str, *, joined: bool) -> bool:
    """Whether a visit in the region has an instant of the period, covers it, or lies in it.

    Joined, visits may cover the period together, one directly after another.
    """
    first, last = period
    stays = [(enter, exit) for place, enter, exit in path if place in region]
    if mode == "sometime":
        return any(enter <= last and first <= exit for enter, exit in stays)
    if mode == "within":
        return any(first <= enter and exit <= last for enter, exit in stays)
    covered = first
    for enter, exit in stays:
        if enter <= first and last <= exit:
            return True
        if joined and enter <= covered:
            covered = max(covered, exit)
    return joined and bool(stays) and covered >= last and any(enter <= first <= exit for enter, exit in stays)


def relations(path: Sequence[Visit], region: Collection[str], period: Period, *, instants: bool) -> set[str]:
    """The relations in which visits in the region stand to a period that lasts; those of single instants if asked."""
    return {
        name
        for place, enter, exit in path
        if place in region and (enter < exit or instants)
        for name in _relation(enter, exit, *period)
    }


def _relation(a: float, b: float, c: float, d: float) -> Iterator[str]:
    if a == b:
        yield from (name for name, holds in (("before", b < c), ("during", c < a < d), ("after", d < a)) if holds)
        return
    if b < c or d < a:
        yield "before" if b < c else "after"
    elif b == c or d == a:
        yield "meets" if b == c else "met_by"
    elif a == c:
        yield "starts" if b < d else "equals" if b == d else "started_by"
    elif b == d:
        yield "finishes" if a > c else "finished_by"
    elif a < c:
        yield "overlaps" if b < d else "contains"
    else:
        yield "during" if b < d else "overlapped_by"


def went(path: Sequence[Visit], origin: Collection[str], destination: Collection[str]) -> bool:
    """Whether a visit in the origin comes before one in the destination."""
    return any(one[0] in origin and other[0] in destination for one, other in combinations(path, 2))


def met(one: Sequence[Visit], other: Sequence[Visit]) -> bool:
    """Whether two people were at one place at one instant."""
    return any(a[0] == b[0] and a[1] <= b[2] and b[1] <= a[2] for a, b in product(one, other))


def seconds_there(path: Sequence[Visit], region: Collection[str], period: Period) -> float:
    """How long somebody was in a region in a period."""
    first, last = period
    return sum(max(0, min(exit, last) - max(enter, first)) for place, enter, exit in path if place in region)
