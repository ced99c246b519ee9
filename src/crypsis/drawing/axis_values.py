"""Values on an axis: columns as numbers, and numbers as the words beside a tick. Both drawers share them."""

from __future__ import annotations

from typing import Any

import polars as pl

from crypsis.drawing.svg import short_number


def numbers(column: pl.Series) -> Any:
    """Numbers, NaN where there is none; dates and times as days since 1970."""
    if column.dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64).to_numpy()
    if column.dtype == pl.Datetime:
        return column.dt.timestamp("us").cast(pl.Float64).to_numpy() / 86_400e6
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def names_in(column: pl.Series) -> list[str]:
    """Values as names; nothing is the empty one."""
    return column.cast(pl.String).fill_null("").to_list()


def distinct_names(column: pl.Series) -> list[str]:
    """The names of a column in the order in which they first come."""
    return list(dict.fromkeys(names_in(column)))


def tick(value: float) -> str:
    """A number on an axis; years have no comma."""
    rounded = round(value, 10)
    text = short_number(abs(rounded), grouped=False)
    return f"\N{MINUS SIGN}{text}" if rounded < 0 else text
