"""Subsequences by their definition: choose positions, keep the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

Row = Sequence[Hashable]


def distinct_subsequences(row: Row, size: int) -> set[tuple[Hashable, ...]]:
    """Every tuple that is left when all but `size` elements of the row are deleted."""
    return set(combinations(row, size))


def contains(row: Row, wanted: Row) -> bool:
    """The row holds the wanted elements in this order, with any gaps."""
    rest = iter(row)
    return all(element in rest for element in wanted)


def supports(rows: Sequence[Row], size: int, individuals: Sequence[Hashable]) -> Counter[tuple[Hashable, ...]]:
    """For each subsequence of this size: how many individuals have a row that holds it."""
    held: dict[Hashable, set[tuple[Hashable, ...]]] = {}
    for row, individual in zip(rows, individuals, strict=True):
        held.setdefault(individual, set()).update(distinct_subsequences(row, size))
    return Counter(found for theirs in held.values() for found in theirs)


def support(rows: Sequence[Row], wanted: Row, individuals: Sequence[Hashable]) -> int:
    """How many individuals have a row that contains the wanted elements in order."""
    return len({who for row, who in zip(rows, individuals, strict=True) if contains(row, wanted)})
