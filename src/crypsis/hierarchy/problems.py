"""Everything that is wrong with a hierarchy, told at once: each problem in words with the line it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from crypsis.errors import HierarchyError

TOLD = 20


@dataclass(frozen=True)
class Problem:
    """One problem; `line` is None where there is no file."""

    words: str
    line: int | None

    def __str__(self) -> str:
        return self.words if self.line is None else f"line {self.line}: {self.words}"


def second_parent(node: str, first: tuple[str, int | None], second: tuple[str, int | None]) -> Problem:
    """A node that is given another parent, or the same one again; each parent is named with the line that gives it."""
    (one, line), (other, again) = first, second
    if one == other:
        return Problem(f"{node!r} stands twice" + ("" if line is None else f", first on line {line}"), again)
    if line is None:
        return Problem(f"{node!r} has two parents, {one!r} and {other!r}", None)
    return Problem(f"{node!r} has two parents, {one!r} on line {line} and {other!r} on line {again}", again)


def refuse(what: str, problems: Sequence[Problem], source: str | None, remedy: str, **details: object) -> NoReturn:
    """Raise `HierarchyError`: the first problems in the message, all of them in `details["problems"]`."""
    told = "; ".join(map(str, problems[:TOLD]))
    more = f"; and {len(problems) - TOLD} more" if len(problems) > TOLD else ""
    raise HierarchyError(
        f"{what}: {told}{more}. Remedy: {remedy}",
        where=None if source is None else str(source),
        problems=[str(problem) for problem in problems],
        **details,
    )
