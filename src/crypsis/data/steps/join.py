"""Join another table, such as one of locations with latitude and longitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.formats.tabular import read_table_file
from crypsis.data.steps.step import Step, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Join(Step):
    """The columns of another table beside the rows that have the same key; a row without partner has empty cells."""

    name, label = "join", "Join another table"

    table: Annotated[str, "File with the other table."]
    column: Annotated[str, "Column of these data that holds the key."]
    key: Annotated[str | None, "Column of the other table with the key; of the same name if empty."] = None

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        other, source = read_table_file(self.table)
        key = self.key or self.column
        keys = known_column(other, key).cast(pl.String)
        if keys.is_duplicated().any():
            raise BadParameter(f"Column {key!r} of {source} holds a key twice; a key has one row.", parameter="key")
        shared = [name for name in other.columns if name in frame.columns and name != key]
        if shared:
            raise BadParameter(f"Both tables have a column {shared[0]!r}; rename one.", parameter="table")
        rows = pl.Series(range(other.height), dtype=pl.UInt32)
        found = known_column(frame, self.column).cast(pl.String).replace_strict(keys, rows, default=None)
        beside = [column.gather(found).alias(column.name) for column in other.iter_columns() if column.name != key]
        return frame.with_columns(beside)
