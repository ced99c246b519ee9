"""How long each person was in a region."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s
from crypsis.fuzzytime.interval import Number
from crypsis.fuzzytime.relations import DEFINITELY, POSSIBLY
from crypsis.query.bounds import Period, as_period, refuse_cycle
from crypsis.query.visits import PublishedVisits


@dataclass(frozen=True, eq=False)
class DwellBounds:
    """Per person of the release, the least and the greatest time in the region."""

    people: tuple[str, ...]
    least: Float64s
    greatest: Float64s
    truthful: bool

    def to_dict(self) -> dict[str, tuple[float, float]]:
        """Both bounds by person."""
        return dict(zip(self.people, zip(self.least.tolist(), self.greatest.tolist(), strict=True), strict=True))


def dwell_bounds(visits: PublishedVisits, region: Collection[str], start: Number, end: Number) -> DwellBounds:
    """The time that each person spent in a region between two instants."""
    return dwell_bounds_in(visits, region, (start, end))


def dwell_bounds_in(visits: PublishedVisits, region: Collection[str], period: Period) -> DwellBounds:
    """The time that each person spent in a region in a period, whose ends need not be exact.

    At least what falls into the part that belongs to the period for certain, at most what falls into all of it.
    """
    refuse_cycle(visits, "The time spent in a region")
    asked = as_period(period)
    start, end = float(asked.outer_start), float(asked.outer_end)
    latest_begin, earliest_finish = min(asked.inner_start, asked.outer_end), max(asked.inner_end, asked.outer_start)
    places, times = visits.place_answers(region), visits.times
    earliest_end, latest_start, outer_end, outer_start = (  # as floats, so that differences of infinities stay in range
        times.as_floats(column)
        for column in (times.earliest_end, times.latest_start, times.outer_end, times.outer_start)
    )
    certain = np.minimum(earliest_end, earliest_finish) - np.maximum(latest_start, latest_begin)
    conceivable = np.minimum(outer_end, end) - np.maximum(outer_start, start)
    least, greatest = np.zeros(visits.n_people), np.zeros(visits.n_people)
    np.add.at(least, visits.person, np.where(places == DEFINITELY, np.maximum(0, certain), 0))
    np.add.at(greatest, visits.person, np.where(places >= POSSIBLY, np.maximum(0, conceivable), 0))
    length = end - start
    return DwellBounds(visits.person_labels, np.minimum(least, length), np.minimum(greatest, length), visits.truthful)
