"""Which people can have met: at one place at one instant."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crypsis.errors import TooLarge
from crypsis.fuzzytime.relations import DEFINITELY, POSSIBLY
from crypsis.query.bounds import refuse_cycle
from crypsis.query.visits import PublishedVisits

MOST_PAIRS = 20_000_000  # of visits that are compared


@dataclass(frozen=True)
class CopresenceBounds:
    """Pairs of people who met for certain, and pairs who may have met (the former among them)."""

    definite: tuple[tuple[str, str], ...]
    possible: tuple[tuple[str, str], ...]
    truthful: bool


def copresence_bounds(visits: PublishedVisits) -> CopresenceBounds:
    """Pairs of people at one place at one instant.

    Definite where both visits name the same single cell and certainly share an instant; possible where their cells
    and their times can coincide. Visits are compared cell by cell, in the order in which they may begin.
    """
    refuse_cycle(visits, "Who met whom")
    sizes = np.diff(visits.offsets)
    per_visit = sizes[visits.symbol]
    visit = np.repeat(np.arange(len(visits)), per_visit)
    first = np.cumsum(per_visit) - per_visit
    cell = visits.cells[visits.offsets[visits.symbol][visit] + np.arange(len(visit)) - first[visit]]
    starts, ends = visits.times.outer_start[visit], visits.times.outer_end[visit]
    order = np.lexsort((starts, cell))
    visit, cell, starts, ends = visit[order], cell[order], starts[order], ends[order]
    # The later visits of the same cell that may begin before this one must have ended.
    until = np.empty(len(visit), np.int64)
    for begin, end in _runs(cell):
        until[begin:end] = begin + np.searchsorted(starts[begin:end], ends[begin:end], side="right")
    n_later = until - np.arange(len(visit)) - 1
    if int(n_later.sum()) > MOST_PAIRS:
        raise TooLarge(
            f"{int(n_later.sum()):,} pairs of visits share a place and a time; {MOST_PAIRS:,} can be compared. "
            "Ask for a region or a period instead."
        )
    left = np.repeat(np.arange(len(visit)), n_later)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(n_later) - n_later, n_later)
    left, right = visit[left], visit[right]
    others = visits.person[left] != visits.person[right]
    left, right = left[others], right[others]
    answers = visits.times.take(left).presence(visits.times.take(right))
    single = (sizes[visits.symbol[left]] == 1) & (sizes[visits.symbol[right]] == 1)  # the cell they share
    answers = np.where(single, answers, np.minimum(answers, POSSIBLY))
    a, b = visits.person[left], visits.person[right]
    pairs = np.minimum(a, b) * visits.n_people + np.maximum(a, b)
    return CopresenceBounds(
        _labels(visits, pairs[answers == DEFINITELY]), _labels(visits, pairs[answers >= POSSIBLY]), visits.truthful
    )


def _runs(values: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(values)) + 1
    bounds = [0, *edges.tolist(), len(values)]
    return list(pairwise(bounds)) if len(values) else []


def _labels(visits: PublishedVisits, pairs: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[tuple[str, str], ...]:
    distinct = np.unique(pairs)
    people = visits.person_labels
    return tuple((people[pair // visits.n_people], people[pair % visits.n_people]) for pair in distinct.tolist())
