"""Utility metrics: what is left of the data after it was anonymized. One file per metric, one line here.

A metric is a class that owns its names, figures and sentences (`metric.Metric`); what it measures is a pure function of
the original and the published data. A `_loss` falls, a `_score` rises; other figures describe and have no direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable, did_you_mean
from crypsis.late_members import LateMembers
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric

_MEMBERS: dict[str, tuple[str, ...]] = {  # a new metric is one line here: its class, and the kinds that it takes
    "distance_loss": ("distance.DistanceLoss", "Trajectories"),
    "normalized_distance_loss": ("distance.NormalizedDistanceLoss", "Trajectories"),
    "combined_distance_loss": ("semantics.CombinedDistanceLoss", "Trajectories"),
    "semantic_penalty_loss": ("semantics.SemanticPenaltyLoss", "Trajectories"),
    "location_statistics": ("locations.LocationStatisticsMetric", "Trajectories"),
    "visit_query_loss": ("queries.VisitQueryLoss", "Trajectories"),
    "kl_divergence_loss": ("divergence.KLDivergenceLoss", "Trajectories"),
    "pattern_preservation": ("patterns.PatternPreservationMetric", "Trajectories"),
    "pattern_similarity": ("similarity.PatternSimilarityMetric", "Trajectories"),
    "clustering_comparison": ("clustering.ClusteringComparisonMetric", "Trajectories", "Tracks"),
    "track_lengths": ("track_lengths.TrackLengthsMetric", "Tracks"),
    "displacement": ("displacement.DisplacementMetric", "Tracks"),
    "ncp_loss": ("certainty_penalty.NCPLoss", "Table", "Mixed"),
    "class_sizes": ("class_sizes.ClassSizesMetric", "Table", "Mixed"),
    "granularity_score": ("granularity.GranularityScore", "Table"),
    "count_query_loss": ("count_query_error.CountQueryLoss", "Table", "Mixed"),
    "bound_gap_loss": ("bound_gap.BoundGapLoss", "Table", "Mixed", "Transactions"),
    "classification_score": ("classification.ClassificationScore", "Table", "Mixed"),
    "table_kl_divergence_loss": ("table_divergence.TableKLDivergenceLoss", "Table"),
    "tkd_loss": ("itemsets.TkdLoss", "Transactions"),
    "tkd_ml2_loss": ("itemsets.TkdMl2Loss", "Transactions"),
    "re_loss": ("pair_supports.ReLoss", "Transactions"),
    "tlost_loss": ("lost_terms.TlostLoss", "Transactions"),
    "item_frequency_loss": ("item_frequencies.ItemFrequencyLoss", "Transactions"),
    "itemset_query_loss": ("itemset_queries.ItemsetQueryLoss", "Transactions"),
    "item_ncp_loss": ("item_ncp.ItemNCPLoss", "Transactions"),
    "utility_loss": ("utility_loss.UtilityLoss", "Transactions", "Mixed"),
    "cluster_structure": ("cluster_structure.ClusterStructureMetric", "Transactions"),
    "suppression_loss": ("suppression.SuppressionLossMetric", "Events"),
    "trip_query_loss": ("count_queries.TripQueryLoss", "Events"),
    "trip_patterns": ("trip_patterns.TripPatternsMetric", "Events"),
    "trip_lengths": ("trip_lengths.TripLengthsMetric", "Events"),
    "origin_destination_loss": ("origin_destination.OriginDestinationLoss", "Events"),
    "region_classification": ("region_classification.RegionClassificationMetric", "Table"),
    "region_penalties": ("region_penalties.RegionPenaltiesMetric", "Table"),
}
METRICS: LateMembers[type[Metric]] = LateMembers(
    {name: f"{__name__}.{place}" for name, (place, *_) in _MEMBERS.items()}
)


def all_figures() -> dict[str, Figure]:
    """Every figure by its name: those of the metrics, and those of published data alone."""
    return {figure.name: figure for figure in (*_figures_of(METRICS.values()), *_published_alone())}


def _published_alone() -> tuple[Figure, ...]:
    """The figures that need no original."""
    from crypsis.metrics.published_symbols import SYMBOL_FIGURES
    from crypsis.metrics.published_widths import WIDTH_FIGURES
    from crypsis.metrics.published_windows import WINDOW_FIGURES
    from crypsis.metrics.temporal_loss import TIME_FIGURES

    return (*WIDTH_FIGURES, *SYMBOL_FIGURES, *WINDOW_FIGURES, *TIME_FIGURES)


def _figures_of(metrics: Iterable[type[Metric]]) -> list[Figure]:
    return [figure for metric in metrics for figure in metric.figures]


def _takes(name: str, original: Any) -> bool:
    """Whether a metric may take these data, as far as is known without importing it."""
    _, *kinds = _MEMBERS.get(name, ("",))
    return not kinds or any(kind.__name__ in kinds for kind in type(original).__mro__)


def short_names() -> dict[str, dict[str, str]]:
    """The short names of the literature with their figures by metric; the first metric that takes the data counts."""
    named = [(figure, metric) for metric in METRICS.values() for figure in metric.figures if figure.short_name]
    found: dict[str, dict[str, str]] = {}
    for figure, metric in sorted(named, key=lambda pair: pair[0].rank):
        found.setdefault(figure.short_name, {})[metric.name] = figure.name
    return found


def metric_named(name: str) -> type[Metric]:
    """The metric of this name, or of a name that it had before."""
    former = {metric.former_name: metric for metric in METRICS.values() if metric.former_name}
    metric = METRICS.get(name) or former.get(name)
    if metric is None:
        raise BadParameter(
            f"There is no metric '{name}'; the metrics are {', '.join(METRICS)}.{did_you_mean(name, METRICS)}"
        )
    return metric


def figure_named(name: str) -> Figure:
    """The figure of this name, short name or former name; one that no metric states is described by its name alone."""
    first, of, column = name.partition(" of ")
    if of:
        whole = figure_named(first)
        label = f"{whole.label} of {column}"
        return replace(whole, label=label, meaning="The same in this column.", abbreviation="")
    known = {figure.name: figure for figure in (*_figures_of(METRICS.loaded()), *_published_alone())}
    if name in known:  # as every figure is that was measured in this process
        return known[name]
    figures = all_figures()
    if name in figures:
        return figures[name]
    if figures_of_short := short_names().get(name):
        return figures[next(iter(figures_of_short.values()))]
    former = {figure.former_name: figure for figure in figures.values() if figure.former_name}
    return former.get(name) or Figure(name, name.replace("_", " ").capitalize(), "")


def measure(
    original: Trajectories,
    published: PublishedTrajectories,
    metrics: Iterable[str] | None = None,
    *,
    seed: int = 0,
    side_inputs: Mapping[str, Any] | None = None,
) -> dict[str, float | int]:
    """All figures of the named metrics; without names, of those that are quick and apply.

    Unasked, a metric that needs coordinates, row alignment or a side input of the data (`side_inputs={"taxonomy": …}`)
    is left out where there are none; asked for by name, it says why it cannot be had. Pattern preservation is
    measured only when asked for: it mines the release a hundred times.
    """
    figures: dict[str, float | int] = {}
    chosen = [METRICS[name] for name in METRICS if _takes(name, original) and METRICS[name].default]
    for metric in chosen if metrics is None else map(metric_named, metrics):
        try:
            figures |= metric.compute(original, published, seed=seed, side_inputs=side_inputs)
        except (BadCoordinate, NotApplicable):
            if metrics is not None:
                raise
    return figures


__all__ = ["METRICS", "Figure", "Metric", "all_figures", "figure_named", "measure", "metric_named", "short_names"]
