"""Clusters before and after: do people who moved alike still look alike in the release?

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
generalization. Transactions on Data Privacy 3, 2010, section 6: comparison of density-based clusterings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Float64s, FrozenArrays, Int64s
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadParameter, NotApplicable
from crypsis.kernels.optics import optics
from crypsis.metrics.alignment import align
from crypsis.metrics.distance import diameter
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.route_distance import Routes, near_routes, representative_points
from crypsis.parameters import Above, AtLeast, Parameter

NOISE = -1
LOST = -2  # not published, so in no cluster and not even noise

_MAX_DISTANCE = Parameter("max_distance", float, False, (Above(0),), "Largest distance of neighbours.", None)
_MIN_NEIGHBOURS = Parameter("min_neighbours", int, False, (AtLeast(1),), "Neighbours that make a core object.", 5)
_SHARE_OF_DIAMETER = 0.05


@dataclass(frozen=True, eq=False)
class DensityClustering(FrozenArrays):
    """Result of OPTICS: the order of the visits, reachability and core distances (infinite where there are none),
    and the cluster of each object, -1 for noise."""

    order: Int64s
    reachability: Float64s
    core_distances: Float64s
    labels: Int64s

    @property
    def sizes(self) -> Int64s:
        """Objects in each cluster."""
        return np.bincount(self.labels[self.labels >= 0]).astype(np.int64)

    @property
    def noise(self) -> int:
        return int(np.count_nonzero(self.labels == NOISE))

    def reachability_quantiles(self, shares: Sequence[float] = (0, 0.25, 0.5, 0.75, 1)) -> tuple[float, ...]:
        """Quantiles of the reachabilities there are; none where nothing was reached."""
        reached = self.reachability[np.isfinite(self.reachability)]
        return tuple(np.quantile(reached, shares).tolist()) if len(reached) else ()


@dataclass(frozen=True)
class ClusterScores:
    """One original cluster against the published cluster that overlaps it most."""

    precision: float
    recall: float
    f: float
    precision_star: float  # objects that were noise in the original do not count against it
    f_star: float


@dataclass(frozen=True)
class ClusteringComparison(Measured):
    """Averages over the original clusters, each scored against its best published one; and what was compared.

    The averages are 1 where the original has no cluster.
    """

    precision: Annotated[
        float,
        Figure(
            "cluster_precision_score",
            "Cluster precision",
            "Share of a published cluster that was in the original cluster which it resembles most.",
            unit=SHARE,
        ),
    ]
    recall: Annotated[
        float,
        Figure(
            "cluster_recall_score",
            "Cluster recall",
            "Share of an original cluster that is found again in the published cluster which it resembles most.",
            unit=SHARE,
        ),
    ]
    f: Annotated[
        float,
        Figure(
            "cluster_f_score",
            "Cluster F",
            "Harmonic mean of cluster precision and recall; 1 means that all clusters are as they were.",
            unit=SHARE,
        ),
    ]
    precision_star: Annotated[
        float,
        Figure(
            "cluster_precision_star_score",
            "Cluster precision without noise",
            "Cluster precision where rows that were in no original cluster do not count against it.",
            unit=SHARE,
        ),
    ]
    f_star: Annotated[
        float,
        Figure(
            "cluster_f_star_score",
            "Cluster F without noise",
            "Harmonic mean of cluster precision without noise and recall.",
            unit=SHARE,
        ),
    ]
    original_clusters: Annotated[
        int, Figure("original_clusters", "Original clusters", "Clusters of similar rows in the original.")
    ]
    published_clusters: Annotated[
        int, Figure("published_clusters", "Published clusters", "Clusters of similar rows in the release.")
    ]
    original_noise: int
    published_noise: int
    per_cluster: dict[int, ClusterScores]


def clustering_comparison(
    original: Trajectories | Tracks,
    published: PublishedTrajectories,
    max_distance: float | None = None,
    published_max_distance: float | None = None,
    min_neighbours: int = 5,
) -> ClusteringComparison:
    """Cluster both sides by the route distance and compare; generalized locations stand at the mean of their members.

    `max_distance` is the neighbourhood of OPTICS in the unit of the coordinates, by default a twentieth of the diameter
    of the data; the published side may have another one. Rows must be aligned; a track whose row is empty is lost.
    """
    if isinstance(original, Tracks):
        before, (after, rows) = Routes.of(original), _published_cells(original, published)
        size = float(np.hypot(np.ptp(original.x), np.ptp(original.y))) if original.points else 0.0
    else:
        before, after, rows = Routes.of(original), _published_symbols(original, published), None
        size = diameter(original)
    if max_distance is None:
        max_distance = _SHARE_OF_DIAMETER * size or 1.0
    return compare_routes(before, after, max_distance, published_max_distance, min_neighbours, rows)


def _published_symbols(original: Trajectories, published: PublishedTrajectories) -> Routes:
    """The published rows in the order of the original ones, through the mean positions of their symbols."""
    aligned = align(original, published, "clustering_comparison")
    x, y = representative_points(aligned.published.symbols, original.locations, "clustering_comparison")
    shown = aligned.symbol_of_visit >= 0
    symbols = aligned.symbol_of_visit[shown]
    return Routes(np.append(0, np.cumsum(shown))[original.offsets], x[symbols], y[symbols])


def _published_cells(original: Tracks, published: PublishedTrajectories) -> tuple[Routes, Int64s]:
    """The rows that were published, through the places of their cells, and the tracks they were made from."""
    if published.places is None or published.generators is None or len(published) != len(original):
        raise NotApplicable(
            "clustering_comparison compares each published row with the track it was made from, which a file does not "
            "tell; measure where the release was made."
        )
    rows = np.flatnonzero(published.lengths)
    shown = published.take(rows)
    x, y = published.places.coordinates("clustering_comparison")
    symbols = published.symbols
    place_of_member = published.places.vocabulary.encode(symbols.vocabulary.series)
    index = place_of_member[symbols.members[symbols.offsets[:-1]]][shown.codes]
    return Routes(shown.offsets, x[index], y[index]), rows


def compare_routes(
    original: Routes,
    published: Routes,
    max_distance: float,
    published_max_distance: float | None = None,
    min_neighbours: int = 5,
    published_rows: Int64s | None = None,
) -> ClusteringComparison:
    """Cluster and compare two lists of routes.

    Published route p was made from original route `published_rows[p]`; without it, from route p. Original routes that
    nothing was made from are lost.
    """
    rows = np.arange(len(published)) if published_rows is None else np.asarray(published_rows, np.int64)
    if len(rows) != len(published) or len(np.unique(rows)) != len(rows) or rows.max(initial=-1) >= len(original):
        raise NotApplicable(
            f"Clusterings are compared object by object, and {len(published)} published routes cannot be told to be "
            f"those of {len(original)} original ones; say which original each one was made from."
        )
    labels = np.full(len(original), LOST, np.int64)
    limit = max_distance if published_max_distance is None else published_max_distance
    labels[rows] = density_clusters(published, limit, min_neighbours).labels
    return compare_clusterings(density_clusters(original, max_distance, min_neighbours).labels, labels)


def density_clusters(routes: Routes, max_distance: float, min_neighbours: int = 5) -> DensityClustering:
    """OPTICS over the route distance.

    Neighbours exclude the object itself; a core object has `min_neighbours` of them within `max_distance`. Objects are
    visited in index order, the queue by reachability, then index. scikit-learn counts the object itself as a neighbour,
    breaks ties otherwise and extracts clusters in another way, so it is not used.
    """
    max_distance = _MAX_DISTANCE.check(max_distance, "clustering_comparison")
    min_neighbours = _MIN_NEIGHBOURS.check(min_neighbours, "clustering_comparison")
    near = near_routes(routes, max_distance)
    return DensityClustering(*optics(near.starts, near.indices, near.distances, min_neighbours))


def compare_clusterings(
    original: Sequence[int | None] | Int64s, published: Sequence[int | None] | Int64s
) -> ClusteringComparison:
    """Score every original cluster against the published one with the largest overlap.

    Labels are numbers from 0, -1 for noise; published ones may be None for an object that was lost. Among equal
    overlaps the smaller cluster is taken, then the lower label.
    """
    before, after = _labels(original), _labels(published)
    if len(before) != len(after):
        raise BadParameter(f"Clusterings of {len(before)} and {len(after)} objects cannot be compared.")
    n_before, n_after = int(before.max(initial=-1)) + 1, int(after.max(initial=-1)) + 1
    in_both = (before >= 0) & (after >= 0)
    overlaps = np.bincount(before[in_both] * n_after + after[in_both], minlength=n_before * n_after)
    overlaps = overlaps.reshape(n_before, n_after)
    size_before = np.bincount(before[before >= 0], minlength=n_before)
    size_after = np.bincount(after[after >= 0], minlength=n_after)
    without_noise = np.bincount(after[in_both], minlength=n_after)

    per_cluster: dict[int, ClusterScores] = {}
    for label in np.flatnonzero(size_before).tolist():
        overlap = int(overlaps[label].max(initial=0))
        if overlap == 0:
            per_cluster[label] = ClusterScores(0.0, 0.0, 0.0, 0.0, 0.0)
            continue
        candidates = np.flatnonzero(overlaps[label] == overlap)
        best = int(candidates[np.argmin(size_after[candidates])])
        precision, recall = overlap / int(size_after[best]), overlap / int(size_before[label])
        precision_star = overlap / int(without_noise[best])
        per_cluster[label] = ClusterScores(
            precision, recall, _harmonic(precision, recall), precision_star, _harmonic(precision_star, recall)
        )
    averages = {
        name: float(np.mean([getattr(scores, name) for scores in per_cluster.values()])) if per_cluster else 1.0
        for name in ClusterScores.__dataclass_fields__
    }
    return ClusteringComparison(
        **averages,
        original_clusters=len(per_cluster),
        published_clusters=int(np.count_nonzero(size_after)),
        original_noise=int(np.count_nonzero(before == NOISE)),
        published_noise=int(np.count_nonzero(after == NOISE)),
        per_cluster=per_cluster,
    )


def _labels(labels: Sequence[int | None] | Int64s) -> Int64s:
    return np.array([LOST if label is None else int(label) for label in labels], np.int64)


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other)


class ClusteringComparisonMetric(Metric):
    """Do rows that were alike before still fall into one cluster: precision and recall of density clusters."""

    name = "clustering_comparison"
    aligned = True
    default = False
    measure = staticmethod(clustering_comparison)
