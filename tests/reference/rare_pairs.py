"""Which constraint of a privacy policy is mended next: the slow and obvious way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def worst_constraint(
    records: Sequence[set[int]], constraints: Sequence[tuple[int, ...]], symbol_of: Mapping[int, int | None], k: int
) -> int:
    """The first constraint with the largest support from 1 to k - 1; -1 if there is none. None is suppressed."""
    shown = [{symbol_of[item] for item in record} for record in records]
    best, best_support = -1, 0
    for number, items in enumerate(constraints):
        image = {symbol_of[item] for item in items}
        support = 0 if None in image else sum(image <= record for record in shown)
        if best_support < support < k:
            best, best_support = number, support
    return best
