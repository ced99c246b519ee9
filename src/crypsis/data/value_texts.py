"""Values of a column as texts, and texts as values, many at once; one by one it is `values.write_value`, `read_value`.

What polars writes as Python does is left to polars. Fractions so small or so large that Python writes them with an
exponent are written one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from crypsis.data.values import ColumnType

_PLAIN_FROM, _PLAIN_BELOW = 1e-4, 1e16  # sizes of fractions that Python writes without an exponent
_DAY = "%Y-%m-%d"
_MOMENT = "%Y-%m-%dT%H:%M:%S"
_BASIC_MOMENT = "%Y%m%dT%H%M%S"  # as the end of a range: without colons
_FRACTION = "%.6f"


def value_texts(values: pl.Series) -> pl.Series:
    """Each value as `write_value` writes it."""
    if values.dtype == pl.String:
        return values
    if values.dtype == pl.Float64:
        return _fractions(values)
    if values.dtype == pl.Date:
        return values.dt.to_string(_DAY)
    return _moments(values, _MOMENT) if values.dtype == pl.Datetime else values.cast(pl.String)


def bound_texts(values: pl.Series) -> pl.Series:
    """Each value as `write_bound` writes it at the end of a range."""
    return _moments(values, _BASIC_MOMENT) if values.dtype == pl.Datetime else value_texts(values)


def values_of_texts(texts: pl.Series, type: ColumnType) -> pl.Series:
    """The value of each text of a column of numbers, dates or moments; null where this cannot tell."""
    return _read(texts, type, _MOMENT)


def values_of_bounds(texts: pl.Series, type: ColumnType) -> pl.Series:
    """The same of the ends of ranges."""
    return _read(texts, type, _BASIC_MOMENT)


def _read(texts: pl.Series, type: ColumnType, moment: str) -> pl.Series:
    if type == "int":
        return texts.cast(pl.Int64, strict=False)
    if type == "float":
        numbers = texts.cast(pl.Float64, strict=False) + 0.0  # without a negative zero
        return numbers.set((~numbers.is_finite()).fill_null(False), None)
    if type == "date":
        return texts.str.to_date(_DAY, strict=False)
    return texts.str.to_datetime(moment + "%.f", strict=False, time_unit="us")


def _fractions(values: pl.Series) -> pl.Series:
    texts, numbers = values.cast(pl.String), values.to_numpy()
    sizes = np.abs(numbers)
    unusual = np.flatnonzero(((sizes < _PLAIN_FROM) & (sizes > 0)) | ~(sizes < _PLAIN_BELOW))
    return texts.scatter(unusual, list(map(repr, numbers[unusual].tolist()))) if len(unusual) else texts


def _moments(values: pl.Series, form: str) -> pl.Series:
    fraction = values.dt.microsecond().to_numpy()
    texts = values.dt.to_string(form)
    if not fraction.any():
        return texts
    return texts.zip_with(pl.Series(fraction == 0), values.dt.to_string(form + _FRACTION))
