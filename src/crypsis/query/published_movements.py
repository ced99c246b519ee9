"""The visits of a release of trajectories, as questions are put to them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crypsis.arrays import offsets_of
from crypsis.data.timed_places import CYCLES
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import NotApplicable
from crypsis.fuzzytime import FuzzyArray
from crypsis.query.visits import PublishedVisits


def visits_of(published: PublishedTrajectories, *, truthful: bool, complete: bool) -> PublishedVisits:
    """Every published visit with its places and the bounds of its times; without times they are not bounded.

    Rows do not say whose they are, so trajectories are counted, not people.
    """
    if not isinstance(published, PublishedTrajectories):
        raise NotApplicable(
            f"Questions about visits are put to a release of trajectories, got {type(published).__name__}."
        )
    symbols, timed = published.symbols, published.timed
    labels = symbols.vocabulary.labels
    place_of = [label if timed is None or label not in timed.number_of else timed.place_of(label) for label in labels]
    places = tuple(sorted(set(place_of)))
    number_of = {place: index for index, place in enumerate(places)}
    codes = np.array([number_of[place] for place in place_of], np.int32)
    cells = [np.unique(codes[symbols.members[first:last]]) for first, last in _bounds(symbols.offsets)]
    visits = published.codes.astype(np.int64)
    if timed is None:
        least, greatest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
        bounds = (np.full(len(visits), value) for value in (least, greatest, least, greatest))
        times = FuzzyArray(*bounds)
    else:
        times = timed.periods(symbols).take(visits)
    return PublishedVisits(
        person=np.repeat(np.arange(len(published)), published.lengths),
        symbol=visits,
        times=times,
        offsets=offsets_of(np.array([len(cell) for cell in cells], np.int64)),
        cells=np.concatenate([*cells, np.zeros(0, np.int32)]).astype(np.int32),
        cell_labels=places,
        person_labels=tuple(f"row {row}" for row in range(len(published))),
        truthful=truthful,
        complete=complete,
        cycle=0 if timed is None else CYCLES[timed.cycle],
        counts="trajectories",
    )


def _bounds(offsets: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[tuple[int, int]]:
    return list(pairwise(offsets.tolist()))
