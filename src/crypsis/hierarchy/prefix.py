"""Codes masked from the right: 14122, 1412*, 141*, … and at last *."""

from __future__ import annotations

from collections.abc import Iterable

from crypsis.errors import HierarchyError
from crypsis.hierarchy.hierarchy import TOP, Hierarchy

MASK = "*"
PADDING = "_"


def prefix(labels: Iterable[str], *, mask: str = MASK) -> Hierarchy:
    """One character less on each level. Codes of different length are padded on the right with a visible `_`.

    One mask stands for all that is hidden: as many as there are hidden characters would tell how long the longest code
    is, be it of somebody whose record is suppressed.
    """
    codes = sorted(set(labels))
    if not codes:
        raise HierarchyError("A hierarchy of prefixes needs at least one code.")
    length = max(map(len, codes))
    padded = [code.ljust(length, PADDING) for code in codes]
    paths = []
    for code, filled in zip(codes, padded, strict=True):
        masked = [filled[: length - hidden] + mask for hidden in range(1, length)]
        paths.append([code, *masked, TOP])
    taken = set(codes) & {name for path in paths for name in path[1:]}
    if taken:
        raise HierarchyError(
            f"The codes {', '.join(map(repr, sorted(taken)))} look like masked ones; use another mask."
        )
    return Hierarchy.from_paths(paths, origin="prefix")
