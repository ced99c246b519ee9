"""Published columns of rt vectors."""

from __future__ import annotations

import numpy as np

from crypsis.data.cells import Cell, CellKind, Cells
from crypsis.data.relational import NodeLeaves, PublishedColumn
from crypsis.hierarchy import Hierarchy


def cell_of(described, tree: Hierarchy | None) -> Cell:
    if described[0] == "range":
        return Cell.range(described[1], described[2])
    (name,) = described[1:]
    return Cell.value(name) if tree.leaves_below(name) == (name,) else Cell.node(name)


def published_column(name: str, type: str, cells: list[Cell], tree: Hierarchy | None) -> PublishedColumn:
    distinct = list(dict.fromkeys(cells))
    codes = np.array([distinct.index(cell) for cell in cells], np.int32)
    leaves = None
    if tree is not None:
        inner = [cell.members[0] for cell in distinct if cell.kind == CellKind.NODE]
        leaves = NodeLeaves({node: tree.leaves_below(node) for node in inner}, tree.n_leaves)
    return PublishedColumn(name, "quasi", codes, Cells.of(type, distinct), leaves)
