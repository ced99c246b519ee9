"""Hierarchy: one rooted tree whose leaves are the values of a column, and what lies between them and "any value".

Nodes are numbered in preorder (`crypsis.arrays.tree`), children in the order of their labels (of their values, where
these are numbers or dates). Level 0 of a value is its leaf, level d its d-th ancestor, which stays the root once that
is reached.

A hierarchy of ranges (`values` is set) was built from numbers or dates: its leaves are these values in order, and a
node is published as the closed range of the values below it. Any other hierarchy publishes the labels of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis import notebook
from crypsis.arrays import Int32s, frozen
from crypsis.arrays.tree import Tree, preorder
from crypsis.data.values import ColumnType, read_value, write_value
from crypsis.errors import HierarchyError, UnknownColumn, did_you_mean
from crypsis.hierarchy.problems import Problem, refuse, second_parent

if TYPE_CHECKING:
    from crypsis.hierarchy.taxonomy import Taxonomy

TOP = "*"
_LINES_SHOWN = 40  # in a notebook
LARGEST_TABLE = 4096  # leaves; a table of pairs beyond that takes more memory than the walk takes time


class Hierarchy(Tree):
    """What values may be generalized to. Immutable; editing gives a new one.

    >>> tree = Hierarchy({"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"})
    >>> tree.ancestors("Oslo")
    ('Oslo', 'North', 'Any')
    >>> tree.common_node(["Oslo", "Riga"])
    'North'
    """

    names: tuple[str, ...]

    def __init__(
        self,
        pairs: Mapping[str, str] | Iterable[tuple[str, str]],
        *,
        source: str | None = None,
        lines: Sequence[int] | None = None,
        origin: str = "",
    ) -> None:
        """From pairs child, parent. Everything that is wrong with them is listed in one `HierarchyError`."""
        listed = list(pairs.items()) if isinstance(pairs, Mapping) else list(pairs)
        parent_of = _checked(listed, source, lines)
        children: dict[str, list[str]] = {}
        for child, parent in parent_of.items():
            children.setdefault(parent, []).append(child)
        (root,) = (name for name in children if name not in parent_of)
        names, parents = preorder(root, children)
        self._set(names, parents, source=source, origin=origin)

    def _set(
        self,
        names: Sequence[str],
        parents: Sequence[int],
        *,
        values: pl.Series | None = None,
        source: str | None = None,
        origin: str = "",
    ) -> None:
        super().__init__(parents)
        self.names = tuple(names)
        self.source = source
        self.origin = origin
        self.values = values

    @classmethod
    def from_paths(
        cls,
        paths: Iterable[Sequence[str]],
        *,
        source: str | None = None,
        lines: Sequence[int] | None = None,
        origin: str = "",
    ) -> Hierarchy:
        """From paths leaf, level 1, …, root. Equal neighbours in a path are padding; short paths end at the root."""
        from crypsis.hierarchy.paths import pairs_of_paths

        pairs, numbers = pairs_of_paths(list(paths), source, lines)
        return cls(pairs, source=source, lines=numbers, origin=origin)

    @classmethod
    def from_file(cls, path: str | Path, *, form: str | None = None, separator: str | None = None) -> Hierarchy:
        """Read paths `leaf;level 1;…;root`, or pairs `child;parent` (header of that name, or `form="edges"`)."""
        from crypsis.hierarchy.files import read_hierarchy

        return read_hierarchy(path, form=form, separator=separator)

    @classmethod
    def of_ranges(cls, values: pl.Series, levels: Sequence[Sequence[int]], *, origin: str = "") -> Hierarchy:
        """Over ascending values; each level gives the group of every value, in ascending order, and nests the last.

        The last level may have several groups; one root is put above them.
        """
        tops = [[0] * len(values)] if not levels or len(set(levels[-1])) > 1 else []
        above = [*reversed([*map(list, levels), *tops])]  # the root's level first
        names: list[str] = []
        parents: list[int] = []
        at: list[int] = [-1] * len(above)  # the node that is open on each level
        seen: list[int | None] = [None] * len(above)
        for index, value in enumerate(values.to_list()):
            for level, groups in enumerate(above):
                if groups[index] != seen[level]:
                    seen[level] = groups[index]
                    seen[level + 1 :] = [None] * (len(above) - level - 1)
                    at[level] = len(parents)
                    parents.append(at[level - 1] if level else -1)
                    names.append("")
            parents.append(at[-1])
            names.append(write_value(value))
        tree = cls.__new__(cls)
        tree._set(names, parents, values=values, origin=origin)
        tree.names = tuple(tree._range_names())
        return tree

    @classmethod
    def flat(cls, labels: Iterable[str], *, root: str = TOP) -> Hierarchy:
        """Every value directly below the root: to keep it or to give it up."""
        distinct = sorted(set(labels))
        return cls({label: _free(root, distinct) for label in distinct}, origin="flat")

    @classmethod
    def from_taxonomy(cls, taxonomy: Taxonomy) -> Hierarchy:
        """The same tree as a taxonomy of items or locations."""
        return cls(taxonomy.to_pairs(), source=taxonomy.source, origin=taxonomy.origin)

    def _range_names(self) -> list[str]:
        from crypsis.data.cells import Cell, write_cell

        assert self.values is not None
        listed, names = self.values.to_list(), list(self.names)
        first, last = self.first_leaf, self.last_leaf
        for node in range(len(names)):
            if not self.is_leaf[node]:
                names[node] = write_cell(Cell.range(listed[first[node]], listed[last[node]]))
        return names

    # Lookups

    @property
    def root(self) -> str:
        return self.names[0]

    @property
    def of_values(self) -> bool:
        """A hierarchy of ranges, whose nodes are published as the range of values below them."""
        return self.values is not None

    @property
    def leaves(self) -> Int32s:
        """The nodes of the leaves, in order."""
        return self.leaf_nodes

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        return tuple(self.names[leaf] for leaf in self.leaves.tolist())

    @cached_property
    def at_depth(self) -> Int32s:
        """Row d holds the ancestor of each leaf at depth d, the leaf itself beyond its own depth."""
        table = np.empty((self.height + 1, self.n_leaves), np.int32)
        for column, leaf in enumerate(self.leaves.tolist()):
            path = [leaf]
            while self.parent[path[-1]] >= 0:
                path.append(int(self.parent[path[-1]]))
            path.reverse()
            table[:, column] = path + [leaf] * (self.height + 1 - len(path))
        return frozen(table)

    @cached_property
    def level_maps(self) -> Int32s:
        """Row d holds the node of each leaf on level d: its d-th ancestor, the root once that is reached."""
        depth = self.depth[self.leaves]
        wanted = np.maximum(depth[None, :] - np.arange(self.height + 1)[:, None], 0)
        return frozen(np.take_along_axis(self.at_depth, wanted, axis=0))

    @cached_property
    def common_nodes(self) -> Int32s:
        """The lowest common ancestor of every two leaves."""
        if self.n_leaves > LARGEST_TABLE:
            raise HierarchyError(f"A table of {self.n_leaves:,} x {self.n_leaves:,} pairs of leaves would not fit.")
        table = np.zeros((self.n_leaves, self.n_leaves), np.int32)
        for row in self.at_depth[1:]:
            same = (row[:, None] == row[None, :]) & (row[:, None] != table)
            table = np.where(same, row[:, None], table)
        return frozen(table)

    def node(self, name: str) -> int:
        """The number of a node; the first of that name where a chain of ranges repeats it."""
        if name not in self._node_of:
            raise HierarchyError(f"{name!r} is no node of the hierarchy.{did_you_mean(name, self.names)}", node=name)
        return self._node_of[name]

    @cached_property
    def _node_of(self) -> dict[str, int]:
        return {name: node for node, name in reversed(list(enumerate(self.names)))}

    def __contains__(self, name: object) -> bool:
        return name in self._node_of

    def ancestors(self, name: str) -> tuple[str, ...]:
        """The node itself, its parent, and so on to the root."""
        node, path = self.node(name), []
        while node >= 0:
            path.append(self.names[node])
            node = int(self.parent[node])
        return tuple(path)

    def leaves_below(self, name: str) -> tuple[str, ...]:
        """The leaves below a node; a leaf has itself."""
        node = self.node(name)
        first = int(self.first_leaf[node])
        return self.leaf_labels[first : first + int(self.leaf_count[node])]

    def common_node(self, names: Iterable[str]) -> str:
        """The lowest node that all of these lie below; a node lies below itself."""
        numbers = [self.node(name) for name in names]
        low, high = min(numbers), max(numbers)
        while not (low <= high < self.end[low]):
            low = int(self.parent[low])
        return self.names[low]

    def leaves_of(self, domain: pl.Series, type: ColumnType, column: str = "") -> Int32s:
        """The position among the leaves of every value of a column; every uncovered value is listed in one error."""
        place = {label: position for position, label in enumerate(self.leaf_labels)}
        listed = domain.to_list()
        slots = [place.get(write_value(value), -1) for value in listed]
        if min(slots, default=0) < 0 and type != "category":  # 1 may be written 1.0, 01 or +1
            read = {}
            for label, position in reversed(place.items()):
                try:
                    read[read_value(label, type)] = position
                except ValueError:
                    continue
            slots = [read.get(value, -1) for value in listed]
        missing = [write_value(value) for value, position in zip(listed, slots, strict=True) if position < 0]
        if missing:
            name = f" of column '{column}'" if column else ""
            inner = [value for value in missing if value in self]
            refuse(
                f"The hierarchy{name} has no leaf for {len(missing)} of {len(listed)} values",
                [
                    Problem(f"{value!r} is an inner node" if value in self else f"{value!r} is not covered", None)
                    for value in missing
                ],
                self.source,
                "add them, correct the data, or put them below the root (attach_to_root).",
                uncovered=missing,
                inner=inner,
                column=column,
            )
        return np.array(slots, np.int32)

    # Editing: each gives a new, checked hierarchy.

    def attach_to_root(self, labels: Iterable[str]) -> Hierarchy:
        """With these labels as further leaves directly below the root; those that are leaves already stay."""
        from crypsis.hierarchy import editing

        return editing.attached(self, labels)

    def renamed(self, old: str, new: str) -> Hierarchy:
        """With a node called otherwise."""
        from crypsis.hierarchy import editing

        return editing.renamed(self, old, new)

    def moved(self, name: str, parent: str) -> Hierarchy:
        """With a node, and all below it, below another parent. A parent that is left without children goes."""
        from crypsis.hierarchy import editing

        return editing.moved(self, name, parent)

    def added(self, name: str, parent: str) -> Hierarchy:
        """With one more leaf; a node that is there already has its one parent, and is moved instead."""
        from crypsis.hierarchy import editing

        return editing.added(self, name, parent)

    def removed(self, name: str) -> Hierarchy:
        """Without a node: the children of an inner node go to its parent; a leaf goes for good."""
        from crypsis.hierarchy import editing

        return editing.removed(self, name)

    def merged(self, names: Sequence[str], new: str) -> Hierarchy:
        """With the children of several inner siblings below one node."""
        from crypsis.hierarchy import editing

        return editing.merged(self, names, new)

    def split(self, name: str, groups: Mapping[str, Sequence[str]]) -> Hierarchy:
        """With an inner node replaced by several, each with some of its children."""
        from crypsis.hierarchy import editing

        return editing.split(self, name, groups)

    def grouped(self, names: Sequence[str], new: str) -> Hierarchy:
        """With a level more above some siblings: a new node between them and their parent."""
        from crypsis.hierarchy import editing

        return editing.grouped(self, names, new)

    # Out

    def to_pairs(self) -> list[tuple[str, str]]:
        """Pairs child, parent, parents first; chains of equal ranges are one node."""
        pairs = [(name, self.names[self.parent[node]]) for node, name in enumerate(self.names) if node]
        return [(child, parent) for child, parent in pairs if child != parent]

    def to_paths(self) -> list[tuple[str, ...]]:
        """One path leaf, level 1, …, root per leaf, all of one length: short ones repeat the root."""
        table = self.level_maps.T.tolist()
        return [tuple(self.names[node] for node in path) for path in table]

    def write(self, path: str | Path, *, form: str = "paths") -> Path:
        """Write `paths` (as ARX reads them) or `edges`."""
        from crypsis.hierarchy.files import write_hierarchy

        return write_hierarchy(self, path, form=form)

    def show(self) -> str:
        """The tree as text, a node per line, inner nodes with the number of their leaves."""
        lines = []
        for node, name in enumerate(self.names):
            count = "" if self.is_leaf[node] else f" ({self.leaf_count[node]})"
            lines.append("  " * int(self.depth[node]) + name + count)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = self.show().split("\n")
        left = len(lines) - _LINES_SHOWN
        more = [f"… {left:,} more"] if left > 0 else []
        return notebook.framed(notebook.heading(str(self).capitalize()), notebook.text([*lines[:_LINES_SHOWN], *more]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Hierarchy)
            and self.names == other.names
            and np.array_equal(self.parent, other.parent)
            and self.of_values == other.of_values
        )

    def __hash__(self) -> int:
        return hash((self.names, self.parent.tobytes()))

    def __str__(self) -> str:
        made = f" ({self.origin})" if self.origin else ""
        return f"hierarchy of {self.n_leaves} values in {self.height + 1} levels{made}"

    @property
    def declared(self) -> bool:
        """Given by the publisher, not made from the data: its leaves may be published."""
        return not self.origin

    @property
    def public_text(self) -> str:
        """A few words that a release may hold: of a hierarchy made from the data only the recipe."""
        return str(self) if self.declared else self.origin

    def __repr__(self) -> str:
        return f"Hierarchy({self})"


def _checked(pairs: Sequence[Any], source: str | None, lines: Sequence[int] | None) -> dict[str, str]:
    """The parent of every node but the root, or an error that lists every problem with its line."""
    if not pairs:
        refuse("A hierarchy needs at least one value", [Problem("there is none", None)], source, "give it values.")

    def line(row: int) -> int | None:
        return None if lines is None else lines[row]

    problems: list[Problem] = []
    parent_of: dict[str, str] = {}
    row_of: dict[str, int] = {}
    for row, pair in enumerate(pairs):
        if len(pair) != 2 or not all(isinstance(name, str) and name.strip() for name in pair):
            problems.append(Problem(f"{pair!r} is no pair child, parent", line(row)))
            continue
        child, parent = pair
        if child in parent_of:
            problems.append(second_parent(child, (parent_of[child], line(row_of[child])), (parent, line(row))))
            continue
        parent_of[child], row_of[child] = parent, row
    cyclic = _cyclic(parent_of)
    problems += [Problem(f"{name!r} lies below itself", line(row_of[name])) for name in cyclic]
    roots = list(dict.fromkeys(parent for parent in parent_of.values() if parent not in parent_of))
    if len(roots) > 1:
        first = {root: next(row_of[child] for child, parent in parent_of.items() if parent == root) for root in roots}
        problems += [Problem(f"{root!r} is one of {len(roots)} roots", line(first[root])) for root in roots]
    if problems:
        refuse("This is not one tree", problems, source, "a node has one parent, and all paths end at one root.")
    return parent_of


def _cyclic(parent_of: Mapping[str, str]) -> list[str]:
    """Every node that comes back to itself when parents are followed."""
    state: dict[str, int] = {}  # 1 on the walk, 2 done
    cyclic: list[str] = []
    for start in parent_of:
        walk: list[str] = []
        node = start
        while node in parent_of and node not in state:
            state[node] = 1
            walk.append(node)
            node = parent_of[node]
        if state.get(node) == 1:
            cyclic += walk[walk.index(node) :]
        for name in walk:
            state[name] = 2
    return cyclic


def _free(root: str, taken: Sequence[str]) -> str:
    """A name for the root that no value has."""
    known = set(taken)
    while root in known:
        root = f"_{root}"
    return root


def unknown_hierarchy_columns(given: Iterable[str], columns: Sequence[str]) -> None:
    """Refuse a hierarchy for a column that is not there."""
    for name in given:
        if name not in columns:
            raise UnknownColumn(
                f"A hierarchy is given for column '{name}', which is no quasi-identifier; these are "
                f"{', '.join(columns) or 'none'}.{did_you_mean(name, columns)}",
                column=name,
            )
