"""Drop columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, named_columns
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Drop(Step):
    """The table without some columns."""

    name, label = "drop", "Drop columns"

    columns: Annotated[tuple[str, ...], "Columns to drop, a,b,c or first..last."]

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        columns = named_columns(frame, self.columns)
        if len(columns) == frame.width:
            raise BadParameter("No column would be left; drop fewer.", parameter="columns")
        return frame.drop(columns)
