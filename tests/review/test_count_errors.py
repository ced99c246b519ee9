"""Counts estimated from published cells: all spans at once give what one cell after another gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell, CellKind, Cells
from crypsis.data.relational import Column, NodeLeaves, PublishedColumn
from crypsis.review.count_errors import _of_column

LEAVES = {"few": ("1", "2", "9"), "none": ("77",)}


@st.composite
def cells(draw: st.DrawFn) -> Cell:
    low, high = sorted((draw(st.integers(0, 12)), draw(st.integers(0, 12))))
    sets = Cell.set(draw(st.sets(st.integers(0, 12), min_size=1, max_size=3)))
    nodes = [Cell.node(name) for name in LEAVES]
    return draw(st.sampled_from([Cell.range(low, high), Cell.value(low), sets, ANY, MISSING, SUPPRESSED, *nodes]))


@given(st.lists(st.integers(0, 12), min_size=1, max_size=10), st.lists(cells(), min_size=1, max_size=10))
def test_all_spans_at_once_are_the_cells_one_after_another(values: list[int], drawn: list[Cell]) -> None:
    domain = sorted(set(values))
    codes = np.array([domain.index(value) for value in values], np.int32)
    column = Column("a", "int", "quasi", codes, pl.Series(domain, dtype=pl.Int64))
    distinct = list(dict.fromkeys(drawn))
    published_codes = np.array([distinct.index(cell) for cell in drawn], np.int32)
    hierarchy = NodeLeaves(LEAVES, 13)
    published = PublishedColumn("a", "quasi", published_codes, Cells.of("int", distinct), hierarchy)
    estimate = [0.0] * len(domain)
    for cell in drawn:
        for value in (held := _held(cell, domain)):
            estimate[domain.index(value)] += 1 / len(held)
    expected = [abs(estimate[at] - values.count(value)) / values.count(value) for at, value in enumerate(domain)]
    assert _of_column(column, published).tolist() == pytest.approx(expected, abs=1e-9)


def _held(cell: Cell, domain: list[int]) -> list[int]:
    members: Any = cell.members
    if cell.kind == CellKind.ANY:
        return domain
    if cell.kind == CellKind.RANGE:
        return [value for value in domain if members[0] <= value <= members[1]]
    if cell.kind == CellKind.NODE:
        return [value for value in domain if str(value) in LEAVES[members[0]]]
    return [value for value in domain if value in members]
