"""Two slow miners of frequent sequential patterns that share nothing: one counts, the other joins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Pattern = tuple[int, ...]


def counted_patterns(
    sequences: Sequence[Sequence[int]], min_support: int, max_length: int | None = None
) -> dict[Pattern, int]:
    """Write down every subsequence of every sequence, and count."""
    support: Counter[Pattern] = Counter()
    for sequence in sequences:
        longest = len(sequence) if max_length is None else min(max_length, len(sequence))
        for length in range(1, longest + 1):
            support.update(set(combinations(sequence, length)))
    return {pattern: count for pattern, count in support.items() if count >= min_support}


def joined_patterns(
    sequences: Sequence[Sequence[int]], min_support: int, max_length: int | None = None
) -> dict[Pattern, int]:
    """Keep the rows and places where each pattern can end; one more item joins its own places behind them.

    Level by level as in Zaki's SPADE, which needs neither prefixes nor projections.
    """
    places: dict[Pattern, set[tuple[int, int]]] = {}
    for row, sequence in enumerate(sequences):
        for place, item in enumerate(sequence):
            places.setdefault((item,), set()).add((row, place))
    items = {pattern[0]: found for pattern, found in places.items() if _rows(found) >= min_support}
    level: dict[Pattern, set[tuple[int, int]]] = {(item,): found for item, found in items.items()}
    frequent: dict[Pattern, int] = {}
    while level:
        frequent |= {pattern: _rows(found) for pattern, found in level.items()}
        longer: dict[Pattern, set[tuple[int, int]]] = {}
        for pattern, ends in level.items():
            if max_length is not None and len(pattern) == max_length:
                continue
            earliest: dict[int, int] = {}
            for row, place in ends:
                earliest[row] = min(place, earliest.get(row, place))
            for item, found in items.items():
                joined = {(row, place) for row, place in found if place > earliest.get(row, place)}
                if _rows(joined) >= min_support:
                    longer[*pattern, item] = joined
        level = longer
    return frequent


def _rows(places: set[tuple[int, int]]) -> int:
    return len({row for row, _ in places})
