"""Tables in memory: pandas, polars, arrow, anything that speaks an arrow interface, or a list of dicts.

pandas and pyarrow are imported only when the object is one of theirs.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from crypsis.errors import InputError, MissingExtra


def as_frame(table: Any) -> pl.DataFrame:
    """The table as a polars frame; rows, columns and their order are kept."""
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    library = library_of(table)
    try:
        if library == "pandas":
            _require_pyarrow("a pandas table")
            return pl.from_pandas(table)
        if hasattr(table, "__arrow_c_stream__"):
            return pl.DataFrame(table)
        if hasattr(table, "__dataframe__"):
            _require_pyarrow(f"a {library} table")
            from pyarrow.interchange import from_dataframe

            return pl.DataFrame(from_dataframe(table))
        if isinstance(table, Mapping):
            return pl.DataFrame({name: _column(values) for name, values in table.items()})
        if isinstance(table, Sequence) and not isinstance(table, (str, bytes)) and _all_mappings(table):
            names = list(dict.fromkeys(name for row in table for name in row))
            return pl.DataFrame({name: _column([row.get(name) for row in table]) for name in names})
    except (pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise InputError(f"The {type(table).__name__} cannot be read as a table: {error}") from error
    raise InputError(
        "A table is expected (pandas, polars, arrow, a list of dicts or a dict of columns), "
        f"got {type(table).__name__}."
    )


def library_of(table: Any) -> str:
    """The package that a table belongs to: `pandas`, `polars`, `pyarrow`."""
    return type(table).__module__.partition(".")[0]


def is_frame(table: Any) -> bool:
    """Whether an object is a table of another library."""
    return (
        isinstance(table, (pl.DataFrame, pl.LazyFrame))
        or (library_of(table) == "pandas" and hasattr(table, "columns"))
        or hasattr(table, "__arrow_c_stream__")
        or hasattr(table, "__dataframe__")
    )


def pandas_index(table: Any) -> Any:
    """The index of a pandas table; None of any other."""
    return table.index if library_of(table) == "pandas" else None


def _column(values: Any) -> pl.Series:
    """A column of one type: values of several types (`0.5` beside `"NaN"`) become text, to be judged by the reader."""
    if isinstance(values, pl.Series):
        return values
    listed = list(values)
    kinds = {type(value) for value in listed if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        listed = [None if value is None else str(value) for value in listed]
    return pl.Series(listed, strict=False) if kinds != {int, float} else pl.Series(listed, dtype=pl.Float64)


def _all_mappings(rows: Sequence[Any]) -> bool:
    return len(rows) > 0 and all(isinstance(row, Mapping) for row in rows)


def _require_pyarrow(what: str) -> None:
    # find_spec raises for a module that is blocked in sys.modules
    if sys.modules.get("pyarrow", ...) is None or importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra(f"Reading {what} needs pyarrow; install it with: pip install 'crypsis[interop]'")
