"""Adversaries by trying everything: all knowledge of everybody, against all readings of all published rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import combinations, permutations, product

Symbol = frozenset[str]
Row = Sequence[Symbol]
Path = Sequence[str]
Fits = Callable[[tuple[Hashable, ...], Row], bool]


def fewest_candidates(
    original: Sequence[Path],
    published: Sequence[Row],
    largest: int,
    pieces: Callable[[Path], Iterable[Hashable]],
    fits: Fits,
    whose: Sequence[int] | None = None,
) -> list[list[int]]:
    """For each person, and for knowledge of 1, 2, … pieces at most, the fewest candidates it leaves.

    Knowledge that fits nobody is passed over, and who knows nothing has everybody as a candidate.
    """
    whose = range(len(published)) if whose is None else whose
    everybody = len(set(whose))
    shown = {label for row in published for symbol in row for label in symbol}
    result = []
    for path in original:
        kept = list(pieces([label for label in path if label in shown]))
        fewest = everybody
        by_size = []
        for size in range(1, largest + 1):
            for known in set(combinations(kept, size)):
                found = len({one for one, row in zip(whose, published, strict=True) if fits(known, row)})
                if found:
                    fewest = min(fewest, found)
            by_size.append(fewest)
        result.append(by_size)
    return result


def in_order(known: Sequence[Hashable], row: Row) -> bool:
    return any(
        all(label in symbol for label, symbol in zip(known, chosen, strict=True))
        for chosen in combinations(row, len(known))
    )


def in_any_order(known: Sequence[Hashable], row: Row) -> bool:
    return any(
        all(label in symbol for label, symbol in zip(known, chosen, strict=True))
        for chosen in permutations(row, len(known))
    )


def readings(row: Row) -> Iterator[Counter[str]]:
    """How often each location may have been visited."""
    return (Counter(reading) for reading in product(*map(sorted, row)))


def with_these_numbers(known: Sequence[Hashable], row: Row) -> bool:
    """Some reading has exactly the known number of visits to each known location."""
    return any(all(reading[label] == visits for label, visits in known) for reading in readings(row))


def most_visited(known: Sequence[Hashable], row: Row) -> bool:
    """Some reading visits the known locations, and none (if only one is known, at most one) more often than them."""
    for reading in readings(row):
        least = min(reading[label] for label in known)
        more = sum(visits > least for label, visits in reading.items() if label not in known)
        if least > 0 and more <= 2 - len(known):
            return True
    return False


def home_and_work(path: Path, table: Sequence[str]) -> tuple[str, ...]:
    """The two most visited locations; the first in the table among equals."""
    visits = Counter(path)
    return tuple(sorted(visits, key=lambda label: (-visits[label], table.index(label)))[:2])


def home_work_candidates(original: Sequence[Path], published: Sequence[Row], table: Sequence[str]) -> list[int]:
    shown = {label for row in published for symbol in row for label in symbol}
    result = []
    for path in original:
        known = [label for label in home_and_work(path, table) if label in shown]
        result.append(sum(not known or most_visited(known, row) for row in published))
    return result


def probability(
    known: Sequence[str], generalized: Sequence[Path], published: Sequence[Path], k: int
) -> tuple[float, float]:
    """Probability of re-identification, and its worst case."""
    cells = [cell for place, cell in enumerate(known) if place == 0 or cell != known[place - 1]]
    before, after = (
        sum(any(list(chosen) == cells for chosen in combinations(row, len(cells))) for row in side)
        for side in (generalized, published)
    )
    if after == 0:
        return 0.0, 0.0
    return 1 / (after if after >= k else max(before, after)), 1 / after
