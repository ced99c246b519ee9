"""Split a cell that holds several items into one row per item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, known_column


@dataclass(frozen=True, kw_only=True)
class Split(Step):
    """One row per item of a cell; the other cells of the row are repeated. A cell without items has no row."""

    name, label = "split", "Split a cell into rows"

    column: Annotated[str, "Column whose cells hold several items."]
    separator: Annotated[str, "What separates the items."] = ","

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        items = known_column(frame, self.column).cast(pl.String).fill_null("").str.split(self.separator)
        rows = frame.with_columns(items).explode(self.column).with_columns(pl.col(self.column).str.strip_chars())
        return rows.filter(pl.col(self.column) != "")
