"""Every record is published with its cell, whatever the cells and however many of them are the same."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.cells import SUPPRESSED, Cell, CellKind, write_cell
from crypsis.methods.relational.publishing import _CellBuilder
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers

_VALUES = [3, 5, 8, 13, 21]
_CELL = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(sorted)


@given(st.lists(_CELL, min_size=1, max_size=12), st.data())
def test_a_record_is_published_with_its_cell(cells: list[list[int]], data: st.DataObject) -> None:
    table = crypsis.Table(pl.DataFrame({"age": _VALUES}), quasi=["age"], each_row_is_a_person=True)
    (column,) = QuasiIdentifiers.of(table, None, None, "test").columns
    of_record = data.draw(st.lists(st.integers(-1, len(cells) - 1), min_size=1, max_size=20))
    builder = _CellBuilder(len(cells))
    builder.first = np.array([low for low, _ in cells])
    builder.second = np.array([high if low < high else 0 for low, high in cells])
    builder.kinds[[low < high for low, high in cells]] = CellKind.RANGE
    published = builder.column(column, np.array(of_record))
    expected = [
        SUPPRESSED if cell < 0 else Cell.range(_VALUES[cells[cell][0]], _VALUES[cells[cell][1]]) for cell in of_record
    ]
    assert published.texts().to_list() == list(map(write_cell, expected))
    assert len(published.cells) == len(set(expected))  # each once, and each occurs
    shown = [published.cells[place] for place in range(len(published.cells)) if expected.count(SUPPRESSED) == 0]
    assert shown == sorted(shown, key=lambda cell: (cell.kind, cell.members))
    assert published.cells.values.to_list() == sorted({value for cell in expected for value in cell.members})
