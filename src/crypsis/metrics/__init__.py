"""Utility metrics: what is left of the data after it was anonymized. One file per metric, one line here.

A metric is a class that owns its names, figures and sentences (`metric.Metric`); what it measures is a pure function of
the original and the published data. A `_loss` falls, a `_score` rises; other figures describe and have no direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable, did_you_mean
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.published_symbols import SYMBOL_FIGURES
from crypsis.metrics.published_widths import WIDTH_FIGURES
from crypsis.metrics.published_windows import WINDOW_FIGURES
from crypsis.metrics.temporal_loss import TIME_FIGURES

_MEMBERS = (  # a new metric is one line here
    "distance.DistanceLoss",
    "distance.NormalizedDistanceLoss",
    "semantics.CombinedDistanceLoss",
    "semantics.SemanticPenaltyLoss",
    "locations.LocationStatisticsMetric",
    "queries.VisitQueryLoss",
    "divergence.KLDivergenceLoss",
    "patterns.PatternPreservationMetric",
    "similarity.PatternSimilarityMetric",
    "clustering.ClusteringComparisonMetric",
    "track_lengths.TrackLengthsMetric",
    "displacement.DisplacementMetric",
    "certainty_penalty.NCPLoss",
    "class_sizes.ClassSizesMetric",
    "granularity.GranularityScore",
    "count_query_error.CountQueryLoss",
    "classification.ClassificationScore",
    "table_divergence.TableKLDivergenceLoss",
    "itemsets.TkdLoss",
    "itemsets.TkdMl2Loss",
    "pair_supports.ReLoss",
    "lost_terms.TlostLoss",
    "item_frequencies.ItemFrequencyLoss",
    "itemset_queries.ItemsetQueryLoss",
    "item_ncp.ItemNCPLoss",
    "utility_loss.UtilityLoss",
    "cluster_structure.ClusterStructureMetric",
    "suppression.SuppressionLossMetric",
    "count_queries.TripQueryLoss",
    "trip_patterns.TripPatternsMetric",
    "trip_lengths.TripLengthsMetric",
    "origin_destination.OriginDestinationLoss",
    "region_classification.RegionClassificationMetric",
    "region_penalties.RegionPenaltiesMetric",
)
METRICS: dict[str, type[Metric]] = {
    metric.name: metric
    for module, _, member in (path.partition(".") for path in _MEMBERS)
    for metric in [getattr(import_module(f"{__name__}.{module}"), member)]
}
_PUBLISHED_ALONE = (*WIDTH_FIGURES, *SYMBOL_FIGURES, *WINDOW_FIGURES, *TIME_FIGURES)  # figures that need no original


def all_figures() -> dict[str, Figure]:
    """Every figure by its name: those of the metrics, and those of published data alone."""
    measured = [figure for metric in METRICS.values() for figure in metric.figures]
    return {figure.name: figure for figure in (*measured, *_PUBLISHED_ALONE)}


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
    chosen = [metric for metric in METRICS.values() if metric.default]
    for metric in chosen if metrics is None else map(metric_named, metrics):
        try:
            figures |= metric.compute(original, published, seed=seed, side_inputs=side_inputs)
        except (BadCoordinate, NotApplicable):
            if metrics is not None:
                raise
    return figures


__all__ = ["METRICS", "Figure", "Metric", "all_figures", "figure_named", "measure", "metric_named", "short_names"]
