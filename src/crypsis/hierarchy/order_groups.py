"""Categories whose order is known (low, medium, high, …), joined in groups of neighbours of given sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from crypsis.errors import BadParameter
from crypsis.hierarchy.hierarchy import TOP, Hierarchy


def order_groups(order: Sequence[str], sizes: Sequence[int], *, root: str = TOP) -> Hierarchy:
    """Values in this order; level d joins `sizes[d]` neighbours of the level below, called `first - last`."""
    if len(set(order)) != len(order) or not order:
        raise BadParameter("order must list every value once, and at least one.", parameter="order")
    if any(size < 2 for size in sizes):
        raise BadParameter(f"sizes must be whole numbers of at least 2, got {list(sizes)!r}.", parameter="sizes")
    paths = [[value] for value in order]
    groups = [[index] for index in range(len(order))]
    for size in sizes:
        groups = [[*chain(*groups[start : start + size])] for start in range(0, len(groups), size)]
        for group in groups:
            first, last = order[group[0]], order[group[-1]]
            for slot in group:
                paths[slot].append(paths[slot][-1] if len(group) == 1 else f"{first} - {last}")
    return Hierarchy.from_paths([[*path, root] for path in paths], origin="order_groups")
