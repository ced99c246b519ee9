"""How long tracks are, before and after: sums of the distances between consecutive points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import BadCoordinate, BadParameter
from crypsis.metrics.exact_sums import mean, total
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.parameters import MAP_UNITS


@dataclass(frozen=True)
class TrackLengths(Measured):
    """Both distributions in common bins. `variation` is the total variation distance of the two, from 0 to 1.

    The median of the original is the length of one person's track; it is for the publisher and not among `figures`.
    """

    edges: Float64s
    original: Int64s
    published: Int64s
    original_mean: Annotated[
        float, Figure("track_length_mean", "Mean track length", "Mean length of the original tracks.", unit=MAP_UNITS)
    ]
    original_median: float
    published_mean: Annotated[
        float,
        Figure(
            "published_track_length_mean",
            "Mean published track length",
            "Mean length of the rows, drawn through the points of their cells.",
            unit=MAP_UNITS,
        ),
    ]
    published_median: float
    variation: Annotated[
        float,
        Figure(
            "track_length_variation_loss",
            "Difference of track lengths",
            "Share of tracks that would have to change their length for both distributions of lengths to be the same.",
            unit=SHARE,
        ),
    ]


def track_lengths(original: Tracks, published: PublishedTrajectories, bins: int = 20) -> TrackLengths:
    """Lengths of the tracks against lengths of the published rows, drawn through the representatives of their cells.

    Bins go from 0 to the longest original track; longer published rows are in the last. Empty rows are not counted.
    """
    if bins < 1:
        raise BadParameter(f"track_lengths: bins must be an int of at least 1, got {bins!r}.", parameter="bins")
    before = _lengths(original.offsets, original.x, original.y)
    after = published_lengths(published)[published.lengths > 0]
    return compare_lengths(before, after, bins)


def compare_lengths(before: Float64s, after: Float64s, bins: int = 20) -> TrackLengths:
    """Histograms with common bins, means, medians, and how far the two distributions are apart."""
    longest = float(before.max(initial=0.0))
    first, second = (_histogram(lengths, longest, bins) for lengths in (before, after))
    shares = [counts / counts.sum() if counts.sum() else np.zeros(bins) for counts in (first, second)]
    if len(before) and len(after):
        variation = total(np.abs(shares[0] - shares[1])) / 2
    else:
        variation = 0.0 if len(before) == len(after) else 1.0
    return TrackLengths(
        np.linspace(0.0, longest, bins + 1),
        first,
        second,
        *_centre(before),
        *_centre(after),
        variation,
    )


def published_lengths(published: PublishedTrajectories) -> Float64s:
    """Length of each published row through the places of its symbols."""
    places = published.places
    if places is None or places.x is None or places.y is None:
        raise BadCoordinate("track_lengths needs the places of the published cells, and there are none.")
    code = places.vocabulary.encode(published.symbols.vocabulary.series)
    if (code < 0).any():
        raise BadCoordinate("track_lengths needs the place of every published cell, and some have none.")
    index = code[published.symbols.members[published.symbols.offsets[:-1]]][published.codes]
    return _lengths(published.offsets, places.x[index], places.y[index])


def _lengths(offsets: Int64s, x: Float64s, y: Float64s) -> Float64s:
    way = np.concatenate(([0.0], np.hypot(np.diff(x), np.diff(y)), [0.0]))
    way[offsets[:-1]] = 0.0  # nobody goes from the end of one track to the beginning of the next
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    lengths: Float64s = np.bincount(rows, weights=way[: len(rows)], minlength=len(offsets) - 1).astype(np.float64)
    return lengths


def _histogram(lengths: Float64s, longest: float, bins: int) -> Int64s:
    if longest == 0:
        slot = np.zeros(len(lengths), np.int64)
    else:
        slot = np.minimum(lengths / longest * bins, bins - 1).astype(np.int64)
    return np.bincount(slot, minlength=bins).astype(np.int64)


def _centre(lengths: Float64s) -> tuple[float, float]:
    return (mean(lengths), float(np.median(lengths))) if len(lengths) else (0.0, 0.0)


class TrackLengthsMetric(Metric):
    """How long tracks are before and after, and how far the two distributions are apart."""

    name = "track_lengths"
    measure = staticmethod(track_lengths)
