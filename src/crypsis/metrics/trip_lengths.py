"""How long trips are before and after: a private release cuts trips, and rare long ones do not pass its thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.metrics.exact_sums import total
from crypsis.metrics.figure import Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.trips import Trips


@dataclass(frozen=True, kw_only=True)
class TripLengths(Measured):
    """Mean numbers of visits, and how far the two distributions are apart: 0 the same, 1 nothing in common."""

    divergence: Annotated[
        float,
        Figure(
            "trip_length_divergence_loss",
            "Divergence of trip lengths",
            "Jensen-Shannon divergence between the lengths of trips before and after, in bits; 0 means equal.",
            unit="bits",
        ),
    ]
    after: Annotated[
        float, Figure("trip_length_mean", "Mean length of published trips", "Visits of a published trip, on average.")
    ]
    before: Annotated[
        float,
        Figure("trip_length_mean_original", "Mean length of original trips", "Visits of an original trip, on average."),
    ]


def trip_lengths(original: Events, published: SyntheticTrajectories) -> TripLengths:
    """Jensen-Shannon divergence (in bits) between the lengths of trips; 1 where one side has no trip and other has."""
    sides = Trips.of_events(original, published), Trips.of_release(published)
    most = max(int(trips.lengths.max(initial=0)) for trips in sides) + 1
    counts = [np.bincount(trips.lengths, trips.weights, most).astype(np.float64) for trips in sides]
    before, after = (float(np.arange(most) @ count / count.sum()) if count.sum() else 0.0 for count in counts)
    return TripLengths(divergence=_divergence(*counts), after=after, before=before)


def _divergence(original: Float64s, published: Float64s) -> float:
    if not original.sum() or not published.sum():
        return float(original.sum() != published.sum())
    first, second = original / original.sum(), published / published.sum()
    middle = (first + second) / 2
    return (_entropy_to(first, middle) + _entropy_to(second, middle)) / 2


def _entropy_to(shares: Float64s, other: Float64s) -> float:
    some = shares > 0
    return total(shares[some] * np.log2(shares[some] / other[some]))


class TripLengthsMetric(Metric):
    """How many visits trips have before and after, and how far the two distributions are apart."""

    name = "trip_lengths"
    measure = staticmethod(trip_lengths)
