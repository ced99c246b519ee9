"""Put rows in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, in_order, known_column, named_columns


@dataclass(frozen=True, kw_only=True)
class Sort(Step):
    """Rows in the order of columns; equal rows keep theirs. Numbers and times count as such."""

    name, label = "sort", "Put rows in order"

    columns: Annotated[tuple[str, ...], "Columns to sort by, the first counts most."]
    descending: Annotated[bool, "Largest first."] = False

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        keys = pl.DataFrame([in_order(known_column(frame, name)) for name in named_columns(frame, self.columns)])
        rows = keys.with_row_index("row of the file")
        order = rows.sort(keys.columns, descending=self.descending, maintain_order=True, nulls_last=True)
        return frame[order["row of the file"]]
