"""Normalized certainty penalty: the share of its column that a published cell may stand for.

0 when nothing is generalized, 1 when everything is; lower is better. A range counts its width, a node of a hierarchy
its leaves, a set its values, each as a share of the column; `any` and suppressed records count 1, single and missing
values 0.

Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. ACM KDD 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

import numpy as np

from crypsis.data.cells import Cell, CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import Scalar
from crypsis.errors import NotApplicable

_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class CertaintyPenalty:
    """The loss of the table and of each quasi-identifier, as exact fractions."""

    total: Fraction
    by_column: dict[str, Fraction]

    def figures(self) -> dict[str, float]:
        return {
            "ncp_loss": float(self.total),
            **{f"ncp_loss of {name}": float(loss) for name, loss in self.by_column.items()},
        }


def ncp_loss(
    original: Table | Mixed, published: PublishedTable | PublishedMixed, weights: Sequence[Fraction] | None = None
) -> CertaintyPenalty:
    """Mean over all original records; the columns count alike unless weights that sum to 1 are given."""
    if isinstance(original, Mixed) and isinstance(published, PublishedMixed):
        original, published = original.table, published.table
    if not isinstance(original, Table) or not isinstance(published, PublishedTable):
        raise NotApplicable(f"ncp_loss speaks of the cells of a table, got {type(published).__name__}.")
    names = original.quasi
    if not names:
        raise NotApplicable("The table has no quasi-identifier, so nothing can be lost.")
    shares = weights or [Fraction(1, len(names))] * len(names)
    by_column = {name: _column_loss(original.column(name), published) for name in names}
    total = sum((share * loss for share, loss in zip(shares, by_column.values(), strict=True)), Fraction(0))
    return CertaintyPenalty(total, by_column)


def _column_loss(original: Column, published: PublishedTable) -> Fraction:
    column = published.column(original.name)
    counts = np.bincount(column.codes, minlength=len(column.cells)).tolist()
    losses = cell_losses(original, column)
    total = sum((count * loss for count, loss in zip(counts, losses, strict=True) if count), Fraction(0))
    return total / max(len(published), 1)


def cell_losses(original: Column, column: PublishedColumn) -> list[Fraction]:
    """The loss of each of a column's cells."""
    listed = [column.cells[place] for place in range(len(column.cells))]
    if original.type == "category" or not len(original.domain):
        width = Fraction(0)
    else:
        width = on_number_line(original.domain[-1]) - on_number_line(original.domain[0])
    return [_loss(cell, column, width, len(original.domain)) for cell in listed]


def _loss(cell: Cell, column: PublishedColumn, width: Fraction, values: int) -> Fraction:
    if cell.kind in (CellKind.VALUE, CellKind.MISSING):
        return Fraction(0)
    if cell.kind == CellKind.RANGE:
        low, high = map(on_number_line, cell.members)
        return (high - low) / width if width else Fraction(0)
    if cell.kind == CellKind.SET:
        total = values if column.hierarchy is None else column.hierarchy.total
        return Fraction(len(cell.members), total)
    if cell.kind == CellKind.NODE:
        if column.hierarchy is None:
            raise NotApplicable(
                f"Column '{column.name}' holds nodes of a hierarchy, and the release does not say what they stand for."
            )
        below = len(column.hierarchy.leaves[str(cell.members[0])])
        return Fraction(below if below > 1 else 0, column.hierarchy.total)
    return Fraction(1)


def on_number_line(value: Scalar) -> Fraction:
    """A value on the number line: days for dates, microseconds for timestamps, decimals as they are written."""
    if isinstance(value, datetime):
        gap = value - _EPOCH
        return Fraction((gap.days * 86_400 + gap.seconds) * 1_000_000 + gap.microseconds)
    if isinstance(value, date):
        return Fraction(value.toordinal())
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
