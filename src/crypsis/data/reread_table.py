"""A published table that was written and read again: whether its texts say what was written.

Texts that are the written ones, each of which reads as the cell that it was written for, make the table that was
written. So no text is looked up again, and what is known of the cells stays known. Of anything else nothing is said
here: then the table is made of its texts, as a recipient makes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import occurring
from crypsis.data.cells import CellKind, Cells
from crypsis.data.relational import NodeLeaves, PublishedColumn, PublishedTable
from crypsis.data.value_texts import values_of_texts
from crypsis.errors import BadRow


@dataclass(frozen=True, eq=False)
class WrittenTable:
    """The rows as they were written, and their texts, where both are still at hand."""

    table: PublishedTable
    texts: pl.DataFrame


def reread_table(
    frame: pl.DataFrame,
    written: PublishedTable,
    rows: Int64s,
    nodes: Mapping[str, Collection[str]],
    hierarchies: Mapping[str, NodeLeaves],
    kept: WrittenTable | None = None,
) -> PublishedTable | None:
    """These rows of the written table where the frame holds their texts and a reader understands them so, else None.

    `nodes` and `hierarchies` are what a reader is told beside the texts. `kept` are these rows as they were written;
    without them they are taken from the table once more.
    """
    if tuple(frame.columns) != written.names or len(frame) != len(rows):
        return None
    columns = []
    for column in written.columns:
        codes = column.codes[rows] if kept is None else kept.table.column(column.name).codes
        told = PublishedColumn(
            column.name, column.role, codes, column.cells, hierarchies.get(column.name), guessed=False
        )
        expected = told.texts() if kept is None else kept.texts[column.name]
        if not (_holds(frame[column.name], told, expected) and _is_understood(column, nodes.get(column.name, ()))):
            return None
        columns.append(told)
    if len(rows) == len(written) and len(occurring(rows, len(written))) == len(written):
        return written.with_order(rows, tuple(columns))
    return replace(written, columns=tuple(columns), person=None, in_input_order=False)


def _holds(texts: pl.Series, column: PublishedColumn, expected: pl.Series) -> bool:
    """Whether these are the texts that were expected of this column, each cell of which occurs."""
    return texts.dtype == pl.String and bool(column.cell_counts.all()) and texts.equals(expected)


def _is_understood(column: PublishedColumn, nodes: Collection[str]) -> bool:
    """Whether the texts of all cells are different, and a reader makes these cells of them."""
    cells = column.cells
    if int(cells.text_ranks.max(initial=-1)) + 1 < len(cells):
        return False
    if cells.type != "category" and not nodes and not (cells.kinds != CellKind.VALUE).any():
        used = np.bincount(cells.members, minlength=len(cells.values))
        ascending = bool((cells.values.slice(1) > cells.values.slice(0, max(len(cells.values) - 1, 0))).all())
        understood = values_of_texts(cells.text_series, cells.type)
        return ascending and bool(used.all()) and understood.equals(cells.values.gather(cells.members))
    try:
        read, place = Cells.parse(cells.type, cells.text_series, nodes, distinct=True)
    except BadRow:
        return False
    return (
        bool((place == np.arange(len(cells))).all())
        and np.array_equal(read.kinds, cells.kinds)
        and np.array_equal(read.offsets, cells.offsets)
        and np.array_equal(read.members, cells.members)
        and read.values.dtype == cells.values.dtype
        and read.values.equals(cells.values)
        and read.nodes.equals(cells.nodes)
    )
