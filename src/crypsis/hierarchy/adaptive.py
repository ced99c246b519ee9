"""Numbers in bins that fit them: adjacent values are united where that costs the least squared deviation."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction

from crypsis.data.relational import Column
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.neighbour_groups import nested
from crypsis.hierarchy.numeric_values import DEFAULT_FANOUT, OrderedValues, named


def adaptive_levels(numbers: Sequence[Fraction], counts: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """The group of each value when as many groups are left as each of the falling `sizes` says.

    Uniting (n, mean a) and (m, mean b) adds n m / (n + m) (a - b)^2 to the deviation; of equal costs the leftmost.
    """
    weight, total = list(counts), [number * count for number, count in zip(numbers, counts, strict=True)]
    right = [*range(1, len(numbers)), -1]
    left = [-1, *range(len(numbers) - 1)]
    version = [0] * len(numbers)
    alive = [True] * len(numbers)

    def cost(one: int, other: int) -> Fraction:
        gap = total[one] / weight[one] - total[other] / weight[other]
        return Fraction(weight[one] * weight[other], weight[one] + weight[other]) * gap * gap

    heap = [(cost(one, one + 1), one, 0, 0) for one in range(len(numbers) - 1)]
    heapq.heapify(heap)
    groups, levels = len(numbers), []
    for size in sizes:
        while groups > size:
            _, one, seen, seen_right = heapq.heappop(heap)
            other = right[one]
            if not alive[one] or other < 0 or (seen, seen_right) != (version[one], version[other]):
                continue
            weight[one] += weight[other]
            total[one] += total[other]
            alive[other] = False
            version[one] += 1
            right[one] = right[other]
            if right[one] >= 0:
                left[right[one]] = one
                heapq.heappush(heap, (cost(one, right[one]), one, version[one], version[right[one]]))
            if left[one] >= 0:
                before = left[one]
                heapq.heappush(heap, (cost(before, one), before, version[before], version[one]))
            groups -= 1
        number, level = -1, []
        for index in range(len(numbers)):
            number += alive[index]
            level.append(number)
        levels.append(level)
    return levels


def adaptive(column: Column, bins: int | None = None, fanout: int = DEFAULT_FANOUT) -> Hierarchy:
    """Bins by least deviation over the values of a column; the same merging goes on to 1/fanout of them, and so on."""
    values = OrderedValues.of(column)
    wanted = values.bins(bins)
    sizes = [wanted]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // fanout))
    levels = adaptive_levels(values.numbers, values.counts, sizes)
    return Hierarchy.of_ranges(values.series, nested(levels, len(values.numbers)), origin=named("adaptive", bins))
