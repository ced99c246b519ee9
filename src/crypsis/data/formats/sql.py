"""Tables from a database: a query on a DBAPI connection (sqlite3, psycopg, duckdb, …) or on a connection address."""

from __future__ import annotations

from typing import Any

import polars as pl

from crypsis.errors import MissingExtra, UnreadableFile


def read_sql(query: str, connection: Any) -> pl.DataFrame:
    """The rows that a query gives: `Trajectories.from_frame(read_sql("select …", connection), id=…)`.

    A text is taken as an address (`postgresql://…`), which needs the package connectorx; anything else must be
    an open connection or cursor. Addresses may hold passwords, so no message repeats them.
    """
    try:
        if isinstance(connection, str):
            return pl.read_database_uri(query, connection)
        return pl.read_database(query, connection, infer_schema_length=None)
    except ImportError as error:
        raise MissingExtra(
            f"Reading this database needs the package {getattr(error, 'name', None) or 'connectorx'}; install it with: "
            "pip install connectorx (or give an open DBAPI connection)."
        ) from error
    except Exception as error:  # every driver has its own errors
        reason = type(error).__name__ if isinstance(connection, str) else f"{type(error).__name__}: {error}"
        raise UnreadableFile(
            f"The database refused the query ({reason}); check the query and the connection."
        ) from error
