"""Categories in a balanced tree: neighbours by label, or by how often they occur, `fanout` below each node."""

from __future__ import annotations

import numpy as np

from crypsis.data.relational import Column
from crypsis.data.values import write_value
from crypsis.errors import BadParameter, HierarchyError
from crypsis.hierarchy.hierarchy import Hierarchy

ORDERS = ("label", "frequency")
DEFAULT_FANOUT = 5
ROOT = "#root"
ORIGIN = "balanced"


def balanced(column: Column, fanout: int = DEFAULT_FANOUT, order: str = "label") -> Hierarchy:
    """Values sorted by label, or by falling frequency and label; every `fanout` neighbours get a node above them."""
    if fanout < 2:
        raise BadParameter(f"fanout must be a whole number of at least 2, got {fanout!r}.", parameter="fanout")
    if order not in ORDERS:
        raise BadParameter(f"order must be one of {', '.join(ORDERS)}, got {order!r}.", parameter="order")
    labels = [write_value(value) for value in column.domain.to_list()]
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(labels)).tolist()
    ranked = sorted(range(len(labels)), key=lambda code: (-counts[code] if order == "frequency" else 0, labels[code]))
    tops = [labels[code] for code in ranked]
    if not tops:
        return Hierarchy({"?": ROOT}, origin=f"{ORIGIN}:{fanout}:{order}")
    pairs: list[tuple[str, str]] = []
    level = 0
    while level == 0 or len(tops) > 1:
        level += 1
        groups = [tops[start : start + fanout] for start in range(0, len(tops), fanout)]
        if len(groups) > 1 and len(groups[-1]) == 1:
            last = groups.pop()
            groups[-1] += last
        named = [ROOT] if len(groups) == 1 else [f"#{level}.{index}" for index in range(len(groups))]
        pairs += [(member, name) for name, group in zip(named, groups, strict=True) for member in group]
        tops = named
    names = {parent for _, parent in pairs}
    taken = sorted(names & set(labels))
    if taken:
        raise HierarchyError(
            f"The values {', '.join(map(repr, taken))} are called like nodes of the tree; rename them."
        )
    return Hierarchy(pairs, origin=f"{ORIGIN}:{fanout}:{order}")


def is_numbered(tree: Hierarchy) -> bool:
    """The names of its nodes say where they stand among all values; nobody chose them."""
    made, *edited = tree.origin.split(", ")
    return made.split(":")[0] == ORIGIN and not edited
