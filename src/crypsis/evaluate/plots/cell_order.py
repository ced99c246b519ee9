"""The order of published cells along their column: by the smallest value that they stand for, special cells last."""

from __future__ import annotations

from typing import Any

from crypsis.data.cells import Cell, CellKind
from crypsis.data.relational import PublishedColumn
from crypsis.data.values import Scalar, read_value

_LAST = {CellKind.ANY: 1, CellKind.MISSING: 2, CellKind.SUPPRESSED: 3}


def ordered_cells(column: PublishedColumn) -> list[int]:
    """Positions of the column's cells: ranges by lower end, then by upper end; `*`, `?` and `~` after all others."""
    listed = [column.cells[index] for index in range(len(column.cells))]
    texts = column.cells.texts
    return sorted(range(len(listed)), key=lambda place: _key(listed[place], column, texts[place]))


def _key(cell: Cell, column: PublishedColumn, text: str) -> tuple[Any, ...]:
    if cell.kind in _LAST:
        return (_LAST[cell.kind], ())
    if cell.kind == CellKind.NODE:
        held = _leaves(str(cell.members[0]), column)
        if held is None:
            return (0.5, (text,))  # what it stands for is not told
        return (0, (min(held), max(held), text))
    return (0, (min(cell.members), max(cell.members), text))


def _leaves(name: str, column: PublishedColumn) -> list[Scalar] | None:
    leaves = None if column.hierarchy is None else column.hierarchy.leaves.get(name)
    if not leaves:
        return None
    try:
        return [read_value(leaf, column.type) for leaf in leaves]
    except ValueError:
        return None
