"""Attacks with knowledge of three pieces: 10,000 people with 20 visits, and trying everything on 50 of them.

The comparator on 50 people is the obvious search in the tests. The library that people know these attacks from does the
same work in pandas; it is not installed here, because it needs a compiler.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.comparison import Row, best_of
from crypsis import Attack, ContainmentAttack, LocationSequenceAttack
from crypsis.attacks import fitting_attacks
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from tests.reference import attacks as reference

LIMIT = 10.0  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """Every attack at full size, with fewer and more places to be at; the growth with people; the obvious search."""
    for places in (100,) if quick else (1000, 100, 30):
        data = visits(10_000, 20, places)
        published = intact(data)
        for attack in fitting_attacks(published, data).values():
            adversary = attack() if attack is ContainmentAttack or attack.name == "home-work" else _with_three(attack)
            seconds = best_of(1, lambda: adversary.run(published, data))  # noqa: B023
            yield Row(f"attack {attack.name}", f"10,000 x 20, {places} places", seconds, limit=LIMIT)
    if not quick:
        for people in (20_000, 40_000, 80_000):
            data = visits(people, 20, 100)
            published = intact(data)
            seconds = best_of(1, lambda: LocationSequenceAttack(knowledge=3).run(published, data))  # noqa: B023
            yield Row("attack location-sequence", f"{people:,} x 20, 100 places", seconds)
    few = visits(50, 20, 100)
    published = intact(few)
    paths = few.to_lists()
    sets = [[frozenset({label}) for label in path] for path in paths]
    started = time.perf_counter()
    found = reference.fewest_candidates(paths, sets, 3, list, _contained_in_order)
    theirs = time.perf_counter() - started
    adversary = LocationSequenceAttack(knowledge=3)
    ours = best_of(3, lambda: adversary.run(published, few))
    assert adversary.run(published, few).candidates.tolist() == found
    yield Row("attack location-sequence", "50 x 20, 100 places", ours, "trying everything", theirs, required=100)


def visits(people: int, length: int, places: int, seed: int = 1) -> Trajectories:
    """People with equally many visits to places of different popularity."""
    random = np.random.Generator(np.random.PCG64(seed))
    codes = (places * random.random(people * length) ** 2).astype(np.int32)
    locations = Locations(Vocabulary(map(str, range(places))))
    return Trajectories(np.arange(people + 1) * length, codes, locations)


def intact(data: Trajectories) -> PublishedTrajectories:
    """The data published as they are."""
    vocabulary = data.locations.vocabulary
    members = np.arange(len(vocabulary), dtype=np.int32)
    return PublishedTrajectories(data.offsets, data.codes, Symbols(vocabulary, np.arange(len(vocabulary) + 1), members))


def _with_three(attack: type[Attack]) -> Attack:
    pieces: dict[str, Any] = {"knowledge": 3}
    return attack(**pieces)


def _contained_in_order(known: tuple[object, ...], row: object) -> bool:
    """Every location is intact, so one walk along the row tells; the reference would try all positions."""
    waiting = iter(row)  # type: ignore[call-overload]
    return all(any(label in symbol for symbol in waiting) for label in known)
