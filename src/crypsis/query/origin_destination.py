"""How many people went from one region to another."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from typing import Any

import numpy as np

from crypsis.arrays import Bools
from crypsis.fuzzytime.relations import DEFINITELY, POSSIBLY
from crypsis.query.bounds import Bounds, bounds_of
from crypsis.query.visits import PublishedVisits


def od_bounds(visits: PublishedVisits, origin: Collection[str], destination: Collection[str]) -> Bounds:
    """People with a visit in the origin that ends no later than another visit, in the destination, begins.

    Where the release publishes the order of a person's visits, the order decides; else the times do.
    """
    from_here, to_there = visits.place_answers(origin), visits.place_answers(destination)
    times, slots = visits.times, np.arange(len(visits))
    answers = np.zeros(visits.n_people, np.int8)
    for level, ends, starts in (
        (POSSIBLY, times.earliest_end, times.latest_start),
        (DEFINITELY, times.outer_end, times.outer_start),
    ):
        if visits.ordered:
            ends, starts = slots, slots - 1  # a later visit, and never the same one
        answers[_moved(visits, from_here >= level, to_there >= level, ends, starts)] = level
    return bounds_of(visits, answers)


def _moved(visits: PublishedVisits, leaving: Bools, arriving: Bools, ends: Any, starts: Any) -> Any:
    """People with two visits, one leaving and one arriving, of which the first ends before the second starts.

    The visit that ends first goes best with the one that starts last. Where that is the same visit, one of the two is
    replaced by the next best; so two candidates on either side suffice.
    """
    moved = np.zeros(visits.n_people, np.bool_)
    for last, first in product(_best_two(visits, leaving, ends), _best_two(visits, arriving, -starts)):
        both = (last >= 0) & (first >= 0) & (last != first)
        moved[both] |= ends[last[both]] <= starts[first[both]]
    return moved


def _best_two(visits: PublishedVisits, chosen: Bools, values: Any) -> list[Any]:
    """Per person the chosen visit with the smallest value, and the one with the next; -1 where there is none."""
    slots = np.flatnonzero(chosen)
    order = slots[np.lexsort((values[slots], visits.person[slots]))]
    people = visits.person[order]
    rank = np.arange(len(order)) - np.searchsorted(people, people)
    best = []
    for index in (0, 1):
        visit = np.full(visits.n_people, -1)
        visit[people[rank == index]] = order[rank == index]
        best.append(visit)
    return best
