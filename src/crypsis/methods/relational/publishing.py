"""From classes or cuts to a published table: the cells of the quasi-identifiers, everything else as it is.

A suppressed record is suppressed in every column. Identifiers are left out. Rows stay where they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of
from crypsis.arrays.row_ranks import occurring
from crypsis.data.cells import Cell, CellKind, Cells, parse_cell, write_cell
from crypsis.data.relational import Column, NodeLeaves, PublishedColumn, PublishedTable, Table
from crypsis.data.values import read_value
from crypsis.errors import BadRow
from crypsis.hierarchy.balanced_values import is_numbered
from crypsis.kernels.attribute_costs import NUMBERS, TREE, Attributes
from crypsis.kernels.class_cells import NONE, ClassCells
from crypsis.kernels.common_nodes import common_nodes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifier, QuasiIdentifiers


def published_classes(
    quasi: QuasiIdentifiers, cells: ClassCells, class_of: Int64s, nodes: Sequence[Int64s] | None = None
) -> PublishedTable:
    """Every record with the tightest cell of its class; class -1 is suppressed.

    Where these are some records of many, `nodes` are those that are published of all, by column: names follow them.
    """
    columns = {}
    for index, column in enumerate(quasi.columns):
        tight = _tight_cells(column, quasi.attributes, index, cells, class_of >= 0)
        columns[column.column.name] = tight.column(column, class_of, None if nodes is None else nodes[index])
    return _with_the_rest(quasi.table, columns, class_of < 0)


def nodes_of_classes(quasi: QuasiIdentifiers, cells: ClassCells) -> list[Int64s]:
    """The nodes that the cells of these classes are published as, by column."""
    runs = []
    for index, column in enumerate(quasi.columns):
        tight = _tight_cells(column, quasi.attributes, index, cells, np.zeros(0, np.bool_))
        runs.append(np.unique(tight.first[tight.kinds == CellKind.NODE]))
    return runs


def published_nodes(quasi: QuasiIdentifiers, nodes: Sequence[Int32s], suppressed: Bools) -> PublishedTable:
    """Every value as the node that it is cut at; the last entry of each array is for missing values.

    A node number beyond the tree means `missing`. Where a published record lacks the value the root is `any`.
    """
    columns = {}
    for one, node_of_value in zip(quasi.columns, nodes, strict=True):
        shown = _shown_leaves(one, ~suppressed)
        may_lack = bool((one.column.codes[~suppressed] < 0).any())
        builder = _node_cells(one, node_of_value.astype(np.int64), shown, root_is_any=may_lack)
        which = np.where(suppressed, -1, one.column.codes.astype(np.int64) % len(node_of_value))
        columns[one.column.name] = builder.column(one, which)
    return _with_the_rest(quasi.table, columns, suppressed)


_LENGTHS = np.zeros(len(CellKind), np.int64)
_LENGTHS[[CellKind.VALUE, CellKind.NODE, CellKind.RANGE]] = 1, 1, 2


class _CellBuilder:
    """Cells given as kind and two members each; members of sets are added at the end."""

    def __init__(self, n_cells: int) -> None:
        self.kinds = np.full(n_cells, CellKind.VALUE, np.int64)
        self.first = np.zeros(n_cells, np.int64)
        self.second = np.zeros(n_cells, np.int64)
        self.sets: list[Int64s] = []  # members of the set whose number is `first`
        self.shown = np.zeros(0, np.int64)  # places of the leaves that published records have

    def column(self, one: QuasiIdentifier, cell_of_record: Int64s, all_nodes: Int64s | None = None) -> PublishedColumn:
        """The published column; record -1 is suppressed. `all_nodes` are published, here or elsewhere."""
        present = cell_of_record >= 0
        shown = cell_of_record if present.all() else cell_of_record[present]
        occurs = occurring(shown, len(self.first))
        if all_nodes is None:
            all_nodes = np.unique(self.first[occurs[self.kinds[occurs] == CellKind.NODE]])
        names = self._names_of_nodes(one, all_nodes)
        chosen, number = self._distinct()
        used = occurring(number[occurs], len(chosen))
        place = np.full(len(chosen), len(used), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        code_of_cell = np.append(place[number], np.int32(len(used)))  # the last one is that of a suppressed record
        codes = code_of_cell.take(cell_of_record)
        chosen = chosen[used]
        kinds, first, second = self.kinds[chosen], self.first[chosen], self.second[chosen]
        lengths = _LENGTHS[kinds]
        is_set = np.flatnonzero(kinds == CellKind.SET)
        lengths[is_set] = [len(self.sets[index]) for index in first[is_set].tolist()]
        offsets = offsets_of(lengths)
        members = np.empty(offsets[-1], np.int64)
        has_first = np.isin(kinds, (CellKind.VALUE, CellKind.NODE, CellKind.RANGE))
        members[offsets[:-1][has_first]] = first[has_first]
        ranged = kinds == CellKind.RANGE
        members[offsets[:-1][ranged] + 1] = second[ranged]
        for cell in is_set.tolist():
            members[offsets[cell] : offsets[cell + 1]] = self.sets[int(first[cell])]
        values, nodes, flat = _compacted(one, np.repeat(kinds == CellKind.NODE, lengths), members, names)
        if len(shown) < len(present):
            kinds, offsets = np.append(kinds, CellKind.SUPPRESSED), np.append(offsets, offsets[-1])
        cells = Cells(one.column.type, kinds.astype(np.int8), offsets, flat, values, nodes)
        return PublishedColumn(one.column.name, "quasi", codes, cells, _leaves(one, nodes, names), one.column.guessed)

    def _distinct(self) -> tuple[Int64s, Int64s]:
        """One of each distinct cells, in order, and which of them every cell is."""
        width = max(int(self.first.max(initial=0)), int(self.second.max(initial=0))) + 1
        keys = (self.kinds * width + self.first) * width + self.second
        order = np.argsort(keys)
        ascending = keys[order]
        begins = np.ones(len(keys), np.bool_)
        np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
        number = np.empty(len(keys), np.int64)
        number[order] = np.cumsum(begins) - 1
        return order[begins], number

    def _names_of_nodes(self, one: QuasiIdentifier, nodes: Int64s) -> dict[int, str]:
        """What these nodes are called.

        Nodes that were numbered by where they stand among all values would tell how many there are, suppressed ones
        too. They are numbered again, by the first published value below them; those over the same published values
        become one, and the one over all of them is called like the root.
        """
        tree = one.tree
        if tree is None:
            return {}
        is_node = self.kinds == CellKind.NODE
        called = [tree.names[node] for node in nodes.tolist()]
        numbered = is_numbered(tree)
        if tree.declared or not (numbered or any(name.startswith("[") for name in called)):
            return dict(zip(nodes.tolist(), called, strict=True))
        low = np.searchsorted(self.shown, tree.first_leaf[nodes]).tolist()
        high = np.searchsorted(self.shown, tree.last_leaf[nodes], side="right").tolist()
        labels = tree.leaf_labels
        below = [
            tuple(sorted(labels[index] for index in self.shown[i:j].tolist())) for i, j in zip(low, high, strict=True)
        ]
        if numbered:
            told = _numbered_anew(below, len(self.shown), tree.root)
        else:
            told = [_narrow_name(name, values) for name, values in zip(called, below, strict=True)]
        names: dict[str, int] = {}
        for node, name in zip(nodes.tolist(), told, strict=True):  # in preorder the uppermost comes first
            if names.setdefault(name, node) != node:
                self.first[is_node & (self.first == node)] = names[name]
        return {node: name for name, node in names.items()}


def _numbered_anew(below: Sequence[tuple[str, ...]], n_shown: int, root: str) -> list[str]:
    """A name for each node by the published values below it: the same values have the same name, all the root's."""
    distinct = sorted(set(below), key=lambda values: (values[0], len(values)))
    numbers = count(1)
    names = {values: root if len(values) == n_shown else f"#{next(numbers)}" for values in distinct}
    return [names[values] for values in below]


def _narrow_name(name: str, labels: Sequence[str]) -> str:
    """A name that is a range of numbers or dates, as the range of the published ones below it; any other as it is."""
    for type in ("int", "float", "date", "timestamp"):
        try:
            if parse_cell(name, type, ()).kind != CellKind.RANGE:
                return name
            values = [read_value(label, type) for label in labels]
        except (BadRow, ValueError):
            continue
        return write_cell(Cell.range(min(values), max(values)))
    return name


def _compacted(
    one: QuasiIdentifier, is_node: Bools, flat: Int64s, names_of: Mapping[int, str]
) -> tuple[pl.Series, pl.Series, Int32s]:
    """The values and node names that occur in cells, and every member as its place among them."""
    plain = flat[~is_node]
    values = occurring(plain, int(plain.max(initial=-1)) + 1)
    place = np.zeros(int(plain.max(initial=-1)) + 1, np.int32)
    place[values] = np.arange(len(values), dtype=np.int32)
    placed = np.empty(len(flat), np.int32)
    placed[~is_node] = place[plain]
    names: list[str] = []
    if is_node.any():
        wanted = [names_of[node] for node in flat[is_node].tolist()]
        names = sorted(set(wanted))
        at = {name: index for index, name in enumerate(names)}
        placed[is_node] = [at[name] for name in wanted]
    source = one.tree.values if one.tree is not None and one.tree.values is not None else one.column.domain
    return source.gather(values), pl.Series(names, dtype=pl.String), placed


def _leaves(one: QuasiIdentifier, nodes: pl.Series, names_of: Mapping[int, str]) -> NodeLeaves | None:
    if one.tree is None or one.tree.of_values:
        return None
    called = {name: one.tree.names[node] for node, name in names_of.items()}
    leaves = {name: one.tree.leaves_below(called[name]) for name in nodes.to_list()}
    return NodeLeaves(leaves, one.tree.n_leaves, one.tree.declared)


def _tight_cells(
    one: QuasiIdentifier, attributes: Attributes, place: int, cells: ClassCells, kept: Bools
) -> _CellBuilder:
    low, high = cells.low[:, place].astype(np.int64), cells.high[:, place].astype(np.int64)
    absent = cells.absent[:, place]
    empty = low == NONE
    if one.kind == TREE:
        nodes = common_nodes(attributes, place, cells.low[:, place], cells.high[:, place])
        made = _node_cells(one, nodes.astype(np.int64), _shown_leaves(one, kept), root_is_any=False)
    else:
        made = _CellBuilder(len(low))
        made.first = np.where(empty, 0, low)
        if one.kind == NUMBERS:
            made.second = np.where(low < high, high, 0)
            made.kinds[low < high] = CellKind.RANGE
        else:
            words = cells.bits[:, cells.bit_start[place] : cells.bit_start[place + 1]]
            several = low < high
            distinct, number = np.unique(words[several], axis=0, return_inverse=True)
            unpacked = np.unpackbits(np.ascontiguousarray(distinct).view(np.uint8), axis=1, bitorder="little")
            made.sets = [np.flatnonzero(bits) for bits in unpacked]
            made.kinds[several] = CellKind.SET
            made.first[several] = number.ravel()
    for which, kind in ((empty, CellKind.MISSING), (absent & ~empty, CellKind.ANY)):
        made.kinds[which], made.first[which], made.second[which] = kind, 0, 0
    return made


def _shown_leaves(one: QuasiIdentifier, kept: Bools) -> Int64s:
    """The places, among the leaves of the tree, of the values of records that are not suppressed, ascending."""
    assert one.tree is not None
    assert one.leaf_of_value is not None
    if one.shown_leaves is not None:
        return one.shown_leaves
    shown = one.column.codes[kept]
    codes = occurring(shown[shown >= 0], len(one.column.domain))
    return np.unique(one.tree.first_leaf[one.leaf_of_value[codes]])


def _node_cells(one: QuasiIdentifier, nodes: Int64s, shown: Int64s, *, root_is_any: bool) -> _CellBuilder:
    """A node over one value is that value; a root called * says the same as `any`.

    A range is written from the lowest to the highest value below its node that a published record has: what only
    suppressed records have is not told. So a node of a tree that was made from the data is a value where published
    records have but one below it.
    """
    tree = one.tree
    assert tree is not None
    assert one.leaf_of_value is not None
    builder = _CellBuilder(len(nodes))
    builder.shown = shown
    missing = nodes >= len(tree.names)
    node = np.where(missing, 0, nodes)
    single = tree.leaf_count[node] == 1
    low, high = tree.first_leaf[node], tree.last_leaf[node]
    if len(shown):  # nodes without a published record are written nowhere
        low = shown[np.minimum(np.searchsorted(shown, low), len(shown) - 1)]
        high = shown[np.maximum(np.searchsorted(shown, high, side="right") - 1, 0)]
        if not tree.declared:
            single |= low >= high
    if tree.of_values:  # members are places among the values of the tree
        wide = ~single & (low < high)
        builder.first = low
        builder.second = np.where(wide, high, 0)
        builder.kinds[wide] = CellKind.RANGE
    else:
        code_of_leaf = np.zeros(tree.n_leaves, np.int64)
        position = tree.first_leaf[one.leaf_of_value]
        code_of_leaf[position] = np.arange(len(position))
        builder.first = code_of_leaf[low if not tree.declared else tree.first_leaf[node]]
        builder.first[~single] = node[~single]
        builder.kinds[~single] = CellKind.NODE
        if tree.root == "*":
            builder.kinds[~single & (node == 0)] = CellKind.ANY
    if root_is_any:
        builder.kinds[node == 0] = CellKind.ANY
    builder.kinds[missing] = CellKind.MISSING
    plain = np.isin(builder.kinds, (CellKind.ANY, CellKind.MISSING))
    builder.first[plain], builder.second[plain] = 0, 0
    return builder


def _with_the_rest(table: Table, quasi: dict[str, PublishedColumn], suppressed: Bools) -> PublishedTable:
    return PublishedTable(
        tuple(
            quasi[column.name] if column.role == "quasi" else as_it_is(column, suppressed)
            for column in table.columns
            if column.role != "identifier"
        )
    )


def as_it_is(column: Column, suppressed: Bools) -> PublishedColumn:
    """A column that is published unchanged but for suppressed records; values of suppressed records alone are gone."""
    codes = np.where(suppressed, np.int32(-2), column.codes) if suppressed.any() else column.codes
    held = np.bincount(codes + np.int32(2), minlength=len(column.domain) + 2)
    used = np.flatnonzero(held[2:])
    place = np.zeros(len(column.domain) + 2, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    kinds = np.full(len(used), CellKind.VALUE, np.int8)
    for code, kind in ((-1, CellKind.MISSING), (-2, CellKind.SUPPRESSED)):
        if held[code + 2]:
            place[code] = len(kinds)
            kinds = np.append(kinds, np.int8(kind))
    cells = Cells(
        column.type,
        kinds,
        offsets_of((kinds == CellKind.VALUE).astype(np.int64)),
        np.arange(len(used), dtype=np.int32),
        column.domain.gather(used),
        pl.Series([], dtype=pl.String),
    )
    return PublishedColumn(column.name, column.role, place[codes], cells, guessed=column.guessed)
