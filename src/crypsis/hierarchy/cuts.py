"""Ranges between cuts that somebody chose: 18, 30 and 65 make four of them; a cut begins the range above it."""

from __future__ import annotations

from bisect import bisect_right
from datetime import date, datetime
from fractions import Fraction

import polars as pl

from crypsis.data.relational import Column
from crypsis.errors import BadParameter
from crypsis.hierarchy.hierarchy import Hierarchy
from crypsis.hierarchy.neighbour_groups import grouped
from crypsis.hierarchy.numeric_values import DEFAULT_FANOUT, OrderedValues


def cuts(column: Column, *edges: str) -> Hierarchy:
    """The ranges between the cuts, then groups of neighbours; numbers, or days such as 2020-07-01 for dates."""
    values = OrderedValues.of(column)
    if not edges:
        raise BadParameter(f"hierarchy of '{column.name}': at least one cut is needed.", parameter="hierarchy")
    chosen = sorted({_number(edge, column) for edge in edges})
    origin = ":".join(["cuts", *edges])
    places = [bisect_right(chosen, number) for number in values.numbers]
    return grouped(values.series, places, len(chosen) + 1, DEFAULT_FANOUT, origin)


def _number(edge: str, column: Column) -> Fraction:
    """A cut as the values of the column are numbered."""
    try:
        if column.type == "date":
            return Fraction(date.fromisoformat(edge).toordinal() - date(1970, 1, 1).toordinal())
        if column.type == "timestamp":
            moment = pl.Series([datetime.fromisoformat(edge)], dtype=pl.Datetime("us"))
            return Fraction(int(moment.to_physical()[0]))
        return Fraction(edge)
    except (ValueError, ZeroDivisionError) as error:
        wanted = "a number" if column.type in ("int", "float") else "a day such as 2020-07-01"
        raise BadParameter(
            f"hierarchy of '{column.name}': a cut must be {wanted}, got {edge!r}.", parameter="hierarchy"
        ) from error
