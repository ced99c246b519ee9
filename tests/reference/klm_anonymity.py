"""(k,l)^m-anonymity by its definition, symbol by symbol and against an adversary who knows original locations."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tests.reference.containment_matching import Symbol, is_compatible
from tests.reference.subsequences import contains


class Violation(NamedTuple):
    """`sensitive` is None where too few share the subsequence."""

    size: int
    support: int
    found: tuple[Hashable, ...]
    sensitive: str | None = None
    count: int | None = None


def labels_of(row: Sequence[Symbol], sensitive: Collection[str]) -> tuple[list[Symbol], set[str]]:
    """The symbols an adversary may know, in order, and the sensitive locations."""
    known = [symbol for symbol in row if not (len(symbol) == 1 and symbol[0] in sensitive)]
    return known, {symbol[0] for symbol in row if len(symbol) == 1 and symbol[0] in sensitive}


def check(
    rows: Sequence[Sequence[Symbol]],
    sensitive: Collection[str],
    k: int,
    l: int,  # noqa: E741
    m: int,
    individuals: Sequence[Hashable] | None = None,
) -> Violation | None:
    """The smallest, then rarest, then first violation; k is named before l, and the first sensitive label."""
    who = list(range(len(rows)) if individuals is None else individuals)
    split = [labels_of(row, sensitive) for row in rows]
    for size in range(1, m + 1):
        violations = []
        for found in sorted({found for known, _ in split for found in combinations(known, size)}):
            holding = [
                (person, held) for (known, held), person in zip(split, who, strict=True) if contains(known, found)
            ]
            violation = _judged(size, found, holding, sorted(sensitive), k, l)
            if violation is not None:
                violations.append(violation)
        if violations:
            return min(violations, key=lambda violation: (violation.support, violation.found))
    return None


def containment(
    original: Sequence[Sequence[str]],
    rows: Sequence[Sequence[Symbol]],
    sensitive: Collection[str],
    k: int,
    l: int,  # noqa: E741
    m: int,
    individuals: Sequence[Hashable] | None = None,
) -> Violation | None:
    """Some knowledge of up to m original locations that fits too few individuals, or tells too much about them."""
    who = list(range(len(rows)) if individuals is None else individuals)
    split = [labels_of(row, sensitive) for row in rows]
    known_paths = [[label for label in path if label not in sensitive] for path in original]
    for size in range(1, m + 1):
        for known in sorted({known for path in known_paths for known in combinations(path, size)}):
            holding = [
                (person, held) for (row, held), person in zip(split, who, strict=True) if is_compatible(known, row)
            ]
            violation = _judged(size, known, holding, sorted(sensitive), k, l)
            if violation is not None:
                return violation
    return None


def overlaps(rows: Sequence[Sequence[Symbol]], individuals: Sequence[Hashable] | None = None) -> bool:
    """Some individual has two symbols that are neither equal nor disjoint."""
    who = list(range(len(rows)) if individuals is None else individuals)
    symbols: dict[Hashable, set[Symbol]] = {}
    for row, person in zip(rows, who, strict=True):
        symbols.setdefault(person, set()).update(row)
    return any(set(one) & set(other) for theirs in symbols.values() for one, other in combinations(theirs, 2))


def _judged(
    size: int,
    found: tuple[Hashable, ...],
    holding: list[tuple[Hashable, set[str]]],
    sensitive: Iterable[str],
    k: int,
    l: int,  # noqa: E741
) -> Violation | None:
    support = len({person for person, _ in holding})
    if support < k:
        return Violation(size, support, found)
    for label in sensitive:
        count = len({person for person, held in holding if label in held})
        if l * count > support:
            return Violation(size, support, found, label, count)
    return None
