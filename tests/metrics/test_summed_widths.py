"""Widths of many ranges are summed exactly, however values are written: held against fractions, range by range."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.cells import Cell, CellKind, Cells
from crypsis.metrics.certainty_penalty import on_number_line, summed_widths

VALUES = {
    "float": st.floats(allow_nan=False, allow_infinity=False),  # 1e-07 and 12.5 are written in two ways
    "int": st.integers(-(2**40), 2**40),
    "timestamp": st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
}


@pytest.mark.parametrize("type", VALUES)
@given(data=st.data())
def test_widths_are_those_of_single_ranges(type: str, data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.tuples(VALUES[type], VALUES[type]).map(sorted), min_size=1, max_size=20))
    ranges = [Cell(CellKind.RANGE, tuple(pair)) for pair in ends if pair[0] != pair[1]]
    cells = Cells.of(type, [*ranges, Cell(CellKind.VALUE, (ends[0][0],)), Cell(CellKind.ANY)])  # type: ignore[arg-type]
    counts = np.array(data.draw(st.lists(st.integers(0, 9), min_size=len(cells), max_size=len(cells))), np.int64)
    obvious = Fraction(0)
    for place, count in enumerate(counts.tolist()):
        if cells[place].kind == CellKind.RANGE:
            low, high = map(on_number_line, cells[place].members)
            obvious += count * (high - low)
    assert summed_widths(cells, counts) == obvious
