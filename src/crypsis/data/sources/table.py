"""A table from a file: one row per record, with a role for every column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.declared_times import as_iso_texts, with_times
from crypsis.data.mixed import Mixed
from crypsis.data.relational import ROLES, Table
from crypsis.data.sources.data_source import DataFile, DataSource, InFilesOnly, Label
from crypsis.data.sources.shared_options import Columns, EachRowIsAPerson, MissingTexts, Person, TimeFormat
from crypsis.data.ways_of_reading import Way
from crypsis.errors import BadParameter
from crypsis.parameters import OneOf

ITEMS_TYPE = "items"  # the type of a column that holds sets
COMMA = "comma"  # how a comma is typed where commas stand between columns
RECORDS = Way("a table with one row per record")


@dataclass(frozen=True, kw_only=True)
class TableSource(DataSource):
    """How a table is read; a column without a role is an error unless `rest` gives it one."""

    kind, label, plural = "table", "Table", "tables"
    family = "Tables and mixed data"
    column_options: ClassVar[tuple[str, ...]] = ("quasi", "sensitive", "identifier", "label", "other", "types")

    columns: Columns = None
    rest: Annotated[str | None, OneOf(*ROLES), InFilesOnly(), "Role of the columns that are given none."] = None
    person: Person = None
    each_row_is_a_person: EachRowIsAPerson = False
    missing: MissingTexts = ("?",)
    as_missing: Annotated[
        bool,
        Label("Cells of another type are missing"),
        "A cell that is not of its column's type is missing, no error.",
    ] = False
    time_format: TimeFormat = None

    def way(self, file: DataFile) -> Way:
        return RECORDS

    def load(self, file: DataFile, declared: Declarations) -> Table | Mixed:
        if declared.by_record:
            rows, mark = file.rows(file.header() or self.named_columns())
            roles, types = self.roles(rows.columns)
            types = declared.first(types, rows.columns)
            return Table.from_records(self.dated_rows(rows, types), roles, types, mark, **self.whose())
        if self.time_format is None:
            frame, schema, source = file.coded_frame()
        else:
            frame, source = self.dated_frame(file)
            schema = frame.schema
        roles, types = self.roles(frame.columns)
        types = declared.first(types, frame.columns)
        return Table.from_frame(frame, roles, types, **self.whose(), **self.cells(), source=source, schema=schema)

    def dated_frame(self, file: DataFile) -> tuple[pl.DataFrame, str]:
        """The table with dates and times read as declared."""
        frame, source = file.frame()
        return with_times(frame, self.time_format, self.missing, source, lenient=self.as_missing), source

    def dated_rows(self, rows: pl.DataFrame, types: Mapping[str, str]) -> pl.DataFrame:
        """The same where each record is read by itself."""
        dated = [name for name, type in types.items() if type in ("date", "timestamp") and name in rows.columns]
        return as_iso_texts(rows, self.time_format, dated)

    def roles(self, columns: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
        """Role and type of columns as they are declared; `rest` gives a role to the others."""
        declared = {name: column for name, column in (self.columns or {}).items() if not holds_items(column)}
        roles = {name: str(column["role"]) for name, column in declared.items() if "role" in column}
        if self.rest is not None:
            taken = (*roles, *self.item_columns(), self.person)
            roles |= {name: self.rest for name in columns if name not in taken}
        return roles, {name: str(column["type"]) for name, column in declared.items() if "type" in column}

    def item_columns(self) -> dict[str, str | None]:
        """The columns that hold sets, and what separates their items."""
        return item_separators(self.columns)

    def named_columns(self) -> list[str]:
        """The columns that are spoken of, for files in which only records would tell."""
        person = [] if self.person is None or self.person in (self.columns or {}) else [self.person]
        return [*(self.columns or {}), *person]

    def whose(self) -> dict[str, Any]:
        return {"person": self.person, "each_row_is_a_person": self.each_row_is_a_person}

    def cells(self) -> dict[str, Any]:
        """What cells mean that hold no value."""
        return {"missing_tokens": self.missing, "unparsable": "missing" if self.as_missing else "error"}

    def refuse_for_records(self) -> None:
        if self.as_missing or self.missing != ("?",):
            raise BadParameter(
                "Under differential privacy a record with a value outside its domain is left out, so texts that mean a "
                "missing value have no effect; leave them out.",
                parameter="missing_tokens",
            )

    @classmethod
    def describe(cls, data: Any) -> str:
        people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
        known = f"{len(data.columns)} columns, {len(data.quasi)} of them quasi-identifiers"
        return f"{len(data):,} records{people} with {known}"

    def understood(self, data: Any) -> dict[str, str]:
        """The columns of each role with their types, and how many cells are missing by which marker."""
        roles: dict[str, list[str]] = {}
        for column in data.columns:
            roles.setdefault(column.role, []).append(f"{column.name} ({column.type})")
        absent = sum(column.missing for column in data.columns)
        missing = f"{absent:,} of {len(data) * len(data.columns):,} cells ({', '.join((*self.missing, 'empty'))})"
        return {role: ", ".join(names) for role, names in roles.items()} | {"missing": missing}


def holds_items(column: Any) -> bool:
    """Whether a column is declared to hold sets."""
    return isinstance(column, Mapping) and column.get("type") == ITEMS_TYPE


def item_separators(columns: Mapping[str, Any] | None) -> dict[str, str | None]:
    """The columns that hold sets, and what separates their items; None where they hold lists."""
    declared = {name: column for name, column in (columns or {}).items() if holds_items(column)}
    return {name: column.get("item_separator", " ") for name, column in declared.items()}


def sensitive_items(columns: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """The sensitive items of each column that has some."""
    declared = {name: column for name, column in (columns or {}).items() if holds_items(column)}
    return {name: [*map(str, one["sensitive"])] for name, one in declared.items() if one.get("sensitive")}
