"""(k,k^m)-anonymity and (k,l^m)-diversity word for word: every record, every set of its items, every other record.

Slow and obvious, for at most 200 records; the verifiers count the same by classes, and tests hold both together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import NamedTuple

from crypsis.errors import TooLarge

MOST_RECORDS = 200


class Violation(NamedTuple):
    """A record, some of its items, and how many records have the same class and hold these items."""

    record: int
    items: tuple[str, ...]
    group: int


def kkm_violations(
    classes: Sequence[Hashable], transactions: Sequence[Sequence[str]], k: int, m: int
) -> list[Violation]:
    """Every class and set of at most m items that fewer than k records share, told of its first record."""
    _refuse_many(classes)
    found: dict[tuple[Hashable, tuple[str, ...]], Violation] = {}
    for record, (of_class, items) in enumerate(zip(classes, transactions, strict=True)):
        for size in range(min(m, len(set(items))) + 1):
            for known in combinations(sorted(set(items)), size):
                group = _group(classes, transactions, of_class, known)
                if len(group) < k:
                    found.setdefault((of_class, known), Violation(record, known, len(group)))
    return list(found.values())


def is_klm_diverse(
    classes: Sequence[Hashable],
    transactions: Sequence[Sequence[str]],
    secrets: Sequence[Sequence[str]],
    k: int,
    l: int,  # noqa: E741
    m: int,
) -> bool:
    """Whether (k,k^m) holds and no sensitive item is held by more than one in l of any group."""
    _refuse_many(classes)
    if kkm_violations(classes, transactions, k, m):
        return False
    for of_class, items in zip(classes, transactions, strict=True):
        for size in range(min(m, len(set(items))) + 1):
            for known in combinations(sorted(set(items)), size):
                group = _group(classes, transactions, of_class, known)
                for secret in {one for record in group for one in secrets[record]}:
                    if sum(secret in secrets[record] for record in group) * l > len(group):
                        return False
    return True


def _group(
    classes: Sequence[Hashable], transactions: Sequence[Sequence[str]], of_class: Hashable, known: tuple[str, ...]
) -> list[int]:
    """G(r, I): the records with the relational part of r that hold all of I."""
    return [
        other
        for other, items in enumerate(transactions)
        if classes[other] == of_class and all(item in items for item in known)
    ]


def _refuse_many(classes: Sequence[Hashable]) -> None:
    if len(classes) > MOST_RECORDS:
        raise TooLarge(f"The definition is tried record by record for at most {MOST_RECORDS}, got {len(classes)}.")
