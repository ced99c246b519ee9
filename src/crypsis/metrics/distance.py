"""How far a published trajectory may lie from the one it stands for.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Distance-based k^m-anonymization of trajectory data.
MDM 2013, Definitions 6-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import BadLabel, UnknownLocation, did_you_mean
from crypsis.kernels.diameter import largest_distance
from crypsis.kernels.symbol_distances import distances_to_members, member_slots
from crypsis.metrics.alignment import SUPPRESSED, align
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric
from crypsis.parameters import MAP_UNITS


def location_distance(locations: Locations, location: str, symbol: str | Sequence[str]) -> float:
    """Mean distance from a location to the members of the symbol published for it, itself included."""
    x, y = locations.coordinates("location_distance")
    labels = [symbol] if isinstance(symbol, str) else list(symbol)
    if not labels:
        raise BadLabel("location_distance: a symbol needs at least one location.")
    for label in (location, *labels):
        if label not in locations.vocabulary:
            raise UnknownLocation(
                f"location_distance: {label!r} is not in the location table.{did_you_mean(label, locations.labels)}",
                location=label,
            )
    here = locations.vocabulary.code(location)
    there = [locations.vocabulary.code(label) for label in labels]
    return mean(np.hypot(x[there] - x[here], y[there] - y[here]))


def diameter(original: Trajectories) -> float:
    """Largest distance between two locations that occur in the data; 0 if fewer than two occur."""
    all_x, all_y = original.locations.coordinates("diameter")
    x, y = all_x[original.occurring], all_y[original.occurring]
    order = np.lexsort((y, x))
    return float(largest_distance(x[order], y[order]))


def distance_loss(original: Trajectories, published: PublishedTrajectories) -> float:
    """Mean distance of a visit to what was published for it, averaged per trajectory, then over trajectories.

    0 when every location is intact; lower is better. A suppressed visit costs the diameter, because otherwise
    deleting everything would be free; an empty trajectory counts 0.
    """
    return visit_losses(original, published, "distance_loss")


def visit_losses(
    original: Trajectories,
    published: PublishedTrajectories,
    needed_by: str,
    weights: Callable[[PublishedTrajectories], Float64s] | None = None,
) -> float:
    """The distances of visits to their symbols, each times its symbol's weight, averaged as `distance_loss` says."""
    x, y = original.locations.coordinates(needed_by)
    alignment = align(original, published, needed_by)
    if len(original) == 0:
        return 0.0
    symbols = alignment.published.symbols
    distance = distances_to_members(symbols.offsets, symbols.members, x, y) / np.repeat(symbols.sizes, symbols.sizes)
    if weights is not None:
        distance *= np.repeat(weights(alignment.published), symbols.sizes)
    kept = alignment.symbol_of_visit != SUPPRESSED
    cost = np.full(original.visits, 0.0 if kept.all() else diameter(original))
    cost[kept] = distance[
        member_slots(symbols.offsets, symbols.members, original.codes[kept], alignment.symbol_of_visit[kept])
    ]
    rows = np.repeat(np.arange(len(original)), original.lengths)
    per_row = np.bincount(rows, weights=cost, minlength=len(original))
    return mean(per_row / np.maximum(original.lengths, 1))


def normalized_distance_loss(original: Trajectories, published: PublishedTrajectories) -> float:
    """`distance_loss` as a share of the diameter: 0 when all locations are intact, 1 when all are deleted."""
    loss = distance_loss(original, published)
    widest = diameter(original)
    return loss / widest if widest > 0 else 0.0


class DistanceLoss(Metric):
    """Mean distance from a visit to the locations that were published for it."""

    name = "distance_loss"
    aligned = True
    measure = staticmethod(distance_loss)
    figures = (
        Figure(
            "distance_loss",
            "Distance loss",
            "Mean distance from where somebody was to the locations published for that "
            "visit; 0 means that nothing moved.",
            unit=MAP_UNITS,
            abbreviation="DL",
            rank=1,
        ),
    )


class NormalizedDistanceLoss(Metric):
    """The same as a share of the largest distance between two locations."""

    name = "normalized_distance_loss"
    aligned = True
    measure = staticmethod(normalized_distance_loss)
    figures = (
        Figure(
            "normalized_distance_loss",
            "Normalized distance loss",
            "The distance loss as a share of the largest distance between two locations, so that maps can be compared.",
            unit=SHARE,
        ),
    )
