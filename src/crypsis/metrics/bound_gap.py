"""How far apart the bounds are that a release puts around counts, and whether the truth lies between them.

The gap of a query is (at most - at least) / max(true count, 1). In a truthful release every true count lies between its
bounds; a share below 1 says that the release is not what it claims to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.count_bounds import CountBounds
from crypsis.data.count_query import CountQuery, as_queries
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.metrics.count_query_error import Queries
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.itemset_queries import draw_itemsets, exact_counts
from crypsis.metrics.metric import Metric
from crypsis.metrics.query_answers import actual_counts
from crypsis.metrics.query_workload import drawn_queries


@dataclass(frozen=True, eq=False)
class BoundedCounts:
    """True count and bounds of each query."""

    queries: Sequence[CountQuery]
    actual: Int64s
    bounds: Sequence[CountBounds]

    def figures(self) -> dict[str, float | int]:
        if not self.queries:
            return {}
        gaps = [
            (bounds.at_most - bounds.definite) / max(actual, 1)
            for bounds, actual in zip(self.bounds, self.actual.tolist(), strict=True)
        ]
        hits = [bounds.holds(actual) for bounds, actual in zip(self.bounds, self.actual.tolist(), strict=True)]
        return {
            "bound_gap_loss": mean(np.array(gaps, np.float64)),
            "bound_hit_score": mean(np.array(hits, np.float64)),
        }


def bound_gap(
    original: Table | Mixed | Transactions,
    published: PublishedTable | PublishedMixed | PublishedTransactions | DisassociatedTransactions,
    queries: Queries | None = None,
    *,
    seed: int = 0,
    **drawn: Any,
) -> BoundedCounts:
    """Bounds and true counts over a workload; unless given, 100 queries are drawn as for the relative error."""
    if isinstance(original, Transactions):
        asked = _of_itemsets(draw_itemsets(original, seed=seed, **drawn)) if queries is None else as_queries(queries)
        actual = exact_counts(original, [query.items for query in asked])
    else:
        asked = drawn_queries(original, seed=seed, **drawn) if queries is None else as_queries(queries)
        actual = actual_counts(original, asked)
    sets = published.set_part
    complete = sets is None or sets.suppressed == ()
    return BoundedCounts(asked, actual, published.bound_counts(asked, complete=complete))


def _of_itemsets(itemsets: Sequence[Sequence[str]]) -> tuple[CountQuery, ...]:
    return tuple(CountQuery((), tuple(itemset)) for itemset in itemsets)


class BoundGapLoss(Metric):
    """Width of the bounds that a release puts around counts, and the share of true counts between them."""

    name = "bound_gap_loss"
    seeded = True
    takes = ("queries",)
    default = False
    measure = staticmethod(bound_gap)
    figures = (
        Figure(
            "bound_gap_loss",
            "Gap between bounds",
            "How far apart the least and the greatest possible count are, against the true one; 0 is exact.",
            abbreviation="gap",
        ),
        Figure(
            "bound_hit_score",
            "True counts between bounds",
            "The share of queries whose true count lies between the bounds; 1 for every truthful release.",
            unit=SHARE,
        ),
    )
