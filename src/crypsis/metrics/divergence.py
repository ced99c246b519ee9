"""Kullback-Leibler divergence between how often sequences occur in the original and may occur in the release.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for k^m-anonymizing trajectory
data. Transactions on Data Privacy 7, 2014, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.metrics.exact_sums import total
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.queries import Queries, as_workload, estimated_support, support
from crypsis.metrics.workload import Workload


@dataclass(frozen=True)
class Divergence:
    """`value` in nats, infinite when `zero_terms` > 0 sequences of the original cannot occur in the release.

    `smoothed` is always finite: 1 is added to every count on both sides. Among the figures an infinite divergence is
    left out; how many sequences make it infinite is told, and the smoothed one.
    """

    value: float
    zero_terms: int
    smoothed: float

    def figures(self) -> dict[str, float | int]:
        told: dict[str, float | int] = {"kl_zero_terms": self.zero_terms, "kl_smoothed_loss": self.smoothed}
        return told if self.zero_terms else {"kl_divergence_loss": self.value, **told}


def kl_divergence_loss(
    original: Trajectories,
    published: PublishedTrajectories,
    queries: Queries | None = None,
    size: int | None = None,
    n_queries: int = 100,
    seed: int = 0,
    *,
    exclude_sensitive: bool = False,
) -> Divergence:
    """How unlike the published distribution over a set of sequences is to the original one.

    The set is what `queries` gives; else `n_queries` drawn subtrajectories of `size` locations; else all
    locations that occur. A published trajectory counts for every sequence that it can contain.
    0 when nothing changed; lower is better. Needs no row alignment.
    """
    if queries is not None:
        workload = as_workload(queries, original)
    elif size is not None:
        workload = Workload.drawn(original, n_queries, (size,), seed, exclude_sensitive=exclude_sensitive)
    else:
        workload = Workload.of_locations(original, exclude_sensitive=exclude_sensitive)
    actual = support(original, workload).astype(np.float64)
    possible = estimated_support(published, workload, "upper").astype(np.float64)
    zero_terms = int(np.count_nonzero((actual > 0) & (possible == 0)))
    return Divergence(
        value=inf if zero_terms else _divergence(actual, possible),
        zero_terms=zero_terms,
        smoothed=_divergence(actual + 1, possible + 1),
    )


def _divergence(actual: Float64s, possible: Float64s) -> float:
    occurring = actual > 0
    if not occurring.any():
        return 0.0
    p = actual[occurring] / total(actual)
    q = possible[occurring] / total(possible)
    # Rounding may push a sum of zero a little below it; the divergence never is.
    return max(total(p * np.log(p / q)), 0.0)


class KLDivergenceLoss(Metric):
    """Divergence between how often locations occur in the original and may occur in the release."""

    name = "kl_divergence_loss"
    seeded = True
    measure = staticmethod(kl_divergence_loss)
    figures = (
        Figure(
            "kl_divergence_loss",
            "Kullback-Leibler divergence",
            "How unlike the published frequencies of locations are to the original ones, in nats; 0 means equal. Not "
            "told where some location can no longer be found: it is infinite then.",
        ),
        Figure(
            "kl_zero_terms",
            "Locations that cannot be found",
            "Locations that occur in the original and cannot occur in the release. Where there are any the plain "
            "divergence is infinite; the smoothed one compares such releases.",
        ),
        Figure(
            "kl_smoothed_loss",
            "Smoothed divergence",
            "The divergence with 1 added to every count, which is always finite.",
            abbreviation="KL",
        ),
    )
