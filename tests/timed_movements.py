"""Random movements with times, and what somebody who knows exact times of visits finds in a release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import inf

import numpy as np

from crypsis.data.timed_places import NO_TIME
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.visit_times import VisitTimes

PLACES = {"home": (0, 0), "park": (0, 100), "shop": (300, 0), "school": (300, 100), "clinic": (900, 900)}
Visit = tuple[str, int, int]  # place, enter, exit
MARCH = 1_709_280_000  # 2024-03-01 08:00


def timed_movements(
    rng: np.random.Generator, people: int = 12, *, visits: int = 4, exits: bool = True, sensitive: bool = False
) -> tuple[Trajectories, list[list[Visit]]]:
    """Trajectories with exact times, and the same as lists of visits."""
    names = list(PLACES)[: 5 if sensitive else 4]
    paths: list[list[Visit]] = []
    for _ in range(people):
        clock, path = MARCH + int(rng.integers(0, 5400)), []
        for _ in range(int(rng.integers(1, visits + 1))):
            stay = int(rng.integers(0, 4000))
            place = (
                names[min(int(rng.integers(0, 6)), len(names) - 1)] if sensitive else names[rng.integers(len(names))]
            )
            path.append((place, clock, clock + stay))
            clock += stay + int(rng.integers(0, 1800))
        paths.append(path)
    return trajectories_of(paths, exits=exits, sensitive=("clinic",) if sensitive else ()), paths


def trajectories_of(
    paths: Sequence[Sequence[Visit]], *, exits: bool = True, sensitive: Sequence[str] = ()
) -> Trajectories:
    """The trajectories of lists of visits."""
    data = Trajectories.from_lists([[visit[0] for visit in path] for path in paths], _places(tuple(sensitive)))
    enter = np.array([visit[1] for path in paths for visit in path], np.int64)
    exit = np.array([visit[2] for path in paths for visit in path], np.int64)
    return replace(data, times=VisitTimes(enter, exit if exits else None))


@cache
def _places(sensitive: tuple[str, ...]) -> Locations:
    return Locations.of(PLACES).marked(sensitive)


def knowledge(path: Sequence[Visit], most: int, secret: Sequence[str] = ()) -> Iterator[tuple[Visit, ...]]:
    """Everything that somebody may know of a person: up to so many visits, in order, none of them sensitive."""
    known = [visit for visit in path if visit[0] not in secret]
    for size in range(1, most + 1):
        yield from combinations(known, size)


def fits(published: PublishedTrajectories, symbol: int, visit: Visit) -> bool:
    """Whether a published symbol may stand for a visit: by its place, and by when it began and ended."""
    timed = published.timed
    assert timed is not None
    place, enter, exit = visit
    length = {"none": 0, "day": 86_400, "week": 7 * 86_400}[timed.cycle]
    if length:
        start = (enter - (345_600 if timed.cycle == "week" else 0)) // length * length
        start += 345_600 if timed.cycle == "week" else 0
        enter, exit = enter - start, exit - start
    for label in published.symbols.label_lists[symbol]:
        row = timed.number_of[label]
        if timed.places[row] != place:
            continue
        first = int(timed.enter[row])
        if first == NO_TIME:
            return True
        begins = first <= enter < first + timed.width
        ends = timed.exit is None or int(timed.exit[row]) <= exit < int(timed.exit[row]) + timed.width
        if begins and ends:
            return True
    return False


def candidates(published: PublishedTrajectories, known: Sequence[Visit]) -> list[int]:
    """The published rows that may be of whoever made these visits in this order: some choice of visits within the row
    fits what is known, and some choice of times for the others is in order."""
    timed = published.timed
    assert timed is not None
    rows = []
    for number, path in enumerate(published.paths()):
        steps = [_steps(published, symbol) for symbol in path]
        constrained = _in_order([choice for choice in steps if choice])
        for positions in combinations(range(len(path)), len(known)):
            if not all(fits(published, path[at], visit) for at, visit in zip(positions, known, strict=True)):
                continue
            chosen = [
                [_step(published, known[positions.index(at)])] if at in positions else steps[at]
                for at in range(len(path))
            ]
            if not constrained or _in_order([choice for choice, own in zip(chosen, steps, strict=True) if own]):
                rows.append(number)
                break
    return rows


def _in_order(choices: Sequence[Sequence[tuple[int, int]]]) -> bool:
    """Whether every visit can have one of its times such that none begins before the one before it has ended.

    To end as early as possible is never a mistake."""
    ended: float = -inf
    for choice in choices:
        ended = min((exit for enter, exit in choice if enter >= ended), default=inf)
    return ended < inf


def _steps(published: PublishedTrajectories, symbol: int) -> list[tuple[int, int]]:
    timed = published.timed
    assert timed is not None
    rows = [timed.number_of[label] for label in published.symbols.label_lists[symbol]]
    return sorted(
        {
            (int(timed.enter[row]), int(timed.enter[row] if timed.exit is None else timed.exit[row]))
            for row in rows
            if timed.enter[row] != NO_TIME
        }
    )


def _step(published: PublishedTrajectories, visit: Visit) -> tuple[int, int]:
    timed = published.timed
    assert timed is not None
    _, enter, exit = visit
    length = {"none": 0, "day": 86_400, "week": 7 * 86_400}[timed.cycle]
    first = 345_600 if timed.cycle == "week" else 0
    base = (enter - first) // length * length + first if length else 0
    enter, exit = ((second - base) // timed.width * timed.width for second in (enter, exit))
    return enter, enter if timed.exit is None else exit


def share(paths: Sequence[Sequence[Visit]], published: PublishedTrajectories, known: Sequence[Visit]) -> int:
    """The original trajectories that hold visits with the same places and steps of time, in this order."""
    timed = published.timed
    assert timed is not None
    width, length = timed.width, {"none": 0, "day": 86_400, "week": 7 * 86_400}[timed.cycle]

    def step(visit: Visit) -> tuple[str, int, int]:
        place, enter, exit = visit
        base = enter // length * length if length else 0
        return place, (enter - base) // width, 0 if timed.exit is None else (exit - base) // width

    count = 0
    for path in paths:
        at = 0
        for visit in path:
            if at < len(known) and step(visit) == step(known[at]):
                at += 1
        count += at == len(known)
    return count
