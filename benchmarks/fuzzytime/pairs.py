"""Relations, possible relations and presence over ten million pairs, and the index over ten million visits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.comparison import Row, clocked
from crypsis.fuzzytime import FuzzyArray, FuzzyIndex
from crypsis.fuzzytime.array import Engine

MONTH, HOURS = 30 * 86_400, 7200  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """Each beside the plain numpy form, in processor time of one thread; limits are for ten million."""
    size = 1_000_000 if quick else 10_000_000
    share = size / 10_000_000
    visits, others = movements(size, 1), movements(size, 2)
    period = FuzzyArray(*(column[:1] for column in others.columns))
    tasks: tuple[tuple[str, Callable[[Engine], object], float], ...] = (
        ("relation codes", lambda engine: visits.relate(others, engine=engine), 0.1),
        ("possible relations", lambda engine: visits.possible_mask(others, engine=engine), 0.5),
        ("presence scan", lambda engine: visits.presence(period, engine=engine), 0.1),
    )
    for task, work, limit in tasks:
        ours, theirs = least_busy(5, partial(work, "compiled")), least_busy(2, partial(work, "numpy"))
        yield Row(task, f"{size:,} pairs", ours, "plain numpy", theirs, 1.0, limit * share)
    yield Row("index, built", f"{size:,} visits", clocked(lambda: FuzzyIndex(visits))[1], limit=4.0 * share)
    index = FuzzyIndex(visits)
    start = MONTH // 2
    end = max(start, start + 30_000 * MONTH // size - HOURS // 2)
    found = f"{len(index.overlapping(start, end)):,} of {size:,} visits"
    theirs = least_busy(2, lambda: np.flatnonzero((visits.outer_start <= end) & (visits.outer_end >= start)))
    ours = least_busy(50, lambda: index.overlapping(start, end))
    yield Row("index, asked", found, ours, "plain numpy", theirs, 1.0, 0.002)


def least_busy(repeats: int, work: Callable[[], object]) -> float:
    """Processor time of the quickest of several runs, the first of which may compile."""
    work()
    return min(clocked(work)[1] for _ in range(repeats))


def movements(size: int, seed: int) -> FuzzyArray:
    """Visits of up to two hours in a month, each with bounds in order."""
    random = np.random.default_rng(seed)
    bounds = np.sort(random.integers(0, HOURS, (4, size), dtype=np.int64), axis=0)
    return FuzzyArray(*(bounds + random.integers(0, MONTH, size)))
