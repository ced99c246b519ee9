"""Paths `leaf, level 1, …, root` as pairs child, parent: padding collapses, short paths end at the common root."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from crypsis.hierarchy.problems import Problem, refuse, second_parent

TOP = "*"


def pairs_of_paths(
    paths: Sequence[Sequence[str]], source: str | None, lines: Sequence[int] | None
) -> tuple[list[tuple[str, str]], list[int] | None]:
    """The pairs and, if lines are known, the line of each. Every leaf that stands twice is an error with its line."""
    collapsed = [[name for name, _ in groupby(part for part in path if part != "")] for path in paths]
    repeated, seen = [], dict[str, int]()
    empty = [row for row, path in enumerate(collapsed) if not path]
    for row, path in enumerate(collapsed):
        if path and path[0] in seen:
            one, other = (((*collapsed[at], TOP)[1], _line(at, lines)) for at in (seen[path[0]], row))
            repeated.append(second_parent(path[0], one, other))
        elif path:
            seen[path[0]] = row
    repeated += [Problem("the path is empty", _line(row, lines)) for row in empty]
    if repeated:
        refuse("A path starts with its value", repeated, source, "list every value once.")
    tops = {path[-1] for path in collapsed}
    if len(collapsed) == 1 and len(collapsed[0]) == 1:
        collapsed[0].append(TOP)
    elif len(tops) > 1 and TOP in tops:  # a value alone on its line goes below the root
        collapsed = [path if path[-1] == TOP or len(path) > 1 else [*path, TOP] for path in collapsed]
    pairs: dict[tuple[str, str], int] = {}
    for row, path in enumerate(collapsed):
        for pair in pairwise(path):
            pairs.setdefault(pair, row)
    return list(pairs), None if lines is None else [lines[row] for row in pairs.values()]


def _line(row: int, lines: Sequence[int] | None) -> int | None:
    return None if lines is None else lines[row]
