"""Random mixed data and an honest local recoding of it, as plain lists and as Crypsis objects.

A plain cell is ("value", v), ("range", low, high), ("node", name), ("set", values), ("missing",), ("any",) or
("suppressed",). Records of a class have the same cells and one recoding of their items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell, CellKind, Cells
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import NodeLeaves, PublishedColumn, PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions

TYPES = {"age": "int", "height": "float", "town": "category", "job": "category"}
LEAVES = {"North": ("Oslo", "Riga"), "South": ("Bari", "Rome"), "Any": ("Bari", "Oslo", "Riga", "Rome")}
VALUES: dict[str, list[Any]] = {
    "age": [*range(0, 9, 2), 9],
    "height": [1.5, 1.6, 1.75, 2.0],
    "town": [*LEAVES["Any"]],
    "job": ["judge", "nurse", "tailor"],
}
ITEMS = "abcde"


@dataclass(frozen=True)
class Generalized:
    """Row r has `values[r]` by column and `items[r]`; published are `cells[r]` and the symbols `shown[r]`."""

    values: list[dict[str, Any]]
    items: list[list[str]]
    cells: list[dict[str, tuple[Any, ...]]]
    shown: list[list[tuple[str, ...]]]
    classes: list[int]

    @property
    def original(self) -> Mixed:
        frame = pl.DataFrame(
            self.values, schema={"age": pl.Int64, "height": pl.Float64, "town": pl.String, "job": pl.String}
        )
        table = Table.from_frame(frame, dict.fromkeys(TYPES, "quasi"), TYPES)
        return Mixed(table, Transactions.from_lists(self.items), "items", ("items",))

    @property
    def published(self) -> PublishedMixed:
        columns = []
        for name, type in TYPES.items():
            cells = [_cell(row[name]) for row in self.cells]
            distinct = list(dict.fromkeys(cells))
            codes = np.array([distinct.index(cell) for cell in cells], np.int32)
            nodes = {str(cell.members[0]) for cell in distinct if cell.kind == CellKind.NODE}
            leaves = NodeLeaves({node: LEAVES[node] for node in nodes}, 4) if name == "town" else None
            columns.append(PublishedColumn(name, "quasi", codes, Cells.of(type, distinct), leaves))
        rows = [[symbol[0] if len(symbol) == 1 else list(symbol) for symbol in row] for row in self.shown]
        return PublishedMixed(PublishedTable(tuple(columns)), PublishedTransactions.from_lists(rows), "items")

    def domain(self, name: str) -> list[Any]:
        """The values that occur, in order."""
        return sorted({row[name] for row in self.values if row[name] is not None})


def _cell(plain: tuple[Any, ...]) -> Cell:
    kind, *members = plain
    signs = {"missing": MISSING, "any": ANY, "suppressed": SUPPRESSED}
    if kind in signs:
        return signs[kind]
    made = {"value": Cell.value, "range": Cell.range, "node": Cell.node}
    return Cell.set(members[0]) if kind == "set" else made[kind](*members)


@st.composite
def generalized(draw: st.DrawFn, max_rows: int = 10) -> Generalized:
    """Rows with missing values, empty sets and suppressed classes among them."""
    n_rows = draw(st.integers(1, max_rows))
    values = [{name: draw(st.sampled_from([*VALUES[name], None])) for name in TYPES} for _ in range(n_rows)]
    items = [sorted(draw(st.sets(st.sampled_from(ITEMS), max_size=4))) for _ in range(n_rows)]
    classes = [draw(st.integers(0, 2)) for _ in range(n_rows)]
    cells: list[dict[str, Any]] = [{} for _ in range(n_rows)]
    shown: list[list[tuple[str, ...]]] = [[] for _ in range(n_rows)]
    for one in sorted(set(classes)):
        rows = [row for row in range(n_rows) if classes[row] == one]
        suppressed = draw(st.integers(0, 5)) == 0
        for name in TYPES:
            cell = draw(_cells(name, [values[row][name] for row in rows]))
            for row in rows:
                cells[row][name] = ("suppressed",) if suppressed else cell
        symbol_of = {item: draw(st.integers(0, 2)) for item in ITEMS}
        for row in rows if not suppressed else ():
            groups = sorted({symbol_of[item] for item in items[row]})
            shown[row] = [tuple(item for item in ITEMS if symbol_of[item] == group) for group in groups]
    return Generalized(values, items, cells, shown, classes)


@st.composite
def _cells(draw: st.DrawFn, name: str, values: list[Any]) -> tuple[Any, ...]:
    """A cell that contains all values: the tightest one, or `any`."""
    known = sorted({value for value in values if value is not None})
    if len(known) and None in values:
        return ("any",)
    if not known:
        return ("missing",)
    if draw(st.integers(0, 5)) == 0:
        return ("any",)
    if len(known) == 1:
        return ("value", known[0])
    if TYPES[name] != "category":
        return ("range", known[0], known[-1])
    if name == "job":
        return ("set", tuple(known))
    return ("node", next(node for node in ("North", "South", "Any") if set(known) <= set(LEAVES[node])))
