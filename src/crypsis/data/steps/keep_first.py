"""Keep the first of rows that are equal in some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, named_columns


@dataclass(frozen=True, kw_only=True)
class KeepFirst(Step):
    """The first of the rows that are equal in all these columns, such as person and time."""

    name, label = "keep_first", "Keep the first of equal rows"

    columns: Annotated[tuple[str, ...], "Columns in which rows are equal."]

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.unique(named_columns(frame, self.columns), keep="first", maintain_order=True)
