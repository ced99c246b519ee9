"""Frequent patterns of trips: are the most frequent runs of places still the most frequent ones in a private release?

A pattern is a run of one to three places that are visited one after another; a person counts once for each.

Chen, Fung, Desai, Sossou. Differentially private transit data publication. KDD 2012: top-k frequent patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.trips import Trips, matched


@dataclass(frozen=True)
class TripPatterns(Measured):
    """How many of the most frequent runs are found again, and how far off their counts are.

    Of nothing published they are 0 and 1.
    """

    found: Annotated[
        float,
        Figure(
            "top_runs_found_score",
            "Top runs found",
            "Share of the most frequent runs of places that are among the most frequent of the release.",
            unit=SHARE,
        ),
    ]
    error: Annotated[
        float,
        Figure(
            "top_runs_error_loss",
            "Error of top runs",
            "Relative error of how many people made each of the most frequent runs of places.",
        ),
    ]
    error_of_nothing: Annotated[
        float,
        Figure(
            "top_runs_error_of_nothing",
            "Error of top runs, nothing published",
            "What the error would be if nothing had been published.",
        ),
    ]
    compared: Annotated[
        int, Figure("top_runs", "Top runs", "How many of the most frequent runs of places were compared.")
    ]


def trip_patterns(
    original: Events, published: SyntheticTrajectories, *, most: int = 100, longest: int = 3
) -> TripPatterns:
    """Compare the most frequent runs of places of both sides; ties are settled by place, so a comparison repeats."""
    if most < 1 or longest < 1:
        raise BadParameter(f"trip_patterns: most and longest must be at least 1, got {most} and {longest}.")
    if (len(published.locations) + 1) ** longest >= 2**62:
        raise NotApplicable(f"trip_patterns: runs of {longest} of so many locations do not fit into a number.")
    before = _numbered(Trips.of_events(original, published), longest)
    after = _numbered(Trips.of_release(published), longest)
    wanted, shown = _top(*before, most), _top(*after, most)
    if not len(wanted):
        return TripPatterns(0.0, 0.0, 0.0, 0)
    true, made = matched(*before, wanted), matched(*after, wanted)
    error = mean(np.abs(made - true) / true)
    return TripPatterns(float(np.isin(wanted, shown).mean()), error, 1.0, len(wanted))


def _numbered(trips: Trips, longest: int) -> tuple[Int64s, Int64s]:
    """Runs of all lengths under one numbering: those of length n after all shorter ones."""
    keys, counts, base = [], [], 0
    for length in range(1, longest + 1):
        found, count = trips.runs(length)
        keys.append(found + base)
        counts.append(count)
        base += trips.n_places**length
    return np.concatenate(keys), np.concatenate(counts)


def _top(keys: Int64s, counts: Int64s, most: int) -> Int64s:
    return keys[np.lexsort((keys, -counts))[:most]]


class TripPatternsMetric(Metric):
    """Are the most frequent runs of places still the most frequent, and how far off are their counts."""

    name = "trip_patterns"
    measure = staticmethod(trip_patterns)
