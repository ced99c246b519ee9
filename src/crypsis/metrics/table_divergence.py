"""Kullback-Leibler divergence between the original records and what the release says about them.

p counts the distinct combinations of original quasi-identifiers; q spreads every class evenly over all points of its
box: whole numbers or days of a range, leaves of a node, values of a set, 64 equal cells of a column of decimals.
Suppressed records are spread over the whole domain. Where a column has missing values, `?` is one more point of it.

Kifer, Gehrke. Injecting utility into anonymized datasets. ACM SIGMOD 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.data.cells import Cell, CellKind
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import write_value
from crypsis.errors import NotApplicable
from crypsis.kernels.box_shares import point_shares
from crypsis.kernels.row_classes import row_classes
from crypsis.metrics.exact_sums import total
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric

DECIMAL_CELLS = 64


def table_kl_divergence_loss(original: Table, published: PublishedTable) -> float:
    """The divergence in nats; 0 means equal, lower is better."""
    names = original.quasi
    if not names:
        raise NotApplicable("The table has no quasi-identifier, so nothing can diverge.")
    if len(original) != len(published) or not len(original):
        raise NotApplicable("The divergence compares a release with all original records, and at least one.")
    axes = [_Axis(original.column(name), published.column(name)) for name in names]
    points = np.stack([axis.points for axis in axes], axis=1)
    point_of, first = row_classes(np.ascontiguousarray(points.astype(np.int32)))
    p = np.bincount(point_of, minlength=len(first)) / len(original)

    kept = np.ascontiguousarray(published.quasi_codes()[~published.suppressed])
    class_of, first_of_class = row_classes(kept)
    classes = kept[first_of_class].astype(np.int64)
    shares = np.bincount(class_of, minlength=len(first_of_class)) / len(original)
    for index, axis in enumerate(axes):
        shares = shares / axis.volume[classes[:, index]]
    starts = np.cumsum([0, *(len(axis.low) for axis in axes)])[:-1]
    tables, rows = _joined(axes)
    q = point_shares(
        points[first].astype(np.int64),
        classes + starts,
        shares,
        np.concatenate([axis.low for axis in axes]),
        np.concatenate([axis.high for axis in axes]),
        rows,
        tables,
    )
    suppressed = np.count_nonzero(published.suppressed) / len(original)
    q += suppressed / np.prod([float(axis.whole) for axis in axes])
    if (q <= 0).any():
        raise NotApplicable(
            f"{np.count_nonzero(q <= 0):,} combinations of original values lie in no published class, so the "
            "divergence is infinite: the release is not one of these data."
        )
    return max(total(p * np.log(p / q)), 0.0)


@dataclass
class _Axis:
    """One column: the point of every record, and what its cells hold. The missing value is the last point."""

    original: Column
    published: PublishedColumn

    def __post_init__(self) -> None:
        column = self.original
        self.is_decimal = column.type in ("float", "timestamp")
        codes = column.codes.astype(np.int64)
        if self.is_decimal and len(column.domain):
            self.cell_of_code = _decimal_cells(column)
            self.size = DECIMAL_CELLS
            points = self.cell_of_code[codes]
        else:
            self.size = len(column.domain)
            points = codes
        self.points: Int64s = np.where(codes < 0, self.size, points)
        self.whole = self._domain() + (column.missing > 0)
        self._place = {value: index for index, value in enumerate(column.domain.to_list())}
        listed = [self.published.cells[index] for index in range(len(self.published.cells))]
        self.low, self.high = np.zeros(len(listed), np.int64), np.full(len(listed), -1, np.int64)
        self.volume: Float64s = np.ones(len(listed))
        self.members: dict[int, Bools] = {}
        for slot, cell in enumerate(listed):
            self._describe(slot, cell)

    def _domain(self) -> int:
        """Points of the whole column, missing ones not counted."""
        column = self.original
        if self.published.hierarchy is not None:
            return self.published.hierarchy.total
        if column.type in ("int", "date") and len(column.domain):
            return int(column.keys[-1]) - int(column.keys[0]) + 1
        return max(self.size, 1)

    def _describe(self, number: int, cell: Cell) -> None:
        if cell.kind == CellKind.MISSING:
            self.low[number] = self.high[number] = self.size
        elif cell.kind == CellKind.ANY:
            self.low[number], self.high[number], self.volume[number] = 0, self.size, self.whole
        elif cell.kind in (CellKind.VALUE, CellKind.RANGE):
            self._describe_range(number, cell)
        elif cell.kind in (CellKind.NODE, CellKind.SET):
            self._describe_members(number, cell)

    def _describe_range(self, number: int, cell: Cell) -> None:
        column = self.original
        numbers = column.domain.to_list()
        low, high = self._place.get(cell.members[0]), self._place.get(cell.members[-1])
        if low is None or high is None:  # an end that does not occur: the values between
            inside = [index for index, value in enumerate(numbers) if cell.members[0] <= value <= cell.members[-1]]
            if not inside:
                return
            low, high = inside[0], inside[-1]
        self.low[number], self.high[number] = low, high
        if self.is_decimal:
            self.low[number], self.high[number] = self.cell_of_code[low], self.cell_of_code[high]
            self.volume[number] = self.high[number] - self.low[number] + 1
        elif column.type in ("int", "date"):
            self.volume[number] = int(column.keys[high]) - int(column.keys[low]) + 1

    def _describe_members(self, number: int, cell: Cell) -> None:
        held = np.zeros(self.size + 1, np.bool_)
        if cell.kind == CellKind.SET:
            held[[self._place[member] for member in cell.members if member in self._place]] = True
            self.volume[number] = len(cell.members)
        else:
            if self.published.hierarchy is None:
                raise NotApplicable(f"The release does not say what the nodes of column '{self.original.name}' hold.")
            leaves = set(self.published.hierarchy.leaves[str(cell.members[0])])
            held[[index for value, index in self._place.items() if write_value(value) in leaves]] = True
            self.volume[number] = len(leaves)
        self.members[number] = held


def _decimal_cells(column: Column) -> Int64s:
    keys = column.keys.astype(np.float64)
    width = keys[-1] - keys[0]
    if width == 0:
        return np.zeros(len(keys), np.int64)
    cells: Int64s = np.minimum((keys - keys[0]) / width * DECIMAL_CELLS, DECIMAL_CELLS - 1).astype(np.int64)
    return cells


def _joined(axes: list[_Axis]) -> tuple[Bools, Int64s]:
    """All tables of members as rows of one, and the row of each cell, -1 for a range."""
    width = max(axis.size for axis in axes) + 1
    tables: list[Bools] = []
    rows = []
    for axis in axes:
        row_of = np.full(len(axis.low), -1, np.int64)
        for index, held in axis.members.items():
            row_of[index] = len(tables)
            tables.append(np.pad(held, (0, width - len(held))))
        rows.append(row_of)
    return np.stack(tables) if tables else np.zeros((0, width), np.bool_), np.concatenate(rows)


class TableKLDivergenceLoss(Metric):
    """Divergence between the original combinations of quasi-identifiers and those that the release allows."""

    name = "table_kl_divergence_loss"
    default = False
    measure = staticmethod(table_kl_divergence_loss)
    figures = (
        Figure(
            "table_kl_divergence_loss",
            "Kullback-Leibler divergence",
            "How unlike the original combinations of quasi-identifiers are to those that the release allows, in nats.",
            abbreviation="KL",
        ),
    )
