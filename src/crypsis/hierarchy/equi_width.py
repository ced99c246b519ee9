"""Numbers in bins of equal width: edges lo + i (hi - lo) / b, half-open, the last one closed."""

from __future__ import annotations

from fractions import Fraction

from crypsis.data.relational import Column
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.neighbour_groups import grouped
from crypsis.hierarchy.numeric_values import DEFAULT_FANOUT, OrderedValues, named


def equal_width_edges(low: Fraction, high: Fraction, bins: int) -> list[tuple[Fraction, Fraction]]:
    """The intervals; a constant column has one."""
    if low == high:
        return [(low, high)]
    step = (high - low) / bins
    return [(low + index * step, low + (index + 1) * step) for index in range(bins)]


def equi_width(column: Column, bins: int | None = None, fanout: int = DEFAULT_FANOUT) -> Hierarchy:
    """Bins of equal width over the values of a column, then groups of `fanout` neighbours."""
    values = OrderedValues.of(column)
    wanted = values.bins(bins)
    if not values.numbers:
        return Hierarchy.of_ranges(values.series, [], origin=named("equi_width", bins))
    edges = equal_width_edges(values.numbers[0], values.numbers[-1], wanted)
    low, width = edges[0][0], edges[0][1] - edges[0][0]
    places = [min(int((number - low) / width), len(edges) - 1) if width else 0 for number in values.numbers]
    return grouped(values.series, places, len(edges), fanout, named("equi_width", bins))
