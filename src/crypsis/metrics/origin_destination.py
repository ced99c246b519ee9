"""Where trips begin and where they end: how far off the counts of origin and destination are in a private release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.metrics.figure import Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.trips import Trips, matched


@dataclass(frozen=True, kw_only=True)
class OriginDestinationError(Measured):
    """`counts` compares numbers of trips, `shares` shares of all trips."""

    counts: Annotated[
        float,
        Figure(
            "origin_destination_loss",
            "Error of origins and destinations",
            "Sum of the errors of the counts of first and last places, as a share of all trips; 0 is exact.",
        ),
    ]
    of_nothing: Annotated[
        float,
        Figure(
            "origin_destination_of_nothing",
            "Error of origins and destinations, nothing published",
            "What the error would be if nothing had been published.",
        ),
    ] = 1.0
    shares: Annotated[
        float,
        Figure(
            "origin_destination_share_loss",
            "Error of shares of origins and destinations",
            "The same for shares of trips instead of counts, so that it does not matter how many trips are published.",
        ),
    ]
    pairs: Annotated[
        int,
        Figure(
            "origin_destination_pairs",
            "Origins with destinations",
            "Pairs of a first and a last place that were compared.",
        ),
    ]


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
        return OriginDestinationError(counts=float(shown > 0), shares=float(shown > 0), pairs=0)
    shares = np.abs(before / total - after / shown).sum() / 2 if shown else 1.0
    counts = np.abs(before - after).sum() / total
    return OriginDestinationError(counts=float(counts), shares=float(shares), pairs=len(true_pairs))


class OriginDestinationLoss(Metric):
    """How far off the counts of first and last places of trips are; publishing nothing has 1."""

    name = "origin_destination_loss"
    former_name = "origin_destination_error"
    measure = staticmethod(origin_destination_error)
