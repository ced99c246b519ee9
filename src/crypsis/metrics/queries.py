"""Counting queries answered from published data: how far off an analyst is who knows only the release.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for k^m-anonymizing trajectory
data. Transactions on Data Privacy 7, 2014, section 6: ARE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING

import numpy as np

from crypsis.arrays import Float64s, Int64s, offsets_of, take_records
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.kernels.containment import containing_records, records_of_symbols
from crypsis.kernels.row_order import sorted_rows
from crypsis.metrics.equal_rows import row_numbers
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric
from crypsis.metrics.translation import translated
from crypsis.metrics.workload import Workload
from crypsis.parameters import OneOf, Parameter

Queries = Workload | Sequence[Sequence[str]]

_ESTIMATOR = Parameter("estimator", str, False, (OneOf("uniform", "upper"),), "How symbols are read.", MISSING)


def average_relative_error(
    original: Trajectories,
    published: PublishedTrajectories,
    queries: Queries | None = None,
    n_queries: int = 100,
    sizes: Sequence[int] = (1, 2),
    seed: int = 0,
    estimator: str = "uniform",
    *,
    exclude_sensitive: bool = False,
) -> float:
    """Mean of |actual - estimate| / max(actual, 1) over queries "how many trajectories contain this?".

    0 when every answer is right; lower is better. Unless queries are given, they are drawn from the distinct
    subtrajectories of the original that have one of the sizes. Needs no row alignment.
    """
    if queries is None:
        workload = Workload.drawn(original, n_queries, sizes, seed, exclude_sensitive=exclude_sensitive)
    else:
        workload = as_workload(queries, original)
    actual = support(original, workload)
    estimate = estimated_support(published, workload, estimator)
    if len(workload) == 0:
        return 0.0
    return mean(np.abs(actual - estimate) / np.maximum(actual, 1))


def as_workload(queries: Queries, original: Trajectories) -> Workload:
    """Queries as a workload over the original's locations."""
    if isinstance(queries, Workload) and queries.vocabulary is original.locations.vocabulary:
        return queries
    lists = queries.to_lists() if isinstance(queries, Workload) else queries
    return Workload.from_lists(lists, original.locations.vocabulary)


def support(original: Trajectories, workload: Workload) -> Int64s:
    """Number of original trajectories that contain each query."""
    vocabulary = original.locations.vocabulary
    n_locations = len(vocabulary)
    intact = Symbols(vocabulary, np.arange(n_locations + 1), np.arange(n_locations, dtype=np.int32))
    return _containing(PublishedTrajectories(original.offsets, original.codes, intact), workload)[1]


def estimated_support(
    published: PublishedTrajectories, workload: Workload, estimator: str = "uniform"
) -> Float64s | Int64s:
    """Number of published trajectories that contain each query, as far as the symbols tell.

    `uniform`: the expected number when every element is, independently, any of its members with equal
    probability. `upper`: the number of trajectories that can contain the query.
    """
    estimator = _ESTIMATOR.check(estimator, "average_relative_error")
    expected, possible = _containing(published, workload)
    return expected if estimator == "uniform" else possible


def _containing(published: PublishedTrajectories, workload: Workload) -> tuple[Float64s, Int64s]:
    published = translated(published, workload.vocabulary)
    # Probabilities are added row after row: in the order of the rows, not of the input.
    published = published.take(sorted_rows(published.offsets, published.symbols.rank[published.codes]))
    symbols = published.symbols
    holder_offsets, holders = _holders(symbols)
    # Locations held by the same symbols are indistinct: queries that differ only in them are asked once.
    indistinct = row_numbers(holder_offsets, holders)[workload.codes]
    numbers = row_numbers(workload.offsets, indistinct)
    _, asked, answer = np.unique(numbers, return_index=True, return_inverse=True)
    query_offsets, positions = take_records(workload.offsets, asked)
    record_offsets, records = records_of_symbols(published.offsets, published.codes, len(symbols))
    expected, possible = containing_records(
        published.offsets,
        published.codes,
        symbols.sizes,
        record_offsets,
        records,
        holder_offsets,
        holders,
        query_offsets,
        workload.codes[positions],
    )
    return expected[answer], possible[answer]


def _holders(symbols: Symbols) -> tuple[Int64s, Int64s]:
    """The symbols that hold each code, ascending."""
    symbol_of_slot = np.repeat(np.arange(len(symbols)), symbols.sizes)
    counts = np.bincount(symbols.members, minlength=len(symbols.vocabulary))
    return offsets_of(counts), symbol_of_slot[np.argsort(symbols.members, kind="stable")]


class VisitQueryLoss(Metric):
    """Mean relative error of counting queries that are answered from the release."""

    name = "visit_query_loss"
    former_name = "average_relative_error"
    seeded = True
    measure = staticmethod(average_relative_error)
    figures = (
        Figure(
            "visit_query_loss",
            "Average relative error",
            "How far off counts of visits and of pairs of visits are when they are estimated from the release; 0 is "
            "exact, 1 is as large as the count itself.",
            abbreviation="ARE",
            rank=3,
            former_name="average_relative_error",
        ),
    )
