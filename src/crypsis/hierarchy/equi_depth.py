"""Numbers in bins with about equally many records; a value is never split between bins."""

from __future__ import annotations

from collections.abc import Sequence

from crypsis.data.relational import Column
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.neighbour_groups import grouped
from crypsis.hierarchy.numeric_values import DEFAULT_FANOUT, OrderedValues, named


def equal_depth_bins(counts: Sequence[int], bins: int) -> list[int]:
    """The bin of each distinct value, ascending: a bin closes where the records so far reach its share."""
    total, reached, number, current = sum(counts), 0, 1, 0
    places = []
    for count in counts:
        places.append(current)
        reached += count
        if reached * bins >= total * number:
            current += 1
            number = reached * bins // total + 1
    return places


def equi_depth(column: Column, bins: int | None = None, fanout: int = DEFAULT_FANOUT) -> Hierarchy:
    """Bins of equal depth over the values of a column, then groups of `fanout` neighbours."""
    values = OrderedValues.of(column)
    wanted = values.bins(bins)
    if not values.numbers:
        return Hierarchy.of_ranges(values.series, [], origin=named("equi_depth", bins))
    places = equal_depth_bins(values.counts, wanted)
    return grouped(values.series, places, places[-1] + 1, fanout, named("equi_depth", bins))
