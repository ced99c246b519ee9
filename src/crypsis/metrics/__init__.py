"""Utility metrics: what is left of the data after it was anonymized. One file per metric, one entry here.

A metric is a pure function of the original and the published data; a `_loss` falls, a `_score` rises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.data.track import Tracks
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.data.windows import PublishedWindows
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable, did_you_mean
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.metrics.class_sizes import class_sizes
from crypsis.metrics.classification import classification_accuracy
from crypsis.metrics.cluster_structure import cluster_structure
from crypsis.metrics.clustering import clustering_comparison
from crypsis.metrics.count_queries import trip_query_error
from crypsis.metrics.count_query_error import count_query_error
from crypsis.metrics.displacement import displacement
from crypsis.metrics.distance import distance_loss, normalized_distance_loss
from crypsis.metrics.divergence import kl_divergence_loss
from crypsis.metrics.exact_sums import rounded
from crypsis.metrics.granularity import granularity_score
from crypsis.metrics.item_frequencies import item_frequency_error
from crypsis.metrics.item_ncp import item_ncp_loss
from crypsis.metrics.itemset_queries import itemset_query_error
from crypsis.metrics.itemsets import tkd_loss, tkd_ml2_loss
from crypsis.metrics.locations import location_statistics
from crypsis.metrics.lost_terms import lost_terms
from crypsis.metrics.origin_destination import origin_destination_error
from crypsis.metrics.pair_supports import re_loss
from crypsis.metrics.patterns import pattern_preservation
from crypsis.metrics.queries import average_relative_error
from crypsis.metrics.region_classification import region_classification
from crypsis.metrics.region_penalties import region_penalties
from crypsis.metrics.semantics import combined_distance_loss, semantic_penalty_loss
from crypsis.metrics.similarity import pattern_similarity
from crypsis.metrics.suppression import suppression_loss
from crypsis.metrics.table_divergence import table_kl_divergence_loss
from crypsis.metrics.track_lengths import track_lengths
from crypsis.metrics.trip_lengths import trip_lengths
from crypsis.metrics.trip_patterns import trip_patterns
from crypsis.metrics.utility_loss import utility_loss

Figure = float | int


@dataclass(frozen=True)
class Metric:
    """One metric of the table: its function, what it says, and the kinds of original data it takes."""

    function: Callable[..., Any]
    help: str
    accepts: tuple[type, ...]
    aligned: bool = False  # compares each published row with the trajectory it was made from
    seeded: bool = False
    needs: tuple[str, ...] = ()  # companions of the data that the function takes by name, such as a taxonomy
    takes: tuple[str, ...] = ()  # the same, where it can do without
    reads: tuple[type, ...] = (object,)  # the published forms that it can read
    default: bool = True  # quick whatever the data, so it is measured unasked
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.function.__name__)

    def figures(
        self, original: Any, published: Any, *, seed: int = 0, companions: Mapping[str, Any] | None = None
    ) -> dict[str, Figure]:
        """The metric's numbers by name."""
        if not isinstance(original, self.accepts):
            kinds = " or ".join(kind.__name__ for kind in self.accepts)
            raise NotApplicable(f"{self.name} compares {kinds} with their release, got {type(original).__name__}.")
        if not isinstance(published, self.reads):
            forms = " or ".join(form.__name__ for form in self.reads)
            raise NotApplicable(f"{self.name} reads {forms}, got {type(published).__name__}.")
        given = companions or {}
        for name in self.needs:
            if name not in given:
                raise NotApplicable(f"{self.name} needs a {name}; give one (--{name} FILE).")
        named = (*self.needs, *(name for name in self.takes if name in given))
        extras: dict[str, Any] = {name: given[name] for name in named} | ({"seed": seed} if self.seeded else {})
        result = self.function(original, published, **extras)
        figures = {self.name: result} if isinstance(result, (float, int)) else result.figures()
        return {name: rounded(value) if isinstance(value, float) else value for name, value in figures.items()}


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            distance_loss,
            "Mean distance from a visit to the locations that were published for it.",
            (Trajectories,),
            aligned=True,
        ),
        Metric(
            normalized_distance_loss,
            "The same as a share of the largest distance between two locations.",
            (Trajectories,),
            aligned=True,
        ),
        Metric(
            combined_distance_loss,
            "The distance times the share of the taxonomy that the published location spans.",
            (Trajectories,),
            aligned=True,
            needs=("taxonomy",),
        ),
        Metric(
            semantic_penalty_loss,
            "Share of the taxonomy that a published location spans; intact ones count nothing.",
            (Trajectories,),
            needs=("taxonomy",),
        ),
        Metric(
            location_statistics,
            "Intact, generalized and suppressed locations, and how wide the generalized ones are.",
            (Trajectories,),
        ),
        Metric(
            average_relative_error,
            "Mean relative error of counting queries that are answered from the release.",
            (Trajectories,),
            seeded=True,
        ),
        Metric(
            kl_divergence_loss,
            "Divergence between how often locations occur in the original and may occur in the release.",
            (Trajectories,),
            seeded=True,
        ),
        Metric(
            pattern_preservation,
            "Share of the frequent patterns that stay frequent, and of the released ones that are false.",
            (Trajectories,),
            seeded=True,
            default=False,
        ),
        Metric(
            pattern_similarity,
            "SIM1 and SIM2: are the frequent patterns of the release as frequent, and as many, as the original's.",
            (Trajectories,),
            default=False,
        ),
        Metric(
            clustering_comparison,
            "Do rows that were alike before still fall into one cluster: precision and recall of density clusters.",
            (Trajectories, Tracks),
            aligned=True,
            default=False,
        ),
        Metric(
            track_lengths,
            "How long tracks are before and after, and how far the two distributions are apart.",
            (Tracks,),
        ),
        Metric(
            displacement,
            "Distance of fixes from the published point of their cell.",
            (Tracks,),
        ),
        Metric(
            ncp_loss,
            "Share of its column that a published cell may stand for, of all columns and of each.",
            (Table, Mixed),
            reads=(PublishedTable, PublishedMixed),
        ),
        Metric(
            class_sizes,
            "How many classes of records look the same, how large they are, and discernibility.",
            (Table, Mixed),
            reads=(PublishedTable, PublishedMixed),
        ),
        Metric(
            granularity_score,
            "How fine the published cells still are, of all columns and of each; 1 is as fine as collected.",
            (Table,),
            reads=(PublishedTable,),
        ),
        Metric(
            count_query_error,
            "Mean relative error of counting queries (given, or drawn) that are answered from the release.",
            (Table, Mixed),
            seeded=True,
            takes=("queries",),
            reads=(PublishedTable, PublishedMixed),
        ),
        Metric(
            classification_accuracy,
            "How well the label is predicted by a model trained on the release, and by one trained on the original.",
            (Table, Mixed),
            seeded=True,
            default=False,
            reads=(PublishedTable, PublishedMixed),
        ),
        Metric(
            table_kl_divergence_loss,
            "Divergence between the original combinations of quasi-identifiers and those that the release allows.",
            (Table,),
            default=False,
            reads=(PublishedTable,),
        ),
        Metric(
            tkd_loss,
            "tKd: share of the most frequent itemsets that the release does not show.",
            (Transactions,),
            seeded=True,
        ),
        Metric(
            tkd_ml2_loss,
            "tKd-ML2: the same with itemsets across the levels of a hierarchy.",
            (Transactions,),
            seeded=True,
            needs=("hierarchy",),
            default=False,
        ),
        Metric(
            re_loss,
            "re: relative error of how often two terms of middling frequency occur together.",
            (Transactions,),
            seeded=True,
        ),
        Metric(
            lost_terms,
            "tlost: share of the frequent terms that are in term chunks only.",
            (Transactions,),
        ),
        Metric(
            item_frequency_error,
            "Relative error of how often each item occurs.",
            (Transactions,),
        ),
        Metric(
            itemset_query_error,
            "Mean relative error of counting the records that hold given items.",
            (Transactions,),
            seeded=True,
        ),
        Metric(
            item_ncp_loss,
            "Share of all items that a published item may stand for.",
            (Transactions,),
        ),
        Metric(
            utility_loss,
            "Share of the sets that a published record may stand for which generalization added.",
            (Transactions, Mixed),
        ),
        Metric(
            cluster_structure,
            "What a disassociated release is made of.",
            (Transactions,),
        ),
        Metric(
            suppression_loss,
            "Share of the doublets that windows of a stream suppress, and how many were published before.",
            (Events,),
            reads=(PublishedWindows,),
        ),
        Metric(
            trip_query_error,
            "Relative error of counts of people who were at places at times, and that of publishing nothing.",
            (Events,),
            seeded=True,
            reads=(SyntheticTrajectories,),
        ),
        Metric(
            trip_patterns,
            "Are the most frequent runs of places still the most frequent, and how far off are their counts.",
            (Events,),
            reads=(SyntheticTrajectories,),
        ),
        Metric(
            trip_lengths,
            "How many visits trips have before and after, and how far the two distributions are apart.",
            (Events,),
            reads=(SyntheticTrajectories,),
        ),
        Metric(
            origin_destination_error,
            "How far off the counts of first and last places of trips are; publishing nothing has 1.",
            (Events,),
            reads=(SyntheticTrajectories,),
        ),
        Metric(
            region_classification,
            "How well the class is predicted from published counts of regions, with the best and the least beside it.",
            (Table,),
            seeded=True,
            reads=(CountedRegions,),
            default=False,
        ),
        Metric(
            region_penalties,
            "NCP and discernibility of published counts of regions, from the counts themselves.",
            (Table,),
            reads=(CountedRegions,),
        ),
    )
}


def measure(
    original: Trajectories,
    published: PublishedTrajectories,
    metrics: Iterable[str] | None = None,
    *,
    seed: int = 0,
    companions: Mapping[str, Any] | None = None,
) -> dict[str, Figure]:
    """All figures of the named metrics; without names, of those that are quick and apply.

    Unasked, a metric that needs coordinates, row alignment or a companion of the data (`companions={"taxonomy": …}`)
    is left out where there are none; asked for by name, it says why it cannot be had. Pattern preservation is
    measured only when asked for: it mines the release a hundred times.
    """
    figures: dict[str, Figure] = {}
    for metric in _chosen(metrics):
        try:
            figures |= metric.figures(original, published, seed=seed, companions=companions)
        except (BadCoordinate, NotApplicable):
            if metrics is not None:
                raise
    return figures


def _chosen(names: Iterable[str] | None) -> list[Metric]:
    if names is None:
        return [metric for metric in METRICS.values() if metric.default]
    chosen = []
    for name in names:
        if name not in METRICS:
            raise BadParameter(
                f"There is no metric '{name}'; the metrics are {', '.join(METRICS)}.{did_you_mean(name, METRICS)}"
            )
        chosen.append(METRICS[name])
    return chosen
