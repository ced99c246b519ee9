"""Drop rows by the value of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, known_column


@dataclass(frozen=True, kw_only=True)
class DropRows(Step):
    """The table without the rows whose cell holds one of some values; an empty value stands for an empty cell."""

    name, label = "drop_rows", "Drop rows by a value"

    column: Annotated[str, "Column to look at."]
    values: Annotated[tuple[str, ...], "Values whose rows are dropped."]

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        texts = known_column(frame, self.column).cast(pl.String).fill_null("").str.strip_chars()
        return frame.filter(~texts.is_in(list(self.values)))
