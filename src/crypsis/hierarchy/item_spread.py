"""How far apart the items of a set are in a tree: their mean distance, pair by pair, as a share of the largest one.

The distance of two items is the number of edges between them, the largest is twice the height of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from crypsis.errors import BadTaxonomy
from crypsis.hierarchy.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class ItemSpread:
    """Spreads of sets of labels over one tree."""

    taxonomy: Taxonomy

    @cached_property
    def _parent(self) -> dict[str, str]:
        return dict(self.taxonomy.to_pairs())

    @cached_property
    def height(self) -> int:
        """Edges from the root to the deepest leaf."""
        return max((self._depth(node) for node in self._parent), default=0)

    def _depth(self, node: str) -> int:
        depth = 0
        while node in self._parent:
            depth, node = depth + 1, self._parent[node]
        return depth

    def of(self, labels: tuple[str, ...]) -> Fraction:
        """0 for a single item, 1 where all pairs meet at the root and are as deep as the tree.

        An edge lies between two items where one of them is below it and the other is not.
        """
        if len(labels) < 2 or not self.height:
            return Fraction(0)
        below: dict[str, int] = {}
        for label in labels:
            if label not in self._parent:
                raise BadTaxonomy(f"Item {label!r} is not in the hierarchy of items.", node=label)
            node = label
            while node in self._parent:
                below[node] = below.get(node, 0) + 1
                node = self._parent[node]
        counts = np.fromiter(below.values(), np.int64, len(below))
        edges = int((counts * (len(labels) - counts)).sum())
        return Fraction(edges, self.height * len(labels) * (len(labels) - 1))
