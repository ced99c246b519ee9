"""The type of a published column as its published values tell it, where nobody declared one.

The type that was guessed for a whole column tells what only suppressed records hold: one fraction among them makes all
numbers fractions, one word makes them texts. So a guess is made again from what is published.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import time
from operator import is_

import numpy as np
import polars as pl

from crypsis.arrays import Int8s
from crypsis.data.cells import CellKind, Cells
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.data.values import POLARS_TYPES, ColumnType, inferred_type, read_value, write_value

_EXACT = 2.0**53


def as_published(table: PublishedTable) -> PublishedTable:
    """The table with the types that its published cells tell, and cells written accordingly."""
    columns = tuple(map(_as_published, table.columns))
    return table if all(map(is_, columns, table.columns)) else replace(table, columns=columns)


def _as_published(column: PublishedColumn) -> PublishedColumn:
    cells = column.cells
    published = column.type if not column.guessed else told_type(column.type, cells.values, cells.kinds)
    return column if published == column.type else replace(column, cells=as_type(cells, published))


def as_type(cells: Cells, told: ColumnType) -> Cells:
    """The same cells written in another type."""
    if told == cells.type:
        return cells
    values = cells.values
    if not len(values):
        values = pl.Series([], dtype=POLARS_TYPES[told])
    elif cells.type == "category":
        values = pl.Series([read_value(text, told) for text in values.to_list()], dtype=POLARS_TYPES[told])
    else:
        values = values.cast(POLARS_TYPES[told])
    return Cells(told, cells.kinds, cells.offsets, cells.members, values, cells.nodes)


def told_type(type: ColumnType, values: pl.Series, kinds: Int8s) -> ColumnType:
    """The narrowest type of the published values; of texts, one that writes them as they are."""
    if not len(values):
        return "category"
    if type == "float" and bool(((values == values.round()) & (values.abs() < _EXACT)).all()):
        return "int"
    if type == "timestamp" and all(moment.time() == time() for moment in values.to_list()):
        return "date"
    if type == "category" and not np.isin(kinds, (CellKind.SET, CellKind.NODE)).any():
        inferred = inferred_type(values)
        texts = values.to_list()
        if inferred != "category" and all(_reads_back(text, inferred) for text in texts):
            return inferred
    return type


def _reads_back(text: str, type: ColumnType) -> bool:
    try:
        return write_value(read_value(text, type)) == text
    except ValueError:
        return False
