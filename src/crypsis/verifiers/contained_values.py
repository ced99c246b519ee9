"""Which original values the cells of a published column contain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.values import write_value
from crypsis.errors import OriginalRequired


@dataclass(eq=False)
class ContainedValues:
    """One column: which original values each cell contains. Cell c holds codes low to high, or row `row[c]` of `table`.

    A missing value has the code -1; `missing[c]` tells whether a cell may stand for one. What the nodes of a hierarchy
    stand for that was made from the data is not published: then only the private report tells, and without it nothing
    can be compared.
    """

    published: PublishedColumn
    original: Column

    def __post_init__(self) -> None:
        cells, domain = self.published.cells, self.original.domain
        if self.published.hierarchy is None and (cells.kinds == CellKind.NODE).any():
            raise OriginalRequired(
                f"Column '{self.published.name}' shows nodes of a hierarchy that was made from the data. What they "
                "stand for is not published; give the private report that was written with the release "
                "(private_report='FILE')."
            )
        n_cells = len(cells)
        self.low, self.high = np.zeros(n_cells, np.int64), np.full(n_cells, -1, np.int64)
        self.row = np.full(n_cells, -1, np.int64)
        self.missing = np.isin(cells.kinds, (CellKind.MISSING, CellKind.ANY, CellKind.SUPPRESSED))
        everything = np.isin(cells.kinds, (CellKind.ANY, CellKind.SUPPRESSED))
        self.high[everything] = len(domain)
        left, right, ordered = _places(cells.values, domain) if len(domain) else (None, None, False)
        tables: list[Bools] = []
        places = {write_value(value): code for code, value in enumerate(domain.to_list())} if len(cells.nodes) else {}
        first = cells.offsets[:-1]
        ranged = np.isin(cells.kinds, (CellKind.VALUE, CellKind.RANGE) if ordered else (CellKind.VALUE,))
        if left is not None and right is not None and ranged.any():
            self.low[ranged] = left[cells.members[first[ranged]]]
            self.high[ranged] = right[cells.members[cells.offsets[1:][ranged] - 1]] - 1
        for cell in np.flatnonzero(np.isin(cells.kinds, (CellKind.SET, CellKind.NODE))).tolist():
            held = np.zeros(max(len(domain), 1), np.bool_)
            members = cells.members[cells.offsets[cell] : cells.offsets[cell + 1]]
            if cells.kinds[cell] == CellKind.NODE:
                hierarchy = self.published.hierarchy
                leaves = () if hierarchy is None else hierarchy.leaves.get(cells.nodes[int(members[0])], ())
                held[[places[leaf] for leaf in leaves if leaf in places]] = True
            elif left is not None and right is not None:
                known = right[members] > left[members]
                held[left[members][known]] = True
            self.row[cell] = len(tables)
            tables.append(held)
        self.table = np.stack(tables) if tables else np.zeros((0, max(len(domain), 1)), np.bool_)

    def in_place(self) -> Bools:
        """Whether each record's cell contains the record's own value."""
        cell, code = self.published.codes, self.original.codes
        low = self.low[cell]
        inside: Bools = low <= code
        inside &= code <= (low if np.array_equal(self.low, self.high) else self.high[cell])  # of one value each
        if len(self.table):
            looked_up = self.row[cell] >= 0
            inside[looked_up] = self.table[self.row[cell[looked_up]], code[looked_up]]
        absent = code < 0
        return np.where(absent, self.missing[cell], inside) if absent.any() else inside


def _places(values: pl.Series, domain: pl.Series) -> tuple[Int64s, Int64s, bool]:
    """How many values of the domain lie below each value, how many are not above it, and whether there is an order.

    Values of another type are compared as they are, never rounded to the type of the domain. What has no order in
    common is equal where its texts are, and no range of it contains anything.
    """
    if values.dtype == domain.dtype and values.equals(domain):  # the column was published as it was
        return np.arange(len(domain)), np.arange(1, len(domain) + 1), True
    if values.dtype != domain.dtype:
        if values.dtype.is_numeric() and domain.dtype.is_numeric():
            values, domain = values.cast(pl.Float64), domain.cast(pl.Float64)
        elif values.dtype.is_temporal() and domain.dtype.is_temporal():
            values, domain = values.cast(pl.Datetime("us")), domain.cast(pl.Datetime("us"))
        else:
            code = {write_value(value): index for index, value in enumerate(domain.to_list())}
            place = np.array([code.get(write_value(value), -1) for value in values.to_list()], np.int64)
            above = len(domain)
            return np.where(place < 0, above, place), np.where(place < 0, above, place + 1), False
    left = domain.search_sorted(values, side="left").to_numpy().astype(np.int64)
    right = domain.search_sorted(values, side="right").to_numpy().astype(np.int64)
    return left, right, True
