"""ItemTree: a taxonomy over the items of one dataset, its nodes numbered in preorder with children sorted by label.

Every item is a leaf; leaves that are no item of the data are lawful and count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import polars as pl

from crypsis.arrays import Int32s, frozen
from crypsis.arrays.tree import Tree, preorder
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadTaxonomy
from crypsis.hierarchy.taxonomy import Taxonomy

MOST_NAMED = 10


class ItemTree(Tree):
    """`node_of_item` gives the leaf of each item's code, -1 where the item is left out."""

    def __init__(self, names: Sequence[str], parent: Sequence[int], node_of_item: Int32s) -> None:
        super().__init__(parent)
        self.names = tuple(names)
        self.node_of_item = frozen(node_of_item)

    @classmethod
    def of(
        cls, taxonomy: Taxonomy, items: Vocabulary, *, left_out: tuple[str, ...] = (), attach_to_root: bool = False
    ) -> ItemTree:
        """The tree for these items. `left_out` names items that need no leaf, such as sensitive ones."""
        children: dict[str, list[str]] = {}
        for child, parent in taxonomy.to_pairs():
            children.setdefault(parent, []).append(child)
        root = taxonomy.names[0]
        wanted = set(items.labels).difference(left_out)
        missing = sorted(wanted.difference(taxonomy.names))
        if missing:
            if not attach_to_root:
                shown = ", ".join(map(repr, missing[:MOST_NAMED])) + (", …" if len(missing) > MOST_NAMED else "")
                raise BadTaxonomy(
                    f"{len(missing)} of {len(wanted)} items are not in the hierarchy: {shown}. Add them, or put them "
                    "right below its root (attach_to_root).",
                    where=taxonomy.source,
                    node=missing[0],
                    missing=missing[:MOST_NAMED],
                )
            children.setdefault(root, []).extend(missing)
        inner = sorted(wanted & children.keys())
        if inner:
            raise BadTaxonomy(
                f"Item {inner[0]!r} has nodes below it in the hierarchy; items must be its leaves. "
                "Give the node above them another name.",
                where=taxonomy.source,
                node=inner[0],
            )
        return cls._numbered(root, children, items, set(left_out))

    @classmethod
    def _numbered(cls, root: str, children: dict[str, list[str]], items: Vocabulary, left_out: set[str]) -> ItemTree:
        names, parents = preorder(root, children)
        node_of_item = Vocabulary(pl.Series(names, dtype=pl.String)).encode(items.series).copy()
        if left_out:
            node_of_item[[code for code, label in enumerate(items.labels) if label in left_out]] = -1
        return cls(names, parents, node_of_item)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def last(self) -> Int32s:
        """The last node below each node, or the node itself."""
        return frozen(self.end - 1)

    def leaf_labels(self, node: int) -> tuple[str, ...]:
        """The labels of all leaves below a node, sorted."""
        first = int(self.first_leaf[node])
        below = self.leaf_nodes[first : first + int(self.leaf_count[node])]
        return tuple(sorted(self.names[leaf] for leaf in below.tolist()))
