"""k^m-anonymity by its definition: list every subsequence of every size, count who holds it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from tests.reference.subsequences import supports

Symbol = tuple[str, ...]  # sorted labels


class Answer(NamedTuple):
    """`witness`, its support and the number of violations belong to the first size that fails."""

    holds: bool
    min_support_by_size: list[int]
    witness: tuple[Symbol, ...] | None = None
    support: int | None = None
    violations: int = 0


def check(rows: Sequence[Sequence[Symbol]], k: int, m: int, individuals: Sequence[Hashable] | None = None) -> Answer:
    """Sizes ascending up to the first that fails; there the rarest, then the first by its label lists."""
    who = range(len(rows)) if individuals is None else individuals
    lowest: list[int] = []
    for size in range(1, m + 1):
        counted = supports(rows, size, who)
        if not counted:
            break
        rarest = min(counted, key=lambda found: (counted[found], found))
        lowest.append(counted[rarest])
        if counted[rarest] < k:
            violations = sum(count < k for count in counted.values())
            return Answer(False, lowest, rarest, counted[rarest], violations)
    return Answer(True, lowest)
