"""Tables from a database, by a query on a DBAPI connection (sqlite3, psycopg, …) or on an address; and into one."""

from __future__ import annotations

from typing import Any

import polars as pl

from crypsis.errors import MissingExtra, OutputExists, SourceUnreachable, UnreadableFile


def read_sql(query: str, connection: Any) -> pl.DataFrame:
    """The rows that a query gives: `Trajectories.from_frame(read_sql("select …", connection), id=…)`.

    A text is taken as an address (`postgresql://…`), which needs the driver of the database for ADBC; anything else
    must be an open connection or cursor. Addresses may hold passwords, so no message repeats them.
    """
    try:
        if isinstance(connection, str):
            return _plain(pl.read_database_uri(query, connection, engine="adbc"))
        return pl.read_database(query, connection, infer_schema_length=None)
    except ImportError as error:
        raise MissingExtra(
            "Reading this database needs its driver for ADBC; install those for SQLite and PostgreSQL with: "
            "pip install 'crypsis[sql]' (or give an open DBAPI connection)."
        ) from error
    except pl.exceptions.PanicException as error:
        raise UnreadableFile(
            "A column of the query has a type that cannot be read, such as an interval; write it as text in the query, "
            "select cast(COLUMN as text)."
        ) from error
    except Exception as error:  # every driver has its own errors
        reason = type(error).__name__ if isinstance(connection, str) else f"{type(error).__name__}: {error}"
        raise UnreadableFile(
            f"The database refused the query ({reason}); check the query and the connection."
        ) from error


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """With types that files have, too: exact decimals are numbers, and what has no type here is text."""
    columns = []
    for cells in frame.iter_columns():
        kind = cells.dtype
        if isinstance(kind, pl.Extension):
            cells = cells.ext.storage()
            cells = cells.cast(pl.Float64, strict=False) if '"numeric"' in str(kind.ext_metadata()) else cells
        columns.append(cells.bin.encode("hex") if cells.dtype == pl.Binary else cells)
    return pl.DataFrame(columns)


def write_sql(frame: pl.DataFrame, table: str, address: str, *, overwrite: bool = False) -> None:
    """Write a table into a database, whole or not at all; no message repeats the address.

    Needs the driver of the database for ADBC: `adbc-driver-sqlite`, `adbc-driver-postgresql` or the like.
    """
    try:
        frame.write_database(table, address, engine="adbc", if_table_exists="replace" if overwrite else "fail")
    except ImportError as error:
        raise MissingExtra(
            "Writing into this database needs its driver for ADBC; install those for SQLite and PostgreSQL with: "
            "pip install 'crypsis[sql]'"
        ) from error
    except Exception as error:  # every driver has its own errors, which may hold the address
        if "already exists" in str(error) or "ALREADY_EXISTS" in str(error):
            raise OutputExists(f"The database has a table {table!r} already; choose another name.") from None
        raise SourceUnreachable(
            f"The database did not take the table {table!r} ({type(error).__name__}); check its address, and whether "
            "you may write there."
        ) from None
