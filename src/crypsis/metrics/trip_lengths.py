"""How long trips are before and after: a private release cuts trips, and rare long ones do not pass its thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.metrics.exact_sums import total
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.trips import Trips


@dataclass(frozen=True)
class TripLengths:
    """Mean numbers of visits, and how far the two distributions are apart: 0 the same, 1 nothing in common."""

    before: float
    after: float
    divergence: float

    def figures(self) -> dict[str, float]:
        return {
            "trip_length_divergence_loss": self.divergence,
            "trip_length_mean": self.after,
            "trip_length_mean_original": self.before,
        }


def trip_lengths(original: Events, published: SyntheticTrajectories) -> TripLengths:
    """Jensen-Shannon divergence (in bits) between the lengths of trips; 1 where one side has no trip and other has."""
    sides = Trips.of_events(original, published), Trips.of_release(published)
    most = max(int(trips.lengths.max(initial=0)) for trips in sides) + 1
    counts = [np.bincount(trips.lengths, trips.weights, most) for trips in sides]
    means = [float(np.arange(most) @ count / count.sum()) if count.sum() else 0.0 for count in counts]
    if not all(count.sum() for count in counts):
        return TripLengths(means[0], means[1], float(counts[0].sum() != counts[1].sum()))
    one, other = (count / count.sum() for count in counts)
    middle = (one + other) / 2
    return TripLengths(means[0], means[1], (_entropy_to(one, middle) + _entropy_to(other, middle)) / 2)


def _entropy_to(shares: Float64s, other: Float64s) -> float:
    some = shares > 0
    return total(shares[some] * np.log2(shares[some] / other[some]))


class TripLengthsMetric(Metric):
    """How many visits trips have before and after, and how far the two distributions are apart."""

    name = "trip_lengths"
    accepts = (Events,)
    reads = (SyntheticTrajectories,)
    measure = staticmethod(trip_lengths)
    figures = (
        Figure(
            "trip_length_divergence_loss",
            "Divergence of trip lengths",
            "Jensen-Shannon divergence between the lengths of trips before and after, in bits; 0 means equal.",
            unit="bits",
        ),
        Figure("trip_length_mean", "Mean length of published trips", "Visits of a published trip, on average."),
        Figure("trip_length_mean_original", "Mean length of original trips", "Visits of an original trip, on average."),
    )
