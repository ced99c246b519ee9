"""Widths of published cells against the span of what is published: a figure that needs no original.

0 when every cell is one value, 1 when every cell is as wide as its column. A range counts its width, a set its values,
each as a share of what the column's cells span together; `any` counts 1, a node the values that the release lists
below it. Suppressed records and missing values are left out. A column whose nodes are not told has no width.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import cast

import numpy as np

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import occurring
from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.data.values import Scalar
from crypsis.metrics.certainty_penalty import on_number_line, summed_widths
from crypsis.metrics.figure import SHARE, Figure

_COUNTED = (CellKind.ANY, CellKind.SET, CellKind.NODE)  # beside ranges, which are summed together
WIDTH_FIGURES = (
    Figure(
        "published_width_loss",
        "Width of published cells",
        "Share of what its column shows in all that a published cell spans, averaged over the cells that are not "
        "suppressed, in the columns named below.",
        unit=SHARE,
        former_name="published_width",
    ),
)


def published_widths(published: PublishedTable) -> dict[str, float]:
    """The mean width of each quasi-identifier, and of all that have one."""
    return mean_widths({name: column_width(published.column(name)) for name in published.quasi})


def mean_widths(widths: Mapping[str, Fraction | None]) -> dict[str, float]:
    """The widths that there are, and their mean."""
    known = {name: width for name, width in widths.items() if width is not None}
    if not known:
        return {}
    mean = sum(known.values(), Fraction(0)) / len(known)
    return {
        "published_width_loss": float(mean),
        **{f"published_width_loss of {name}": float(known[name]) for name in known},
    }


def column_width(column: PublishedColumn, weights: Int64s | None = None) -> Fraction | None:
    """The mean over all cells that say something; None where some node is not told, or nothing is said.

    `weights` are the records that each row stands for, where it is more than one.
    """
    cells = column.cells
    counts = column.cell_counts
    if weights is not None:
        counts = np.zeros(len(cells), np.int64)
        np.add.at(counts, column.codes, weights)
    shown = (counts > 0) & ~np.isin(cells.kinds, (CellKind.MISSING, CellKind.SUPPRESSED))
    if not shown.any():
        return None
    with_values = np.repeat(shown & (cells.kinds != CellKind.NODE), np.diff(cells.offsets))
    values = cells.values.gather(occurring(cells.members[with_values], len(cells.values)))
    span = Fraction(0)
    if column.type != "category" and len(values):
        span = on_number_line(cast(Scalar, values.max())) - on_number_line(cast(Scalar, values.min()))
    total = summed_widths(cells, counts) / span if span else Fraction(0)
    distinct = max(values.n_unique(), 1)
    for index in np.flatnonzero(shown & np.isin(cells.kinds, _COUNTED)).tolist():
        count, cell = int(counts[index]), cells[index]
        if cell.kind == CellKind.ANY:
            total += count
        elif cell.kind == CellKind.SET:
            total += count * Fraction(len(cell.members), distinct)
        else:
            if column.hierarchy is None:
                return None
            below = len(column.hierarchy.leaves.get(str(cell.members[0]), ()))
            total += count * Fraction(below if below > 1 else 0, max(column.hierarchy.total, 1))
    return total / int(counts[shown].sum())
