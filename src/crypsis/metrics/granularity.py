"""Granularity: how fine the published cells still are, as a share of how fine they could be.

1 when nothing is generalized, 0 when nothing is said. A cell over n out of N values keeps 1 - (n - 1) / (N - 1) of its
granularity; a range keeps 1 - its width over that of the column. `any` and suppressed records keep nothing, a missing
value all of it. Unlike NCP two values joined out of two are a total loss, and two out of a hundred a hundredth.

Iyengar. Transforming data to satisfy privacy constraints. ACM KDD 2002, 279-288: loss metric.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.errors import NotApplicable
from crypsis.metrics.exact_sums import mean, weighted_mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class Granularity:
    """What is kept, of all quasi-identifiers and of each."""

    total: float
    by_column: dict[str, float]

    def figures(self) -> dict[str, float]:
        return {
            "granularity_score": self.total,
            **{f"granularity_score of {name}": kept for name, kept in self.by_column.items()},
        }


def granularity_score(original: Table, published: PublishedTable) -> Granularity:
    """Mean over all records and quasi-identifiers; each column counts alike."""
    columns = original.with_role("quasi")
    if not columns:
        raise NotApplicable("The table has no quasi-identifier, so nothing can be generalized.")
    by_column = {}
    for column in columns:
        shown = published.column(column.name)
        counts = shown.cell_counts
        by_column[column.name] = weighted_mean(kept_by_cells(shown, column), counts) if len(shown) else 1.0
    return Granularity(mean(np.array(list(by_column.values()))), by_column)


def kept_by_cells(column: PublishedColumn, original: Column) -> Float64s:
    """What each distinct cell of a column keeps of its granularity."""
    cells = column.cells
    kept = np.ones(len(cells))
    kept[np.isin(cells.kinds, (CellKind.ANY, CellKind.SUPPRESSED))] = 0.0
    values = len(original.domain) if column.hierarchy is None else column.hierarchy.total
    sets = cells.kinds == CellKind.SET
    kept[sets] = _kept(np.diff(cells.offsets)[sets], values)
    ranges = np.flatnonzero(cells.kinds == CellKind.RANGE)
    if len(ranges):
        keys = cells.values.to_physical().to_numpy().astype(np.float64)
        widths = keys[cells.members[cells.offsets[ranges] + 1]] - keys[cells.members[cells.offsets[ranges]]]
        whole = float(original.keys[-1] - original.keys[0]) if len(original.keys) else 0.0
        kept[ranges] = 1.0 - np.minimum(widths / whole, 1.0) if whole else 1.0
    for index in np.flatnonzero(cells.kinds == CellKind.NODE).tolist():
        name = cells.nodes[int(cells.members[cells.offsets[index]])]
        leaves = () if column.hierarchy is None else column.hierarchy.leaves.get(name, ())
        if not leaves:
            raise NotApplicable(
                f"Column '{column.name}' says {name!r}, and the release does not tell which values that stands for."
            )
        kept[index] = _kept(np.array([len(leaves)]), values)[0]
    return kept


def _kept(sizes: np.ndarray[tuple[int], np.dtype[np.int64]], values: int) -> Float64s:
    return 1.0 - np.minimum((sizes - 1) / max(values - 1, 1), 1.0)


class GranularityScore(Metric):
    """How fine the published cells still are, of all columns and of each; 1 is as fine as collected."""

    name = "granularity_score"
    measure = staticmethod(granularity_score)
    figures = (
        Figure(
            "granularity_score",
            "Granularity",
            "How fine the published cells still are: 1 is as fine as collected, 0 says nothing.",
            unit=SHARE,
        ),
    )
