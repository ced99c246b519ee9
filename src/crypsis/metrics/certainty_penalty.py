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
from operator import mul

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.cells import Cell, CellKind, Cells
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import Scalar
from crypsis.errors import NotApplicable
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric

_EPOCH = datetime(1970, 1, 1)
_FIRST_ORDINAL = _EPOCH.toordinal()
_WITHOUT_LOSS = (CellKind.VALUE, CellKind.MISSING, CellKind.RANGE)  # ranges are summed together


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
    cells, width = column.cells, _width(original)
    counts = np.bincount(column.codes, minlength=len(cells)).astype(np.int64)
    total = summed_widths(cells, counts) / width if width else Fraction(0)
    for index in np.flatnonzero((counts > 0) & ~np.isin(cells.kinds, _WITHOUT_LOSS)).tolist():
        total += int(counts[index]) * _loss(cells[index], column, len(original.domain))
    return total / max(len(published), 1)


def summed_widths(cells: Cells, counts: Int64s) -> Fraction:
    """The widths of all ranges together, exactly; each counts as often as `counts` says.

    Every bound is looked at once, however many ranges it ends.
    """
    ranges = np.flatnonzero((cells.kinds == CellKind.RANGE) & (counts > 0))
    weights = np.zeros(len(cells.values), np.int64)
    np.add.at(weights, cells.members[cells.offsets[ranges] + 1], counts[ranges])
    np.subtract.at(weights, cells.members[cells.offsets[ranges]], counts[ranges])
    used = np.flatnonzero(weights)
    if cells.type in ("int", "date", "timestamp"):
        physical = cells.values.gather(used).to_physical().to_list()
        start = _FIRST_ORDINAL * int(weights[used].sum()) if cells.type == "date" else 0
        return Fraction(start + sum(map(mul, physical, weights[used].tolist())))
    total = Fraction(0)
    decimals: dict[int, int] = {}  # digits after the point: sum without the point
    for value, weight in zip(cells.values.gather(used).to_list(), weights[used].tolist(), strict=True):
        text = repr(value) if isinstance(value, float) else ""
        if text and "e" not in text:
            before, _, after = text.partition(".")
            decimals[len(after)] = decimals.get(len(after), 0) + weight * int(before + after)
        else:
            total += weight * on_number_line(value)
    return sum((Fraction(value, 10**digits) for digits, value in decimals.items()), total)


def _width(original: Column) -> Fraction:
    """From the lowest to the highest value of a column."""
    if original.type == "category" or not len(original.domain):
        return Fraction(0)
    return on_number_line(original.domain[-1]) - on_number_line(original.domain[0])


def _loss(cell: Cell, column: PublishedColumn, values: int) -> Fraction:
    """The loss of a cell that is neither one value nor a range."""
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


class NCPLoss(Metric):
    """Share of its column that a published cell may stand for, of all columns and of each."""

    name = "ncp_loss"
    accepts = (Table, Mixed)
    reads = (PublishedTable, PublishedMixed)
    measure = staticmethod(ncp_loss)
    figures = (
        Figure(
            "ncp_loss",
            "Normalized certainty penalty",
            "Share of its column that a published cell may stand for, averaged over all cells of the "
            "quasi-identifiers; suppressed records count as lost.",
            unit=SHARE,
            abbreviation="NCP",
            rank=1,
        ),
    )
