"""Count the rows that remain for somebody who knows when, and who also sees which times a row cannot have.

Visits of a row follow each other: nobody enters a place before leaving the one before. So a row whose symbol holds
"home at eight or at ten" and whose next symbol is "shop at nine" is no row of somebody who was home at ten. Symbols
whose locations all have the same times exclude nothing. For others every combination of up to m times that some row
can have must be one that k individuals can have.

Rows in which no choice of times is in order (rows of several days, by time of day) exclude nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.timed_places import NO_TIME, TimedPlaces
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.errors import TooLarge

MOST_STEPS = 20_000_000
REMEDIES = (
    "Choose wider steps of time (time_width), the time of day (time_cycle='day') or a greater weight of time "
    "(time_weight), so that times are merged less; or drop the times (times='drop')."
)
REMEDIES_AFTERWARDS = (
    "Choose wider steps of time (time_width), the time of day (time_cycle='day'), or times='merge', which merges "
    "places and times together; or drop the times (times='drop')."
)
Step = tuple[int, int]  # the bins in which visits begin and end
Known = tuple[tuple[int, Step], ...]  # symbols with times, in order


@dataclass(frozen=True)
class TooFew:
    """What too few individuals can have: symbols with their times, who can have them, who of these holds a secret."""

    known: Known
    support: int
    sensitive: str | None = None
    count: int = 0


def times_of_symbols(published: PublishedTrajectories, timed: TimedPlaces) -> list[tuple[Step, ...]]:
    """Per symbol the different times of its locations; none where they have no times."""
    steps = []
    for labels in published.symbols.label_lists:
        rows = [timed.number_of[label] for label in labels if label in timed.number_of]
        found = set()
        for row in rows:
            enter = int(timed.enter[row])
            if enter != NO_TIME:
                found.add((enter, enter if timed.exit is None else int(timed.exit[row])))
        steps.append(tuple(sorted(found)))
    return steps


def excludes_nothing(steps: Sequence[tuple[Step, ...]]) -> bool:
    """Every symbol has one time, so that no location of it can be excluded by the times of others."""
    return all(len(times) <= 1 for times in steps)


def too_few_candidates(
    published: PublishedTrajectories,
    steps: Sequence[tuple[Step, ...]],
    individuals: Int32s,
    k: int,
    m: int,
    share: int = 1,
) -> TooFew | None:
    """The first combination of up to m timed symbols that some row can have and fewer than k individuals can have.

    Where at most one in `share` may hold a sensitive location, also one that too many of them hold.
    """
    supports: Counter[Known] = Counter()
    holders: Counter[tuple[Known, str]] = Counter()
    budget = [MOST_STEPS]
    lists = published.symbols.label_lists
    secrets = set(published.sensitive)
    paths = list(published.paths())
    for rows in _rows_of_individuals(individuals):
        can_have: set[Known] = set()
        held: set[tuple[Known, str]] = set()
        for row in rows:
            path = [symbol for symbol in paths[row] if steps[symbol]]
            found = set(_combinations(path, steps, m, budget))
            can_have |= found
            if share > 1:
                names = {lists[symbol][0] for symbol in paths[row] if lists[symbol][0] in secrets}
                held |= {(known, name) for known in found for name in names}
        supports.update(can_have)
        holders.update(held)
    for known, support in supports.items():
        if support < k:
            return TooFew(known, support)
    for (known, name), count in holders.items():
        if share * count > supports[known]:
            return TooFew(known, supports[known], name, count)
    return None


def _rows_of_individuals(individuals: Int32s) -> Iterator[list[int]]:
    order = np.argsort(individuals, kind="stable")
    bounds = np.flatnonzero(np.diff(individuals[order])) + 1
    for rows in np.split(order, bounds):
        if len(rows):
            yield rows.tolist()


def _combinations(path: Sequence[int], steps: Sequence[tuple[Step, ...]], m: int, budget: list[int]) -> Iterator[Known]:
    """Up to m visits of a row, each with a time, such that the other visits can have times in between."""
    latest = _latest_beginnings(path, steps)
    free = latest is None  # no choice of times is in order
    after = latest if latest is not None else [inf] * (len(path) + 1)

    def extend(begin: int, left: float, chosen: Known) -> Iterator[Known]:
        for position in range(begin, len(path)):
            symbol = path[position]
            for step in steps[symbol]:
                budget[0] -= 1
                if budget[0] < 0:
                    raise TooLarge(
                        f"The times that {MOST_STEPS:,} combinations of visits can have do not suffice to count this "
                        f"release. {REMEDIES}"
                    )
                enter, exit = step
                if free or (enter >= left and exit <= after[position + 1]):
                    known = (*chosen, (symbol, step))
                    yield known
                    if len(known) < m:
                        yield from extend(position + 1, -inf if free else exit, known)
            if not free:
                left = min((exit for enter, exit in steps[symbol] if enter >= left), default=inf)

    if m > 0:
        yield from extend(0, -inf, ())


def _latest_beginnings(path: Sequence[int], steps: Sequence[tuple[Step, ...]]) -> list[float] | None:
    """By position, the latest at which its visit can begin and the following ones still have times in order."""
    latest = [inf] * (len(path) + 1)
    for position in range(len(path) - 1, -1, -1):
        fitting = [enter for enter, exit in steps[path[position]] if exit <= latest[position + 1]]
        if not fitting:
            return None
        latest[position] = max(fitting)
    return latest
