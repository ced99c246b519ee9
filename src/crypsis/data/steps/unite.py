"""Unite columns that are one set, such as dx01 to dx15."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, added, named_columns
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Unite(Step):
    """One column of items in place of several columns with an item each; empty cells are no items."""

    name, label = "unite", "Unite columns into a set"

    columns: Annotated[tuple[str, ...], "Columns to unite, a,b,c or first..last."]
    to: Annotated[str, "Name of the column with the set."]
    separator: Annotated[str, "What separates the items."] = " "

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        columns = named_columns(frame, self.columns)
        texts = frame.select(pl.col(columns).cast(pl.String).str.strip_chars().fill_null(""))
        for cells in texts.iter_columns():
            if cells.str.contains(self.separator, literal=True).any():
                raise BadParameter(
                    f"Items of column {cells.name!r} hold {self.separator!r} themselves; choose another separator.",
                    parameter="separator",
                )
        kept = texts.select(pl.concat_list(columns).alias("items"))["items"]
        united = kept.list.eval(pl.element().filter(pl.element() != "")).list.join(self.separator)
        return added(frame.drop(columns), united, self.to)
