"""How many were anywhere in each step of time: at least, at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.timed_places import CYCLES, TimedPlaces
from crypsis.fuzzytime import FuzzyInterval
from crypsis.fuzzytime.relations import DEFINITELY, POSSIBLY
from crypsis.query.bounds import presence_answers
from crypsis.query.visits import PublishedVisits

MOST_STEPS = 28


@dataclass(frozen=True, eq=False)
class PresenceOverTime:
    """Step t lasts from `edges[t]` until `edges[t + 1]`; in it at least `definite[t]`, at most `possible[t]`."""

    edges: Int64s
    definite: Int64s
    possible: Int64s
    counts: str


def presence_over_time(visits: PublishedVisits, timed: TimedPlaces) -> PresenceOverTime | None:
    """Bounds for the hours of a day, quarters of the days of a week, or equal steps from the first visit to the last.

    None where the release tells no times, or is not truthful.
    """
    edges = _edges(visits, timed)
    if not visits.truthful or len(edges) < 2:
        return None
    anywhere = np.full(len(visits), DEFINITELY, np.int8)
    bounds = [
        presence_answers(visits, anywhere, FuzzyInterval.crisp(first, last))
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    return PresenceOverTime(
        edges,
        np.array([np.count_nonzero(answers == DEFINITELY) for answers in bounds], np.int64),
        np.array([np.count_nonzero(answers >= POSSIBLY) for answers in bounds], np.int64),
        visits.counts,
    )


def _edges(visits: PublishedVisits, timed: TimedPlaces) -> Int64s:
    cycle = CYCLES[timed.cycle]
    if cycle:
        steps = 24 if timed.cycle == "day" else 28
        return np.arange(0, cycle + 1, cycle // steps, dtype=np.int64)
    starts, ends = (visits.times.as_floats(one) for one in (visits.times.outer_start, visits.times.outer_end))
    known = np.concatenate([starts[np.isfinite(starts)], ends[np.isfinite(ends)]])
    if not len(known):
        return np.zeros(0, np.int64)
    first, last = int(known.min()), int(known.max())
    step = timed.width * -(-max(last - first, 1) // (timed.width * MOST_STEPS))
    return np.arange(first, last + step, step, dtype=np.int64)
