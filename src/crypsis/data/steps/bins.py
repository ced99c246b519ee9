"""Bins of equal width for a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.formats.columns import numbers
from crypsis.data.steps.step import Step, added
from crypsis.parameters import Above


@dataclass(frozen=True, kw_only=True)
class Bins(Step):
    """A column with the lower end of the bin of a number: 40 for 47 and width 10; an empty cell has none."""

    name, label = "bins", "Derive bins of a number"

    column: Annotated[str, "Column with numbers."]
    width: Annotated[float, Above(0), "Width of a bin."]
    to: Annotated[str, "Name of the column with bins."]

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        values = pl.Series(numbers(frame, self.column, missing=float("nan")), nan_to_null=True)
        lower = (values / self.width).floor() * self.width
        return added(frame, lower.cast(pl.Int64) if self.width.is_integer() else lower, self.to)
