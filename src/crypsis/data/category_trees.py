"""Trees over the categories of a column, declared by the publisher, and a tree for each of several columns.

A file is JSON, one entry per column: what lies below a node is an object, or a list where only leaves lie below.

    {"continent": {"Anywhere": {"New World": ["America", "Australia"], "Old World": {"Europe": {}, "Asia": {}}}}}

Nodes are numbered in level order. Leaves have positions from left to right, and node n holds those from `low[n]` to
`high[n] - 1`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, frozen
from crypsis.arrays.tree import Tree
from crypsis.data.formats.compression import existing_file
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadTaxonomy, UnreadableFile
from crypsis.parameters import SideInput
from crypsis.strict_json import parse_json

ANY = "*"


class CategoryTree(Tree):
    """One tree. `nested` maps the root to what lies below it."""

    def __init__(self, nested: Mapping[str, Any]) -> None:
        if not isinstance(nested, Mapping) or len(nested) != 1:
            raise BadTaxonomy("A tree of categories has one root: an object with one entry.")
        self.nested = _canonical(nested)
        names, parents, below = [], [-1], list(self.nested.items())
        for index, (name, inner) in enumerate(below):  # grows while it is walked: level after level
            names.append(name)
            below.extend(inner.items())
            parents.extend([index] * len(inner))
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadTaxonomy(
                f"Node {twice!r} occurs twice in a tree of categories; every node has one place.", node=twice
            )
        super().__init__(parents)
        self.names = tuple(names)
        self.low: Int32s = frozen(self.first_leaf.astype(np.int32))
        self.high: Int32s = frozen((self.first_leaf + self.leaf_count).astype(np.int32))
        self.leaves = tuple(names[node] for node in self.leaf_nodes[np.argsort(self.low[self.leaf_nodes])])

    @classmethod
    def flat(cls, labels: Iterable[str]) -> CategoryTree:
        """A root with all categories right below it; a single category is the root."""
        listed = list(labels)
        if len(listed) == 1:
            return cls({listed[0]: {}})
        root = ANY
        while root in listed:
            root += ANY
        return cls({root: listed})

    def __len__(self) -> int:
        return len(self.leaves)

    def encode(self, values: pl.Series) -> Int32s:
        """The place of each category among the leaves, -1 where it is none of them."""
        return Vocabulary(self.leaves).encode(values)

    def slots(self) -> Int32s:
        """By depth and place of a leaf: which child of the node at that depth holds it, -1 where it is the leaf."""
        found = np.full((max(self.height, 1), len(self)), -1, np.int32)
        for node in range(1, len(self.names)):
            above = int(self.parent[node])
            found[self.depth[above], self.low[node] : self.high[node]] = node - self.first_child[above]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CategoryTree) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.names, self.parent.tobytes()))

    def to_json(self) -> dict[str, Any]:
        return self.nested

    def __repr__(self) -> str:
        return f"CategoryTree({len(self)} categories, height {self.height})"


class CategoryTrees(SideInput):
    """A tree for each of several columns."""

    in_words = "trees over the categories of columns (a JSON file)"

    def __init__(self, trees: Mapping[str, CategoryTree | Mapping[str, Any]]) -> None:
        self.trees = {
            name: tree if isinstance(tree, CategoryTree) else _tree(name, tree) for name, tree in trees.items()
        }

    @classmethod
    def from_text(cls, text: str) -> CategoryTrees:
        file = existing_file(Path(text))
        try:
            content = parse_json(file.read_bytes())
        except (ValueError, OSError) as error:
            raise UnreadableFile(f"The trees cannot be read as JSON: {error}.", where=str(file)) from error
        if not isinstance(content, Mapping):
            raise BadTaxonomy("Trees of categories are an object with an entry for each column.", where=str(file))
        return cls(content)

    def column_types(self) -> dict[str, str]:
        return dict.fromkeys(self.trees, "category")

    @property
    def identity(self) -> Hashable:
        return frozenset(self.trees.items())

    def __str__(self) -> str:
        return f"trees over the categories of {len(self.trees)} columns"


def _tree(column: str, nested: Any) -> CategoryTree:
    try:
        return CategoryTree(nested)
    except BadTaxonomy as error:
        raise BadTaxonomy(f"Column {column!r}: {error.message}", column=column) from error


def _canonical(nested: Any) -> dict[str, Any]:
    """Objects all the way down, whatever mixture of lists and objects was given."""
    if isinstance(nested, (list, tuple)):
        if len(set(map(str, nested))) < len(nested):
            raise BadTaxonomy("A tree of categories lists a node twice below the same node.")
        nested = {label: {} for label in nested}
    if not isinstance(nested, Mapping) or not all(isinstance(name, str) and name.strip() for name in nested):
        raise BadTaxonomy("The nodes of a tree of categories are labels that are not empty.")
    return {name: _canonical(inner) for name, inner in nested.items()}
