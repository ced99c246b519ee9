"""Widths of published cells against the span of what is published: a figure that needs no original.

0 when every cell is one value, 1 when every cell is as wide as its column. A range counts its width, a set its values,
each as a share of what the column's cells span together; `any` counts 1, a node the values that the release lists
below it. Suppressed records and missing values are left out. A column whose nodes are not told has no width.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.metrics.certainty_penalty import on_number_line


def published_widths(published: PublishedTable) -> dict[str, float]:
    """The mean width of each quasi-identifier, and of all that have one."""
    widths = {name: column_width(published.column(name)) for name in published.quasi}
    told = {name: width for name, width in widths.items() if width is not None}
    if not told:
        return {}
    mean = sum(told.values(), Fraction(0)) / len(told)
    return {"published_width": float(mean), **{f"published_width of {name}": float(told[name]) for name in told}}


def column_width(column: PublishedColumn) -> Fraction | None:
    """The mean over all cells that say something; None where some node is not told, or nothing is said."""
    cells = column.cells
    counts = np.bincount(column.codes, minlength=len(cells)).tolist()
    shown = [
        (cells[place], count)
        for place, count in enumerate(counts)
        if count and cells.kinds[place] not in (CellKind.MISSING, CellKind.SUPPRESSED)
    ]
    if not shown:
        return None
    ordered = column.type != "category"
    members = [member for cell, _ in shown if cell.kind != CellKind.NODE for member in cell.members]
    distinct = len(set(members))
    span = on_number_line(max(members)) - on_number_line(min(members)) if ordered and members else Fraction(0)
    total: Fraction = Fraction(0)
    for cell, count in shown:
        if cell.kind == CellKind.ANY:
            total += count
        elif cell.kind == CellKind.RANGE and span:
            low, high = map(on_number_line, cell.members)
            total += count * (high - low) / span
        elif cell.kind == CellKind.SET:
            total += count * Fraction(len(cell.members), max(distinct, 1))
        elif cell.kind == CellKind.NODE:
            if column.hierarchy is None:
                return None
            below = len(column.hierarchy.leaves.get(str(cell.members[0]), ()))
            total += count * Fraction(below if below > 1 else 0, max(column.hierarchy.total, 1))
    mean: Fraction = total / sum(count for _, count in shown)
    return mean
