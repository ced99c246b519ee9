"""Types of columns: which there are, how their values are read from text, and how they are written.

int and float are numbers, date and timestamp follow ISO 8601 with four-digit years, category is any text.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from crypsis.data.formats.columns import in_utc, parse_timestamps

ColumnType = Literal["int", "float", "date", "timestamp", "category"]
COLUMN_TYPES: tuple[str, ...] = get_args(ColumnType)
Scalar = int | float | str | date | datetime

POLARS_TYPES: dict[str, Any] = {
    "int": pl.Int64(),
    "float": pl.Float64(),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us"),
    "category": pl.String(),
}
IN_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "date": "an ISO date (2020-12-31)",
    "timestamp": "an ISO timestamp (2020-12-31T23:59:59)",
    "category": "text",
}
_SAMPLE = 1000
_WHOLE = re.compile(r"[+-]?\d+")
_BASIC = "%Y%m%dT%H%M%S"


def inferred_type(values: pl.Series) -> ColumnType:
    """The narrowest type that all values can be without losing anything; text like 007 stays a category."""
    if values.dtype.is_integer():
        return "int"
    if values.dtype.is_float() or values.dtype.is_decimal():
        return "float"
    if values.dtype == pl.Date:
        return "date"
    if values.dtype == pl.Datetime:
        return "timestamp"
    if values.dtype != pl.String:
        return "category"
    known = values.drop_nulls()
    if not len(known):
        return "category"
    whole = known.cast(pl.Int64, strict=False)
    if not whole.has_nulls() and (whole.cast(pl.String) == known).all():
        return "int"
    padded = known.str.contains(r"^[+-]?0\d").any()
    if not padded and not known.cast(pl.Float64, strict=False).has_nulls():
        return "float"
    if parse_timestamps(known.head(_SAMPLE)).has_nulls():  # then not all of them are, and most texts are none
        return "category"
    moments = parse_timestamps(known)
    if not moments.has_nulls():
        return "date" if known.str.len_chars().max() == len("2020-12-31") else "timestamp"
    return "category"


def converted(values: pl.Series, type: ColumnType) -> pl.Series:
    """The values in the column's type; null where a value cannot be (compare with the nulls before)."""
    target = POLARS_TYPES[type]
    if type == "category":
        if values.dtype == pl.Boolean:
            return values.replace_strict({True: "true", False: "false"}, return_dtype=pl.String)
        return values.cast(pl.String)
    text = values.str.strip_chars() if values.dtype == pl.String else None
    if type == "int":
        if text is not None:
            return text.cast(pl.Int64, strict=False)
        if values.dtype.is_float():
            whole = values.cast(pl.Int64, strict=False)
            return whole.set((whole.cast(values.dtype) != values).fill_null(False), None)
        return values.cast(target, strict=False)
    if type == "float":
        numbers = (values if text is None else text).cast(pl.Float64, strict=False)
        # -0.0 equals 0.0 and must not be a second value of the domain
        return numbers.set((numbers == 0).fill_null(False), 0.0)
    if text is not None:
        moments = parse_timestamps(text)
    elif values.dtype in (pl.Date, pl.Datetime):
        moments = in_utc(values)
    else:
        return pl.Series(values.name, [None] * len(values), dtype=target)
    if type == "timestamp":
        return moments
    days = moments.cast(pl.Date)
    return days.set((days.cast(pl.Datetime("us")) != moments).fill_null(False), None)


def is_convertible(dtype: pl.DataType) -> bool:
    """Whether cells of this kind can be the values of a column: no lists, structures, durations or objects."""
    return not dtype.is_nested() and dtype not in (pl.Object, pl.Binary, pl.Duration, pl.Time)


def encoded(values: pl.Series) -> tuple[np.ndarray[Any, np.dtype[np.int32]], pl.Series]:
    """Codes into the sorted domain of a typed column, -1 where missing, and the domain."""
    if (values.dtype == pl.Int64 or values.dtype == pl.Date) and len(values) and not values.has_nulls():
        numbers = values.to_physical().to_numpy().astype(np.int64, copy=False)
        lowest, highest = int(numbers.min()), int(numbers.max())
        if highest - lowest < max(4 * len(numbers), 1000):  # a table of the numbers that occur is shorter than sorting
            occurs = np.zeros(highest - lowest + 1, np.bool_)
            occurs[numbers - lowest] = True
            domain = pl.Series("value", np.flatnonzero(occurs) + lowest, dtype=pl.Int64)
            ranks = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
            return ranks[numbers - lowest], domain.cast(pl.Int32).cast(pl.Date) if values.dtype == pl.Date else domain
    if values.dtype == pl.Float64 and not values.has_nulls():
        distinct, codes = np.unique(values.to_numpy(), return_inverse=True)
        return codes.astype(np.int32), pl.Series("value", distinct)
    domain = values.drop_nulls().unique().sort()
    coded = domain.to_frame("value").with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias("code"))
    joined = values.to_frame("value").join(coded, on="value", how="left", maintain_order="left")
    return np.asarray(joined["code"].fill_null(-1).to_numpy(), np.int32), domain.alias("value")


def write_value(value: Scalar) -> str:
    """A value as text, so that `read_value` gives it back."""
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def write_bound(value: Scalar) -> str:
    """A value as the end of a range: timestamps in the ISO basic form, which has no colons."""
    if isinstance(value, datetime):
        fraction = f".{value.microsecond:06d}" if value.microsecond else ""
        return value.strftime(_BASIC).rjust(15, "0") + fraction
    return write_value(value)


def read_value(text: str, type: ColumnType) -> Scalar:
    """The value that a text stands for; ValueError where it is none of this type."""
    if type == "category":
        return text
    if type == "int":
        if not _WHOLE.fullmatch(text):
            raise ValueError(text)
        value = int(text)
        if not -(2**63) <= value < 2**63:
            raise ValueError(text)
        return value
    if type == "float":
        number = float(text)
        if not np.isfinite(number):
            raise ValueError(text)
        return number + 0.0
    if type == "date":
        if len(text) != len("2020-12-31"):
            raise ValueError(text)
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None or len(text) < len("2020-12-31T23:59:59"):
        raise ValueError(text)
    return moment


def read_bound(text: str, type: ColumnType) -> Scalar:
    """The value at the end of a range."""
    if type == "timestamp":
        pattern = _BASIC + ".%f" if "." in text else _BASIC
        return datetime.strptime(text, pattern)
    return read_value(text, type)
