"""How much meaning is lost: distances weighted by a taxonomy, and the share of it that published symbols span.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for k^m-anonymizing trajectory
data. Transactions on Data Privacy 7, 2014, Definitions 5-8.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.hierarchy import Taxonomy
from crypsis.metrics.distance import visit_losses
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.translation import translated_to_known


def combined_distance_loss(original: Trajectories, published: PublishedTrajectories, taxonomy: Taxonomy) -> float:
    """Mean distance of a visit to what was published for it, times the share of the taxonomy that this spans.

    0 when every location is intact; lower is better. A suppressed visit costs the diameter, an empty trajectory 0.
    """
    return visit_losses(
        original, published, "combined_distance_loss", lambda known: _spans(known, original.locations, taxonomy)
    )


def semantic_penalty_loss(original: Trajectories, published: PublishedTrajectories, taxonomy: Taxonomy) -> float:
    """Share of the taxonomy that a generalized location spans, averaged per published row, then over rows.

    Intact locations cost nothing, suppressed ones do not appear; from 0 to 1, lower is better.
    """
    published = translated_to_known(published, original.locations, "semantic_penalty_loss")
    if len(published) == 0:
        return 0.0
    span = _spans(published, original.locations, taxonomy)
    span[published.symbols.sizes == 1] = 0.0
    rows = np.repeat(np.arange(len(published)), published.lengths)
    per_row = np.bincount(rows, weights=span[published.codes], minlength=len(published))
    return mean(per_row / np.maximum(published.lengths, 1))


def _spans(published: PublishedTrajectories, locations: Locations, taxonomy: Taxonomy) -> Float64s:
    """SD of each symbol: the share of the leaves below its closest common ancestor."""
    nodes = taxonomy.leaves_of(locations)[published.symbols.members].tolist()
    ancestors = [
        taxonomy.lowest_common_ancestor(nodes[start:end]) for start, end in pairwise(published.symbols.offsets.tolist())
    ]
    return np.asarray(taxonomy.leaf_count[ancestors] / taxonomy.n_leaves, np.float64)


class CombinedDistanceLoss(Metric):
    """The distance times the share of the taxonomy that the published location spans."""

    name = "combined_distance_loss"
    aligned = True
    needs = ("taxonomy",)
    measure = staticmethod(combined_distance_loss)
    figures = (
        Figure(
            "combined_distance_loss",
            "Combined distance loss",
            "The distance loss with every distance weighted by the share of the taxonomy that the published symbol "
            "spans; 0 means that nothing moved or changed its meaning.",
        ),
    )


class SemanticPenaltyLoss(Metric):
    """Share of the taxonomy that a published location spans; intact ones count nothing."""

    name = "semantic_penalty_loss"
    needs = ("taxonomy",)
    measure = staticmethod(semantic_penalty_loss)
    figures = (
        Figure(
            "semantic_penalty_loss",
            "Semantic penalty",
            "Mean share of the taxonomy that a published symbol spans; intact locations count nothing.",
            unit=SHARE,
        ),
    )
