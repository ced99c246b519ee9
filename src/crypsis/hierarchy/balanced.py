"""Balanced hierarchies over items: groups of neighbours, groups of groups, up to one root.

Neighbours are items next to each other by label, by frequency, or by how often they occur together. Inner nodes are
called `#level.index`, levels from 1 above the items, indices from 0 on the left; the root is `#root`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.term_rank import neighbours_by_cooccurrence, term_rank
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadTaxonomy
from crypsis.hierarchy.taxonomy import Taxonomy
from crypsis.parameters import Deferred

ORDERS = ("label", "frequency", "cooccurrence")


class ItemHierarchy(Taxonomy):
    """What items have in common: whole milk is milk, milk is dairy, dairy is food. Inner nodes are no items."""

    in_words = "a hierarchy of the items (a file, or auto:FANOUT or auto:FANOUT:ORDER to build one)"

    @classmethod
    def from_text(cls, text: str) -> ItemHierarchy | BalancedHierarchy:  # type: ignore[override]
        name, *rest = text.split(":")
        if name != "auto":
            return cls.from_file(text)  # type: ignore[return-value]
        if len(rest) not in (1, 2) or not rest[0].isdecimal():
            raise BadParameter(
                "hierarchy: auto:FANOUT needs a whole number of at least 2, and perhaps an order "
                f"({', '.join(ORDERS)}), got {text!r}."
            )
        return BalancedHierarchy(fanout=int(rest[0]), order=rest[1] if len(rest) == 2 else "label")

    @classmethod
    def balanced(cls, items: list[str], fanout: int, origin: str = "") -> ItemHierarchy:
        """Groups of `fanout` neighbours per level; a last group of one joins its left neighbour."""
        pairs: list[tuple[str, str]] = []
        level, nodes = 1, list(items)
        while True:
            bounds = list(range(0, len(nodes), fanout))
            if len(nodes) - bounds[-1] == 1 and len(bounds) > 1:
                bounds.pop()
            groups = [nodes[start:end] for start, end in zip(bounds, [*bounds[1:], len(nodes)], strict=True)]
            names = ["#root"] if len(groups) == 1 else [f"#{level}.{index}" for index in range(len(groups))]
            pairs += [(node, name) for name, group in zip(names, groups, strict=True) for node in group]
            if len(groups) == 1:
                break
            level, nodes = level + 1, names
        taken = set(items).intersection(parent for _, parent in pairs)
        if taken:
            raise BadTaxonomy(
                f"Item {min(taken)!r} is called like a node of the automatic hierarchy; rename it.", node=min(taken)
            )
        return cls(pairs, origin=origin)

    def __str__(self) -> str:
        made = f" ({self.origin})" if self.origin else ""
        return f"hierarchy of {self.n_leaves} items in {self.levels} levels{made}"


@dataclass(frozen=True)
class BalancedHierarchy(Deferred):
    """A hierarchy over the items of the data that are not sensitive, `fanout` children per node."""

    makes = ItemHierarchy

    fanout: int = 5
    order: str = "label"

    def __post_init__(self) -> None:
        if isinstance(self.fanout, bool) or not isinstance(self.fanout, int) or self.fanout < 2:
            raise BadParameter(f"BalancedHierarchy: fanout must be an int of at least 2, got {self.fanout!r}.")
        if self.order not in ORDERS:
            raise BadParameter(f"BalancedHierarchy: order must be one of {', '.join(ORDERS)}, got {self.order!r}.")

    @property
    def needs_records(self) -> bool:
        return self.order not in ("label", "frequency")

    def make(self, data: Transactions) -> ItemHierarchy:
        usual = data.supports > 0
        if data.sensitive is not None:
            usual &= ~data.sensitive
        rank = term_rank(data)
        if not usual.any():
            raise BadTaxonomy("The data have no item to build a hierarchy over.")
        codes: Int64s
        if self.order == "label":
            codes = np.argsort(data.vocabulary.label_rank, kind="stable")
        elif self.order == "frequency":
            codes = np.argsort(rank, kind="stable")
        else:
            codes = neighbours_by_cooccurrence(data, rank)
        labels = data.vocabulary.labels
        return ItemHierarchy.balanced([labels[code] for code in codes.tolist() if usual[code]], self.fanout, str(self))

    def __str__(self) -> str:
        return f"auto:{self.fanout}" if self.order == "label" else f"auto:{self.fanout}:{self.order}"


FANOUT_FIVE = BalancedHierarchy()
