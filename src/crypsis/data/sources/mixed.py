"""Mixed data from a file: a table with columns that hold sets, or with sets whose items stand in another file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.mixed import Mixed
from crypsis.data.sources.data_source import DataFile, InFilesOnly
from crypsis.data.sources.table import TableSource, sensitive_items
from crypsis.data.ways_of_reading import Way
from crypsis.errors import UnknownColumn, did_you_mean

WITH_SETS = Way("a table with sets")


@dataclass(frozen=True, kw_only=True)
class MixedSource(TableSource):
    """How a table with sets is read. Sensitive items are those of their column."""

    kind, label, plural = "mixed", "Table with sets", "mixed data"
    column_options = (*TableSource.column_options, "items", "sensitive_items")

    sets: Annotated[dict[str, Any] | None, InFilesOnly(), "Sets that another file has, one item a row, by name."] = None

    def way(self, file: DataFile) -> Way:
        return WITH_SETS

    def load(self, file: DataFile, declared: Declarations) -> Mixed:
        divided = self.item_columns()
        if declared.by_record and not self.sets:
            lists = [name for name, separator in divided.items() if separator is None]
            rows, mark = file.rows(file.header() or self.named_columns(), lists)
            roles, types = self.roles(rows.columns)
            types = declared.first(types, roles)
            return Mixed.from_records(self.dated_rows(rows, types), roles, divided, types, mark, **self.whose())
        frame, source = self.dated_frame(file)
        frame = self.with_sets(frame)
        roles, types = self.roles(frame.columns)
        relational = [name for name in frame.columns if name not in divided]
        types = declared.first(types, relational)
        sensitive = self.sensitive_items() or None
        return Mixed.from_frame(
            frame, roles, divided, types, sensitive=sensitive, **self.whose(), **self.cells(), source=source
        )

    def item_columns(self) -> dict[str, str | None]:
        return {**super().item_columns(), **dict.fromkeys(self.sets or {})}

    def sensitive_items(self) -> dict[str, list[str]]:
        """The sensitive items of each set that has some."""
        return sensitive_items(self.columns) | {
            name: [*map(str, one["sensitive"])] for name, one in (self.sets or {}).items() if one.get("sensitive")
        }

    def with_sets(self, frame: pl.DataFrame) -> pl.DataFrame:
        """With a column of lists for each set of another file."""
        for name, one in (self.sets or {}).items():
            frame = _with_set(frame, name, one)
        return frame

    @classmethod
    def describe(cls, data: Any) -> str:
        columns, items = len(data.table.columns), len(data.transactions.vocabulary)
        return f"{len(data):,} records with {columns} columns and sets of {items:,} items"

    def understood(self, data: Any) -> dict[str, str]:
        return {**super().understood(data.table), "sets of items": ", ".join(data.parts)}


def _with_set(frame: pl.DataFrame, name: str, one: Mapping[str, Any]) -> pl.DataFrame:
    """With a column of lists, collected from a file that has one item a row."""
    long, _ = read_table_file(one["path"], separator=one.get("separator"))
    id, item = str(one["id"]), str(one["item"])
    for column in (id, item):
        if column not in long.columns:
            raise UnknownColumn(f"Column {column!r} is not in {one['path']}.{did_you_mean(column, long.columns)}")
    if id not in frame.columns:
        raise UnknownColumn(f"Column {id!r} is not in this table.{did_you_mean(id, frame.columns)}")
    gone = [str(value) for value in one.get("missing", ())]
    collected = (
        long.select(pl.col(id).cast(pl.String), pl.col(item).cast(pl.String).str.strip_chars())
        .filter(pl.col(item).is_not_null() & (pl.col(item) != "") & ~pl.col(item).is_in(gone))
        .group_by(id)
        .agg(pl.col(item).unique().sort().alias(name))
    )
    joined = frame.with_columns(pl.col(id).cast(pl.String)).join(collected, on=id, how="left", maintain_order="left")
    return joined.with_columns(pl.col(name).fill_null(pl.lit([], dtype=pl.List(pl.String))))
