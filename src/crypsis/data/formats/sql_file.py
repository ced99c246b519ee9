"""A table of a database, or what a query gives: an environment variable says where it is.

The input is a file with a query (`patients.sql`), or the name of a table (`patients`); with `query` it is only a name.

An address may hold a password. Typed as an option it would stand in histories, process lists and experiment files, so
an address with a password is refused, and its text is never repeated; the name of an environment variable that holds it
is what is typed, kept and shown.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, urlsplit

import polars as pl

from crypsis.data.formats.columns import dates_in_calendar, unknown_column
from crypsis.data.formats.compression import read_bytes
from crypsis.data.formats.encodings import as_utf8
from crypsis.data.formats.format import TABLE, Format, Query
from crypsis.data.formats.source import Source, Understood
from crypsis.data.formats.sql import read_sql
from crypsis.errors import BadParameter, UnreadableFile

_SECRETS = frozenset({"password", "pwd", "passwd", "pass", "token", "secret"})


@dataclass(frozen=True, kw_only=True)
class Sql(Format):
    """A table, or what a query gives."""

    name, label = "sql", "SQL: a table of a database, or a query"
    suffixes = (".sql",)
    holds = frozenset({TABLE})
    live = True

    connection: Annotated[
        str | None,
        "Environment variable with the address of a database, or an address without a password; INPUT is then a file "
        "with a query, or the name of a table.",
    ] = None
    query: Query = None

    @classmethod
    def is_elsewhere(cls, path: Path, options: Mapping[str, Any]) -> bool:
        return options.get("connection") is not None and not path.exists()

    def read_frame(self, file: Path, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, Source]:
        address = address_of(self.connection)
        query = self._query(file)
        frame = _from_sqlite(query, address) if address.startswith("sqlite:") else read_sql(query, address)
        source = Source(str(file), 1)
        source.understood = Understood({"format": "SQL", "connection": str(self.connection)})
        for name in columns or ():
            if name not in frame.columns:
                raise unknown_column(name, frame.columns, source)
        wanted = frame if columns is None else frame.select(list(dict.fromkeys(columns)))
        return dates_in_calendar(wanted, source), source

    def _query(self, file: Path) -> str:
        if self.query is not None:
            return _selecting(self.query)
        if not file.exists():
            return _selecting(file.name)
        return as_utf8(read_bytes(file), str(file))[0].decode().strip().removesuffix(";")


def _selecting(text: str) -> str:
    """All of a table, whose name may have its schema before it; a query as it is."""
    if " " in text.strip():
        return text.strip().removesuffix(";")
    if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", text):
        return f"select * from {text}"
    return 'select * from "{}"'.format(text.replace('"', '""'))


def address_of(connection: str | None) -> str:
    """The address that an environment variable holds, or one without a password; no message repeats it."""
    if connection is None:
        raise BadParameter(
            "A query needs a database: name the environment variable that holds its address, connection='VARIABLE'.",
            parameter="connection",
        )
    if ":" not in connection:
        if not os.environ.get(connection):
            raise BadParameter(
                f"There is no environment variable {connection!r}; set it to the address of the database, such as "
                "postgresql://user:password@host/database.",
                parameter="connection",
            )
        return os.environ[connection]
    if holds_secret(connection):
        raise BadParameter(
            "This address holds a password, which would be kept where it was typed; put the address into an "
            "environment variable and name that, connection='VARIABLE'.",
            parameter="connection",
        )
    return connection


def holds_secret(address: str) -> bool:
    """Whether an address holds a password, before the host or among its parameters."""
    try:
        parts = urlsplit(address)
        return parts.password is not None or bool(_SECRETS & {name.lower() for name in parse_qs(parts.query)})
    except ValueError:
        return True  # whatever it is, it is not shown


def _from_sqlite(query: str, address: str) -> pl.DataFrame:
    """`sqlite:///people.db` and `sqlite:////srv/people.db`, opened for reading."""
    path = address.removeprefix("sqlite:").removeprefix("///").removeprefix("//")
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as database:
            return read_sql(query, database)
    except sqlite3.Error as error:
        raise UnreadableFile(f"The database cannot be opened ({type(error).__name__}); check its address.") from None
