"""How far fixes lie from the point that was published for their cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cell_blocks import nearest_cells
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import NotApplicable
from crypsis.kernels.nearest_generators import nearest_generators
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.parameters import MAP_UNITS


@dataclass(frozen=True)
class CellDisplacement:
    """Fixes of a cell, and their distance from its published point: on average and at most."""

    count: int
    mean: float
    max: float


@dataclass(frozen=True)
class Displacement:
    """Overall and by cell. The largest distance belongs to one person, so it is not among the `figures`."""

    overall: CellDisplacement
    cells: dict[str, CellDisplacement]

    def figures(self) -> dict[str, float | int]:
        return {"displaced_points": self.overall.count, "displacement_loss": self.overall.mean}


def displacement(original: Tracks, published: PublishedTrajectories) -> Displacement:
    """Distances of the fixes in published cells from the published points; fixes in other cells have none.

    0 when every fix lies where its cell is drawn; lower is better.
    """
    places, generators = published.places, published.generators
    if places is None or places.x is None or places.y is None or generators is None:
        raise NotApplicable(
            "displacement needs the published places and the private generators of the cells; "
            "measure where the release was made."
        )
    x, y = generators.coordinates("displacement")
    cell = nearest_cells(original, x, y, published.cell_blocks, _nearest)
    place = places.vocabulary.encode(generators.vocabulary.series)[cell] if len(x) else np.zeros(0, np.int32)
    shown = place >= 0
    place = place[shown]
    away = np.hypot(original.x[shown] - places.x[place], original.y[shown] - places.y[place])
    counts = np.bincount(place, minlength=len(places))
    means = np.bincount(place, weights=away, minlength=len(places)) / np.maximum(counts, 1)
    largest = np.zeros(len(places))
    np.maximum.at(largest, place, away)
    return Displacement(
        CellDisplacement(len(away), mean(away), float(away.max(initial=0.0))),
        {
            label: CellDisplacement(*row)
            for label, *row in zip(places.labels, counts.tolist(), means.tolist(), largest.tolist(), strict=True)
        },
    )


def _nearest(tracks: Tracks, x: Float64s, y: Float64s) -> Int64s:
    return nearest_generators(x, y, tracks.x, tracks.y).astype(np.int64)


class DisplacementMetric(Metric):
    """Distance of fixes from the published point of their cell."""

    name = "displacement"
    measure = staticmethod(displacement)
    figures = (
        Figure("displaced_points", "Fixes in published cells", "Fixes of the original in cells that are published."),
        Figure(
            "displacement_loss",
            "Displacement",
            "Mean distance from a fix to the published point of its cell.",
            unit=MAP_UNITS,
            rank=1,
        ),
    )
