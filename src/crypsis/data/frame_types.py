"""Tables in memory keep their types: what pandas, polars or arrow gave is what they get back.

A generalized column has a type of its own: ranges are intervals (pandas: IntervalDtype, closed on both sides; polars
and arrow: a structure of low and high), nodes and sets of values are categories. Missing and suppressed cells are null.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.formats.frames import library_of
from crypsis.errors import MissingExtra

LOW, HIGH = "low", "high"


@dataclass(frozen=True)
class FrameTypes:
    """The types of the columns of a table in memory, in the terms of the library that it came from."""

    polars: Mapping[str, pl.DataType]
    pandas: Mapping[str, Any] = field(default_factory=dict)
    arrow: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any, schema: Mapping[str, pl.DataType]) -> FrameTypes:
        """Of a table, and of the types of the frame that was made of it."""
        library = library_of(given)
        pandas = {str(name): dtype for name, dtype in given.dtypes.items()} if library == "pandas" else {}
        arrow = {one.name: one.type for one in given.schema} if library == "pyarrow" else {}
        return cls(dict(schema), pandas, arrow)


NO_TYPES = FrameTypes({})


class InMemory:
    """Data that can be had as a table of polars, pandas or arrow, with the types and the index that they came with."""

    def to_frame(self) -> pl.DataFrame:
        raise NotImplementedError

    def to_polars(self) -> pl.DataFrame:
        """All columns with their types, in order. Text that was read as numbers or dates stays such."""
        return export_polars(self.to_frame(), getattr(self, "frame_types", None), None)

    def to_pandas(self) -> Any:
        """The same as a pandas table, with its index."""
        return export_pandas(self.to_frame(), getattr(self, "frame_types", None), None, getattr(self, "index", None))

    def to_arrow(self) -> Any:
        """The same as an arrow table."""
        return export_arrow(self.to_frame(), getattr(self, "frame_types", None), None)


def export_polars(frame: pl.DataFrame, types: FrameTypes | None, generalized: Collection[str] | None) -> pl.DataFrame:
    """The frame with the types that its columns had.

    `generalized` names the columns of published data that have another type now; of the categories of the others only
    those that occur are kept. None stands for data that are not published, which keep all.
    """
    known = (types or NO_TYPES).polars
    return frame.with_columns(
        _restore_type(frame[name], known[name], whole=generalized is None)
        for name in frame.columns
        if name in known and name not in (generalized or ())
    )


def export_arrow(frame: pl.DataFrame, types: FrameTypes | None, generalized: Collection[str] | None) -> Any:
    """The same as an arrow table."""
    import_pandas_and_arrow()
    import pyarrow

    known = (types or NO_TYPES).arrow
    table = export_polars(frame, types, generalized).to_arrow()
    for index, name in enumerate(table.column_names):
        if name in known and name not in (generalized or ()):
            with suppress(pyarrow.ArrowException):  # a narrow type that the values do not fit into any more
                table = table.set_column(index, pyarrow.field(name, known[name]), table[name].cast(known[name]))
    return table


def export_pandas(
    frame: pl.DataFrame, types: FrameTypes | None, generalized: Collection[str] | None, index: Any = None
) -> Any:
    """The same as a pandas table, with the index that is given."""
    pandas = import_pandas_and_arrow()
    known = (types or NO_TYPES).pandas
    typed = export_polars(frame, types, generalized)
    columns = {
        name: _interval_array(typed[name])
        if isinstance(typed[name].dtype, pl.Struct)
        else _pandas_column(typed[name], None if name in (generalized or ()) else known.get(name), generalized is None)
        for name in typed.columns
    }
    made = pandas.DataFrame(columns, columns=typed.columns)
    return made if index is None or len(index) != len(made) else made.set_axis(index, axis=0)


def import_pandas_and_arrow() -> Any:
    """pandas, or a sentence that says how to get it."""
    try:
        import pandas
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "Tables of pandas and arrow need both packages; install them with: pip install 'crypsis[interop]'",
            extra="interop",
        ) from error
    return pandas


def _restore_type(values: pl.Series, dtype: pl.DataType, *, whole: bool) -> pl.Series:
    """The values in a type that they had before; as they are where they cannot be: text that was read as numbers."""
    if values.dtype == dtype or dtype == pl.String:
        return values
    with suppress(pl.exceptions.PolarsError):
        if dtype == pl.Boolean and values.dtype == pl.String:
            return values.replace_strict({"true": True, "false": False}, return_dtype=pl.Boolean)
        if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
            values = values.cast(pl.Datetime("us")).dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
        if isinstance(dtype, pl.Enum) and not whole:
            present = set(values.drop_nulls().unique().to_list())
            return values.cast(pl.Enum([name for name in dtype.categories.to_list() if name in present]))
        return values.cast(dtype)
    return values


def _pandas_column(values: pl.Series, dtype: Any, whole: bool) -> Any:
    import pandas

    if isinstance(dtype, pandas.CategoricalDtype):
        plain = values.cast(pl.String) if values.dtype in (pl.Categorical, pl.Enum) else values
        occurs = dtype.categories.isin(plain.drop_nulls().unique().to_list())
        shown = dtype.categories if whole else dtype.categories[occurs]
        return pandas.Series(plain.to_list(), dtype=pandas.CategoricalDtype(shown, dtype.ordered))
    made = _nullable(values) if values.has_nulls() else values.to_pandas()
    if dtype is None or made.dtype == dtype:
        return made
    if values.has_nulls() and isinstance(dtype, np.dtype) and dtype.kind in "iub":
        dtype = "boolean" if dtype.kind == "b" else f"{'U' * (dtype.kind == 'u')}Int{8 * dtype.itemsize}"
    with suppress(TypeError, ValueError, OverflowError):  # a type that the values do not fit into any more
        return made.astype(dtype)
    return made


def _nullable(values: pl.Series) -> Any:
    """Whole numbers and flags stay what they are where some are missing; pandas alone would make fractions of them."""
    import pandas

    if values.dtype.is_integer():
        return pandas.Series(pandas.array(values.cast(pl.Int64).to_list(), dtype="Int64"))
    if values.dtype == pl.Boolean:
        return pandas.Series(pandas.array(values.to_list(), dtype="boolean"))
    return values.to_pandas()


def _interval_array(values: pl.Series) -> Any:
    """Intervals that are closed on both sides; unbounded where anything may be meant, missing where suppressed."""
    import pandas

    low, high = values.struct.field(LOW), values.struct.field(HIGH)
    absent = values.is_null().to_numpy()
    anything = (low.is_null() & high.is_null()).to_numpy() & ~absent
    if low.dtype.is_temporal():
        left, right = (end.cast(pl.Datetime("ns")).to_numpy().copy() for end in (low, high))
        lowest, highest = pandas.Timestamp.min.to_datetime64(), pandas.Timestamp.max.to_datetime64()
        left[absent] = right[absent] = np.datetime64("NaT")
    elif low.dtype.is_integer() and not low.has_nulls():
        left, right, lowest, highest = low.to_numpy().copy(), high.to_numpy().copy(), 0, 0
    else:
        left, right = (end.cast(pl.Float64).to_numpy().copy() for end in (low, high))
        lowest, highest = -np.inf, np.inf
        left[absent] = right[absent] = np.nan
    left[anything], right[anything] = lowest, highest
    return pandas.arrays.IntervalArray.from_arrays(left, right, closed="both")
