"""SQLite: a table of a database, or what a query gives.

The file is copied into memory and only read there: a query can neither change it nor open another one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.binary import BinaryFormat
from crypsis.data.formats.csv import unique_names
from crypsis.data.formats.format import Query
from crypsis.data.formats.source import Source, Understood
from crypsis.errors import BadParameter

_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


@dataclass(frozen=True, kw_only=True)
class Sqlite(BinaryFormat):
    """A database in one file."""

    name, label = "sqlite", "SQLite: a table of a database, or a query"
    suffixes = (".sqlite", ".sqlite3", ".db")
    signatures = (b"SQLite format 3\0",)

    query: Query = None

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        frame, beside = self.decoded(file)
        source = Source(str(file), 1)
        source.understood = Understood({"format": "SQLite", "query": beside["query"]})
        return self.wanted(frame, columns, source), source


def decode(source: Any, query: str | None) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The rows of a query; run in the process with limits."""
    database = sqlite3.connect(":memory:")
    database.deserialize(source.read())
    tables = [name for (name,) in database.execute("select name from sqlite_schema where type in ('table', 'view')")]
    tables = [name for name in tables if not name.startswith("sqlite_")]
    if query is None and len(tables) != 1:
        raise BadParameter(f"The database has the tables {', '.join(tables)}; say query='TABLE'.", parameter="query")
    chosen = tables[0] if query is None else query
    written = 'select * from "{}"'.format(chosen.replace('"', '""')) if chosen in tables else chosen
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY)
    try:
        found = database.execute(written)
        names = unique_names([str(column[0]) for column in found.description or ()])[0]
        rows = found.fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname == "SQLITE_ERROR":  # of the query, not of the file
            raise BadParameter(f"The query cannot be run: {error}.", parameter="query") from error
        raise
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname == "SQLITE_AUTH":
            raise BadParameter("A query only reads: select ...", parameter="query") from error
        raise
    if not names:
        raise BadParameter("The query gives no rows; a table or select ... does.", parameter="query")
    columns = [_column(name, [row[at] for row in rows]) for at, name in enumerate(names)]
    return pl.DataFrame(columns), {"query": chosen}


def _column(name: str, values: list[Any]) -> pl.Series:
    """Of one type: SQLite lets every cell have its own, and texts beside numbers make all of them texts."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int}:
        return pl.Series(name, values, pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, values, pl.Float64)
    texts = [value.hex() if isinstance(value, bytes) else None if value is None else str(value) for value in values]
    return pl.Series(name, texts, pl.String)
