"""ItemTree: a taxonomy over the items of one dataset, its nodes numbered in preorder with children sorted by label.

The nodes below n are n + 1 to last[n]; the leaves below n are `leaves[first_leaf[n]:first_leaf[n] + leaf_count[n]]`.
Every item is a leaf; leaves that are no item of the data are lawful and count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, freeze
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadTaxonomy
from crypsis.hierarchy.taxonomy import Taxonomy

MOST_NAMED = 10


@dataclass(frozen=True, eq=False)
class ItemTree:
    """Flat arrays over nodes; `node_of_item` gives the leaf of each item's code, -1 where the item is left out."""

    names: tuple[str, ...]
    parent: Int32s
    last: Int32s
    leaf_count: Int64s
    first_leaf: Int64s
    leaves: Int32s
    node_of_item: Int32s

    def __post_init__(self) -> None:
        freeze(self, "parent", "last", "leaf_count", "first_leaf", "leaves", "node_of_item")

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
        names: list[str] = []
        parents: list[int] = []
        waiting = [(root, -1)]
        while waiting:
            name, parent = waiting.pop()
            number = len(names)
            names.append(name)
            parents.append(parent)
            waiting += [(child, number) for child in sorted(children.get(name, ()), reverse=True)]
        is_leaf = np.array([name not in children for name in names], np.bool_)
        last = np.arange(len(names), dtype=np.int32)
        leaf_count = is_leaf.astype(np.int64)
        for node in range(len(names) - 1, 0, -1):
            last[parents[node]] = max(last[parents[node]], last[node])
            leaf_count[parents[node]] += leaf_count[node]
        node_of_item = Vocabulary(pl.Series(names, dtype=pl.String)).encode(items.series).copy()
        if left_out:
            node_of_item[[code for code, label in enumerate(items.labels) if label in left_out]] = -1
        return cls(
            names=tuple(names),
            parent=np.array(parents, np.int32),
            last=last,
            leaf_count=leaf_count,
            first_leaf=np.cumsum(is_leaf) - is_leaf,
            leaves=np.flatnonzero(is_leaf).astype(np.int32),
            node_of_item=node_of_item,
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n_leaves(self) -> int:
        return len(self.leaves)

    def is_leaf(self, node: int) -> bool:
        return int(self.last[node]) == node

    def leaf_labels(self, node: int) -> tuple[str, ...]:
        """The labels of all leaves below a node, sorted."""
        first = int(self.first_leaf[node])
        below = self.leaves[first : first + int(self.leaf_count[node])]
        return tuple(sorted(self.names[leaf] for leaf in below.tolist()))
