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
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.cells import Cell, CellKind, Cells
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.value_texts import value_texts
from crypsis.data.values import Scalar
from crypsis.errors import NotApplicable
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric

_EPOCH = datetime(1970, 1, 1)
_FIRST_ORDINAL = _EPOCH.toordinal()
_MOST_DIGITS = 18  # of a whole number in 64 bits
_HALF = 32
_MOST_WEIGHT = 1 << 31  # so that halves times weights stay below 2^63
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
    cells = [(original.column(name), published.column(name), None) for name in original.quasi]
    return ncp_of_columns(cells, weights)


def ncp_of_columns(
    columns: Sequence[tuple[Column, PublishedColumn, Int64s | None]], weights: Sequence[Fraction] | None = None
) -> CertaintyPenalty:
    """The same of quasi-identifiers, each original beside published. Where a published row stands for several records,
    their numbers are the third entry; of the original only the values are looked at."""
    if not columns:
        raise NotApplicable("The table has no quasi-identifier, so nothing can be lost.")
    shares = weights or [Fraction(1, len(columns))] * len(columns)
    by_column = {original.name: _column_loss(original, published, records) for original, published, records in columns}
    total = sum((share * loss for share, loss in zip(shares, by_column.values(), strict=True)), Fraction(0))
    return CertaintyPenalty(total, by_column)


def _column_loss(original: Column, column: PublishedColumn, records: Int64s | None) -> Fraction:
    cells, width = column.cells, _width(original)
    counts = np.zeros(len(cells), np.int64)
    np.add.at(counts, column.codes, 1 if records is None else records)
    total = summed_widths(cells, counts) / width if width else Fraction(0)
    for index in np.flatnonzero((counts > 0) & ~np.isin(cells.kinds, _WITHOUT_LOSS)).tolist():
        total += int(counts[index]) * _loss(cells[index], column, len(original.domain))
    return total / max(int(counts.sum()), 1)


def summed_widths(cells: Cells, counts: Int64s) -> Fraction:
    """The widths of all ranges together, exactly; each counts as often as `counts` says.

    Every bound is looked at once, however many ranges it ends.
    """
    ranges = np.flatnonzero((cells.kinds == CellKind.RANGE) & (counts > 0))
    weights = np.zeros(len(cells.values), np.int64)
    np.add.at(weights, cells.members[cells.offsets[ranges] + 1], counts[ranges])
    np.subtract.at(weights, cells.members[cells.offsets[ranges]], counts[ranges])
    used = np.flatnonzero(weights)
    weights, values = weights[used], cells.values.gather(used)
    if cells.type in ("int", "date", "timestamp"):
        start = _FIRST_ORDINAL * int(weights.sum()) if cells.type == "date" else 0
        return Fraction(start + _weighted_sum(values.to_physical().to_numpy().astype(np.int64), weights))
    return _weighted_decimals(values, weights)


def _weighted_decimals(values: pl.Series, weights: Int64s) -> Fraction:
    """The sum of fractions as they are written: those with as many digits after the point are summed without it."""
    texts = value_texts(values)
    digits = texts.str.replace(".", "", literal=True)
    # an exponent, or more digits than a whole number has
    unusual = (digits.str.len_bytes() > _MOST_DIGITS) | texts.str.contains("e", literal=True)
    behind = texts.str.len_bytes() - texts.str.find(".", literal=True).fill_null(0) - 1
    after = behind.cast(pl.Int64).set(unusual, -1).to_numpy()
    total = sum(
        (
            weight * on_number_line(value)
            for value, weight in zip(values.filter(unusual).to_list(), weights[after < 0].tolist(), strict=True)
        ),
        Fraction(0),
    )
    whole = digits.set(unusual, "0").cast(pl.Int64).to_numpy()
    for places in np.unique(after[after >= 0]).tolist():
        chosen = after == places
        total += Fraction(_weighted_sum(whole[chosen], weights[chosen]), 10**places)
    return total


def _weighted_sum(values: Int64s, weights: Int64s) -> int:
    """The exact sum of products, in halves that cannot overflow."""
    if int(np.abs(weights).sum()) >= _MOST_WEIGHT:
        return sum(map(mul, values.tolist(), weights.tolist()))
    return (int(np.dot(values >> _HALF, weights)) << _HALF) + int(np.dot(values & ((1 << _HALF) - 1), weights))


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
