"""Taxonomy: one rooted tree whose leaves are the locations or items, read from pairs child, parent.

Nodes are numbered in level order (`crypsis.arrays.tree`).

A file is CSV with the columns child and parent, separated by `,` or `;`, with or without that header line. Or each row
is the way from a leaf to the root: `ham;sausage;meat;*`. There a name stands for another node in every column, so that
an item may be called like its group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s
from crypsis.arrays.tree import Tree, level_order
from crypsis.data.constraints import UtilityConstraints
from crypsis.data.formats.compression import existing_file, read_bytes
from crypsis.data.formats.csv import read_frame
from crypsis.data.formats.source import place
from crypsis.data.spatial_packing import packed, parts_needed
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadLabel, BadParameter, BadTaxonomy, UnknownLocation, did_you_mean
from crypsis.hierarchy.files import MADE_FROM_DATA, read_hierarchy
from crypsis.parameters import FromCoordinates, SideInput


class Taxonomy(Tree, SideInput):
    """What locations mean: restaurants, coffee shops, everything. Inner nodes are no locations."""

    in_words = "a taxonomy (a file, or auto:FANOUT to build one from coordinates)"

    def __init__(self, pairs: Iterable[Sequence[str]], *, source: str | None = None, origin: str = "") -> None:
        self.source = source
        self.origin = origin
        parent_of = self._checked_pairs(list(pairs))
        self._pairs = frozenset(parent_of.items())
        root = self._root_of(parent_of)
        children: dict[str, list[str]] = {}
        for child, parent in parent_of.items():
            children.setdefault(parent, []).append(child)
        names, parents = level_order(root, children)
        super().__init__(parents)
        self.names = tuple(names)
        self._node_of = {name: node for node, name in enumerate(names)}
        self._children = children

    def _checked_pairs(self, pairs: list[Sequence[str]]) -> dict[str, str]:
        if not pairs:
            raise BadTaxonomy("A taxonomy needs at least one pair child, parent; there is none.", where=self.source)
        parent_of: dict[str, str] = {}
        row_of: dict[str, int] = {}
        for row, pair in enumerate(pairs):
            if len(pair) != 2 or not all(isinstance(name, str) and name.strip() for name in pair):
                raise BadTaxonomy(f"A taxonomy is made of pairs child, parent, got {pair!r}.", **self._place(row))
            child, parent = pair
            if child in parent_of:
                words = f"two parents, {self._told(parent_of[child], row_of[child])} and {self._told(parent, row)}"
                if parent_of[child] == parent:
                    words = f"its parent {parent!r} twice"
                raise BadTaxonomy(
                    f"Node {child!r} is given {words}; a node has one parent.", **self._place(row), node=child
                )
            parent_of[child], row_of[child] = parent, row
        self._check_for_cycles(parent_of)
        return parent_of

    def _told(self, parent: str, row: int) -> str:
        line = self._place(row).get("line")
        return repr(parent) if line is None else f"{parent!r} on line {line}"

    def _check_for_cycles(self, parent_of: dict[str, str]) -> None:
        sound: set[str] = set()
        for start in parent_of:
            walked: dict[str, None] = {}
            node = start
            while node in parent_of and node not in sound:
                if node in walked:
                    circle = [*list(walked)[list(walked).index(node) :], node]
                    raise BadTaxonomy(
                        f"The nodes {' → '.join(circle[:8])}{' …' if len(circle) > 8 else ''} run in a circle; "
                        "following parents must end at the root.",
                        **self._place(list(parent_of).index(node)),
                        node=node,
                    )
                walked[node] = None
                node = parent_of[node]
            sound.update(walked)

    def _root_of(self, parent_of: dict[str, str]) -> str:
        roots = list(dict.fromkeys(parent for parent in parent_of.values() if parent not in parent_of))
        if len(roots) > 1:
            shown = ", ".join(map(repr, roots[:5])) + (", …" if len(roots) > 5 else "")
            row = next(row for row, parent in enumerate(parent_of.values()) if parent == roots[1])
            raise BadTaxonomy(
                f"The taxonomy has {len(roots)} roots, {shown}; put one node above them.",
                **self._place(row),
                node=roots[1],
            )
        return roots[0]

    def _place(self, row: int) -> dict[str, Any]:
        return place(self.source or "taxonomy", row)

    @classmethod
    def from_file(cls, path: str | Path) -> Taxonomy:
        """Read CSV with the columns child and parent, or with the way of each leaf to the root."""
        if _says_how_it_was_made(path):
            tree = read_hierarchy(path)
            return cls(tree.to_pairs(), source=tree.source, origin=tree.origin)
        frame, source = read_frame(path, header=False)
        if frame.width > 2:
            return cls._from_paths([tuple(map(str.strip, row)) for row in frame.iter_rows()], source)
        if frame.width != 2:
            raise BadTaxonomy("A taxonomy file has two columns, child and parent; one was found.", where=str(source))
        pairs = [(child.strip(), parent.strip()) for child, parent in frame.iter_rows()]
        if [name.lower() for name in pairs[0]] == ["child", "parent"]:
            pairs = pairs[1:]
            source.first_line += 1
        return cls(pairs, source=source)

    @classmethod
    def _from_paths(cls, rows: list[tuple[str, ...]], source: str) -> Taxonomy:
        columns: dict[str, set[int]] = {}
        for row in rows:
            for column, name in enumerate(row):
                columns.setdefault(name, set()).add(column)
        parent_of: dict[str, str] = {}
        leaves: set[str] = set()
        for index, row in enumerate(rows):
            if not all(row):
                raise BadTaxonomy("A node on the way to the root has no name; name every node.", **place(source, index))
            if row[0] in leaves:
                raise BadTaxonomy(
                    f"Leaf {row[0]!r} has two rows; give each one row.", **place(source, index), node=row[0]
                )
            leaves.add(row[0])
            names = [row[0]] + [
                name if len(columns[name]) == 1 else f"{name} (level {column})"
                for column, name in enumerate(row[1:], start=1)
            ]
            for child, parent in pairwise(names):
                if parent_of.setdefault(child, parent) != parent:
                    raise BadTaxonomy(
                        f"Node {child!r} is given two parents, {parent_of[child]!r} and {parent!r}; "
                        "a node has one parent.",
                        **place(source, index),
                        node=child,
                    )
        return cls(parent_of.items(), source=str(source))

    @classmethod
    def from_text(cls, text: str) -> Taxonomy | AutomaticTaxonomy:
        name, _, number = text.partition(":")
        if name != "auto":
            return cls.from_file(text)
        if not number.isdecimal():
            raise BadParameter(f"taxonomy: auto:FANOUT needs a whole number of at least 2, got {text!r}.")
        return AutomaticTaxonomy(fan_out=int(number))

    @classmethod
    def near(cls, locations: Locations, fan_out: int) -> Taxonomy:
        """Build from coordinates: as few levels as `fan_out` children allow, equally full, near locations together.

        All locations stand on the lowest level. A node of n locations gets as many children as are needed when each
        of them can hold `fan_out` to the power of the levels below it; their sizes differ by at most one location.
        """
        x, y = locations.coordinates("AutomaticTaxonomy")
        levels = 1
        while fan_out**levels < len(locations):
            levels += 1
        word = "area"
        while any(label.startswith(word) for label in locations.labels):
            word = f"_{word}"
        pairs: list[tuple[str, str]] = []
        waiting = [(word, np.arange(len(locations)), levels)]
        while waiting:
            name, inside, below = waiting.pop()
            if below == 1:
                pairs += [(locations.labels[code], name) for code in inside.tolist()]
                continue
            for number, part in enumerate(packed(x, y, inside, parts_needed(len(inside), fan_out ** (below - 1))), 1):
                child = f"{name} {number}" if name == word else f"{name}.{number}"
                pairs.append((child, name))
                waiting.append((child, part, below - 1))
        return cls(pairs, origin=f"auto:{fan_out}")

    @property
    def levels(self) -> int:
        """Levels of the tree, the root's included."""
        return self.height + 1

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple(name for name, is_leaf in zip(self.names, self.is_leaf.tolist(), strict=True) if is_leaf)

    @property
    def inner_nodes(self) -> tuple[str, ...]:
        """The nodes with others below them, level after level from the root."""
        return tuple(name for name in self.names if name in self._children)

    def below(self, node: str) -> tuple[str, ...]:
        """The leaves below a node of this name; a leaf lies below itself."""
        leaves, waiting = [], [node]
        while waiting:
            name = waiting.pop()
            children = self._children.get(name)
            if children is None:
                leaves.append(name)
            else:
                waiting.extend(reversed(children))
        return tuple(leaves)

    def leaves_of(self, locations: Locations) -> Int32s:
        """The node of each location; `BadTaxonomy` unless the leaves are exactly the locations."""
        vocabulary = Vocabulary(pl.Series(self.names, dtype=pl.String))
        nodes = vocabulary.encode(locations.vocabulary.series)
        if locations.base is not None and len(nodes) and (nodes < 0).all():  # a taxonomy of places, whatever the time
            return self.leaves_of(locations.base)[locations.place_codes]
        missing = np.flatnonzero(nodes < 0)
        if len(missing):
            label = locations.labels[int(missing[0])]
            raise BadTaxonomy(
                f"Location {label!r} is not in the taxonomy; {len(missing)} of {len(locations)} locations are missing."
                f"{did_you_mean(label, self.leaves)}",
                where=self._file,
                node=label,
            )
        inner = np.flatnonzero(~self.is_leaf[nodes])
        if len(inner):
            label = locations.labels[int(inner[0])]
            raise BadTaxonomy(
                f"Location {label!r} has nodes below it in the taxonomy; locations must be its leaves.",
                where=self._file,
                node=label,
            )
        if len(locations) < self.n_leaves:
            extra = next(leaf for leaf in self.leaves if leaf not in locations.vocabulary)
            raise BadTaxonomy(
                f"Leaf {extra!r} of the taxonomy is no location; it has {self.n_leaves} leaves for {len(locations)} "
                f"locations.{did_you_mean(extra, locations.labels)}",
                where=self._file,
                node=extra,
            )
        return nodes

    @property
    def _file(self) -> str | None:
        return None if self.source is None else str(self.source)

    def lowest_common_ancestor(self, nodes: Iterable[int]) -> int:
        """The deepest node that all of these lie below; a node lies below itself."""
        found = -1
        for node in nodes:
            found = node if found < 0 else self._meet(found, node)
        return found

    def _meet(self, one: int, other: int) -> int:
        while one != other:  # a parent has a smaller number than its children
            if one > other:
                one = int(self.parent[one])
            else:
                other = int(self.parent[other])
        return one

    def dissimilarity(self, symbol: str | Sequence[str]) -> float:
        """SD: the share of all leaves that lie below the closest common ancestor of these locations."""
        labels = [symbol] if isinstance(symbol, str) else list(symbol)
        if not labels:
            raise BadLabel("dissimilarity: a symbol needs at least one location.")
        for label in labels:
            if label not in self._node_of or label in self._children:
                raise UnknownLocation(
                    f"{label!r} is no leaf of the taxonomy.{did_you_mean(label, self.leaves)}", location=label
                )
        ancestor = self.lowest_common_ancestor(self._node_of[label] for label in labels)
        return float(self.leaf_count[ancestor] / self.n_leaves)

    def siblings(self, depth: int | None = None) -> UtilityConstraints:
        """Constraints of locations with one parent; or, given a depth, of those below one node of that depth."""
        groups: dict[int, list[str]] = {}
        for leaf in self.leaves:
            node = int(self.parent[self._node_of[leaf]])
            while depth is not None and self.depth[node] > depth:
                node = int(self.parent[node])
            groups.setdefault(node, []).append(leaf)
        return UtilityConstraints(groups.values(), origin=self.origin and f"siblings of a taxonomy ({self.origin})")

    def show(self) -> str:
        """The tree as text, a node per line, inner nodes with the number of their locations."""
        lines: list[str] = []
        waiting = [(self.names[0], "", "")]
        while waiting:
            name, branch, indent = waiting.pop()
            children = self._children.get(name, [])
            lines.append(f"{branch}{name}" + (f" ({self.leaf_count[self._node_of[name]]})" if children else ""))
            for place_from_end, child in enumerate(reversed(children)):
                last = place_from_end == 0
                waiting.append((child, indent + ("└── " if last else "├── "), indent + ("    " if last else "│   ")))
        return "\n".join(lines)

    def to_pairs(self) -> list[tuple[str, str]]:
        """The pairs child, parent, parents before their children."""
        return [(name, self.names[self.parent[node]]) for node, name in enumerate(self.names) if node]

    def write(self, path: str | Path) -> Path:
        """Write the pairs as CSV that `from_file` reads."""
        pairs = self.to_pairs()
        frame = pl.DataFrame({"child": [child for child, _ in pairs], "parent": [parent for _, parent in pairs]})
        made = f"{MADE_FROM_DATA}{self.origin}\n" if self.origin else ""
        Path(path).write_text(made + frame.write_csv(), encoding="utf-8")
        return Path(path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Taxonomy) and self._pairs == other._pairs

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __str__(self) -> str:
        made = f" ({self.origin})" if self.origin else ""
        return f"taxonomy of {self.n_leaves} locations in {self.levels} levels{made}"

    def __repr__(self) -> str:
        return f"Taxonomy({self})"


def _says_how_it_was_made(path: str | Path) -> bool:
    """The first line says that the tree was made from data."""
    first = read_bytes(existing_file(path), 1.0)[: len(MADE_FROM_DATA)]
    return first == MADE_FROM_DATA.encode()


@dataclass(frozen=True)
class AutomaticTaxonomy(FromCoordinates):
    """A taxonomy built from the coordinates of the location table, with at most `fan_out` children per node."""

    makes = Taxonomy
    number_name, least = "fan_out", 2

    fan_out: int = 5

    def make(self, data: Trajectories) -> Taxonomy:
        return Taxonomy.near(data.locations, self.fan_out)


FAN_OUT_FIVE = AutomaticTaxonomy(fan_out=5)
