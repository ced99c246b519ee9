"""Where trips begin and where they end: how far off the counts of origin and destination are in a private release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.trips import Trips, matched


@dataclass(frozen=True)
class OriginDestinationError:
    """`counts` compares numbers of trips, `shares` shares of all trips; `pairs` is how many pairs the original has."""

    counts: float
    shares: float
    pairs: int

    def figures(self) -> dict[str, float | int]:
        return {
            "origin_destination_loss": self.counts,
            "origin_destination_of_nothing": 1.0,
            "origin_destination_share_loss": self.shares,
            "origin_destination_pairs": self.pairs,
        }


def origin_destination_error(original: Events, published: SyntheticTrajectories) -> OriginDestinationError:
    """Sum of |published - true| over all pairs of first and last place, as a share of all trips; 0 is exact.

    Publishing nothing has the loss 1; more than 1 is worse than nothing. The loss of shares, half of the sum of their
    differences, forgives a wrong number of trips; 1 where nothing is published.
    """
    (true_pairs, true), (made_pairs, made) = (
        trips.ends() for trips in (Trips.of_events(original, published), Trips.of_release(published))
    )
    pairs = np.union1d(true_pairs, made_pairs)
    before, after = matched(true_pairs, true, pairs), matched(made_pairs, made, pairs)
    total, shown = int(true.sum()), int(made.sum())
    if not total:
        return OriginDestinationError(float(shown > 0), float(shown > 0), 0)
    shares = np.abs(before / total - after / shown).sum() / 2 if shown else 1.0
    return OriginDestinationError(float(np.abs(before - after).sum() / total), float(shares), len(true_pairs))


class OriginDestinationLoss(Metric):
    """How far off the counts of first and last places of trips are; publishing nothing has 1."""

    name = "origin_destination_loss"
    former_name = "origin_destination_error"
    accepts = (Events,)
    reads = (SyntheticTrajectories,)
    measure = staticmethod(origin_destination_error)
    figures = (
        Figure(
            "origin_destination_loss",
            "Error of origins and destinations",
            "Sum of the errors of the counts of first and last places, as a share of all trips; 0 is exact.",
        ),
        Figure(
            "origin_destination_of_nothing",
            "Error of origins and destinations, nothing published",
            "What the error would be if nothing had been published.",
        ),
        Figure(
            "origin_destination_share_loss",
            "Error of shares of origins and destinations",
            "The same for shares of trips instead of counts, so that it does not matter how many trips are published.",
        ),
        Figure(
            "origin_destination_pairs",
            "Origins with destinations",
            "Pairs of a first and a last place that were compared.",
        ),
    )
