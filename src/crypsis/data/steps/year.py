"""The year of a date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.formats.columns import is_empty, moments
from crypsis.data.steps.step import Step, added, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Year(Step):
    """A column with the year of a date; an empty cell has none."""

    name, label = "year", "Derive the year of a date"

    column: Annotated[str, "Column with dates."]
    to: Annotated[str, "Name of the column with years."]
    time_format: Annotated[str | None, "How dates are written; detected if empty."] = None

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        empty = is_empty(known_column(frame, self.column))
        read, _ = moments(frame.filter(~empty), self.column, None, self.time_format)
        if read.dtype != pl.Datetime:
            raise BadParameter(f"Column {self.column!r} holds no dates, so it tells no year.", parameter="column")
        rows = pl.int_range(frame.height, eager=True).filter(~empty)
        years = pl.repeat(None, frame.height, dtype=pl.Int32, eager=True).scatter(rows, read.dt.year())
        return added(frame, years, self.to)
