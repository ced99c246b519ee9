"""How far off an analyst is who counts in the release instead of the original: average relative error of queries.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
ECML PKDD 2013, section 5: ARE; the papers leave a query that nobody satisfies undefined, here `sanity` stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, FrozenArrays, Int64s
from crypsis.data.count_query import CountQuery, as_queries
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.query_answers import actual_counts, estimated_counts
from crypsis.metrics.query_workload import drawn_queries
from crypsis.parameters import Above, Parameter

_SANITY = Parameter("sanity", float, False, (Above(0),), "What an error is at least divided by.", MISSING)

Queries = str | Path | CountQuery | Iterable[str | CountQuery | dict[str, Any]]


@dataclass(frozen=True, eq=False)
class QueryErrors(FrozenArrays):
    """Actual and estimated count of each query, and the relative errors in figures."""

    queries: tuple[CountQuery, ...]
    actual: Int64s
    estimated: Float64s
    sanity: float = 1.0
    subset: Float64s | None = None  # estimates with generalized items read as any subset, beside the usual reading

    @property
    def errors(self) -> Float64s:
        """|estimate - actual| / max(actual, sanity) of each query."""
        return self._errors(self.estimated)

    def _errors(self, estimated: Float64s) -> Float64s:
        return np.asarray(np.abs(estimated - self.actual) / np.maximum(self.actual, self.sanity), np.float64)

    @property
    def zero_actual(self) -> int:
        """Number of queries that no original record satisfies."""
        return int(np.count_nonzero(self.actual == 0))

    def figures(self) -> dict[str, float | int]:
        errors = self.errors
        figures = {
            "count_query_loss": mean(errors),
            "count_query_median_loss": float(np.median(errors)),
            "count_query_max_loss": float(errors.max()),
            "count_queries_without_record": self.zero_actual,
        }
        return (
            figures if self.subset is None else figures | {"count_query_subset_loss": mean(self._errors(self.subset))}
        )


def count_query_error(
    original: Table | Mixed,
    published: PublishedTable | PublishedMixed,
    queries: Queries | None = None,
    *,
    seed: int = 0,
    estimator: str = "uniform",
    sanity: float = 1.0,
    **drawn: Any,
) -> QueryErrors:
    """Mean relative error of counting queries that are answered from the release; 0 where every answer is right.

    Queries are objects, texts, JSON objects or the path of a file; unless given, 100 are drawn, and what else is named
    goes to `drawn_queries`. Needs no row alignment: a query counts, whoever it counts. A generalized item is read as
    one of its items, each as likely; where queries ask for items, the error of reading it as any non-empty subset
    stands beside (`subset`).
    """
    sanity = _SANITY.check(sanity, "count_query_error")
    asked = drawn_queries(original, seed=seed, **drawn) if queries is None else as_queries(queries)
    actual = actual_counts(original, asked)
    subset = None
    if estimator == "uniform" and isinstance(published, PublishedMixed) and any(query.items for query in asked):
        subset = estimated_counts(original, published, asked, "subset")
    return QueryErrors(asked, actual, estimated_counts(original, published, asked, estimator), sanity, subset)


class CountQueryLoss(Metric):
    """Mean relative error of counting queries (given, or drawn) that are answered from the release."""

    name = "count_query_loss"
    former_name = "count_query_error"
    seeded = True
    takes = ("queries",)
    measure = staticmethod(count_query_error)
    figures = (
        Figure(
            "count_query_loss",
            "Average relative error",
            "How far off counts of records are that are taken from the release instead of the original, on average.",
            unit=SHARE,
            abbreviation="ARE",
            rank=3,
            former_name="count_query_error",
        ),
        Figure(
            "count_query_median_loss",
            "Median relative error",
            "Half of the queries are answered at least this well.",
            unit=SHARE,
            former_name="count_query_error_median",
        ),
        Figure(
            "count_query_max_loss",
            "Largest relative error",
            "The query that is answered worst.",
            unit=SHARE,
            former_name="count_query_error_max",
        ),
        Figure(
            "count_queries_without_record",
            "Queries without a record",
            "Queries that no original record satisfies; their errors are absolute.",
        ),
        Figure(
            "count_query_subset_loss",
            "Average relative error",
            "The same with a generalized item read as any subset of its items, which says little of large ones.",
            unit=SHARE,
            abbreviation="ARE-subset",
            alternative_to="count_query_loss",
            former_name="count_query_error_subset",
        ),
    )
