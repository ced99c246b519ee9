"""Types of columns: which there are, how their values are read from text, and how they are written.

int and float are numbers, date and timestamp follow ISO 8601 with four-digit years, category is any text.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.formats.columns import in_calendar, in_utc, parse_timestamps
from crypsis.data.value_texts import value_texts
from crypsis.data.vocabulary import distinct_texts

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
_SLICE = 1 << 16
_SCALES = (1, 10, 100, 1000, 10_000)
_MOST_SCALED = 2.0**53
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
    if not padded and not has_long_numbers(known) and not known.cast(pl.Float64, strict=False).has_nulls():
        return "float"
    if parse_timestamps(known.head(_SAMPLE)).has_nulls():  # then not all of them are, and most texts are none
        return "category"
    moments = parse_timestamps(known)
    if not moments.has_nulls():
        return "date" if known.str.len_chars().max() == len("2020-12-31") else "timestamp"
    return "category"


def has_long_numbers(texts: pl.Series) -> bool:
    """Whether some whole number has more digits than a float keeps: it is a code."""
    return bool(texts.str.contains(r"^[+-]?\d{17,}$").any())


def converted(values: pl.Series, type: ColumnType) -> pl.Series:
    """The values in the column's type; null where a value cannot be (compare with the nulls before)."""
    target = POLARS_TYPES[type]
    if type == "category":
        if values.dtype == pl.Boolean:
            return values.replace_strict({True: "true", False: "false"}, return_dtype=pl.String)
        return values.cast(pl.String)
    if type in ("int", "float") and values.dtype == pl.String:
        return _numbers_of_texts(values, target)
    if type == "int":
        if values.dtype.is_float():
            whole = values.cast(pl.Int64, strict=False)
            return whole.set((whole.cast(values.dtype) != values).fill_null(False), None)
        return values.cast(target, strict=False)
    if type == "float":
        return _without_negative_zero(values.cast(pl.Float64, strict=False))
    if type == "date" and values.dtype == pl.Date:
        return in_calendar(values)
    if values.dtype == pl.String:
        moments = parse_timestamps(values.str.strip_chars())
    elif values.dtype in (pl.Date, pl.Datetime):
        moments = in_utc(values)
    else:
        return pl.Series(values.name, [None] * len(values), dtype=target)
    if type == "timestamp":
        return moments
    days = moments.cast(pl.Date)
    return days.set((days.cast(pl.Datetime("us")) != moments).fill_null(False), None)


def _numbers_of_texts(texts: pl.Series, target: Any) -> pl.Series:
    """Blanks around numbers are looked for only where some text is none without."""
    numbers = texts.cast(target, strict=False)
    if numbers.null_count() > texts.null_count():
        numbers = texts.str.strip_chars().cast(target, strict=False)
    return _without_negative_zero(numbers) if target.is_float() else numbers


def _without_negative_zero(numbers: pl.Series) -> pl.Series:
    """-0.0 equals 0.0 and must not be a second value of the domain."""
    zeros = numbers == 0
    return numbers.set(zeros.fill_null(False), 0.0) if zeros.any() else numbers


def is_convertible(dtype: pl.DataType) -> bool:
    """Whether cells of this kind can be the values of a column: no lists, structures, durations or objects."""
    return not dtype.is_nested() and dtype not in (pl.Object, pl.Binary, pl.Duration, pl.Time)


def encoded(values: pl.Series) -> tuple[np.ndarray[Any, np.dtype[np.int32]], pl.Series]:
    """Codes into the sorted domain of a typed column, -1 where missing, and the domain."""
    if values.dtype == pl.String:
        texts, places = distinct_texts(values)
        ranks, domain = encoded_distinct(texts)
        return ranks[places], domain
    known = values.drop_nulls() if values.has_nulls() else values
    physical = known.to_physical()
    numbers, distinct = _encoded_numbers(physical.to_numpy())
    domain = pl.Series("value", distinct, dtype=physical.dtype).cast(values.dtype)
    if len(known) == len(values):
        return numbers, domain
    codes = np.full(len(values), -1, np.int32)
    codes[values.is_not_null().to_numpy()] = numbers
    return codes, domain


def encoded_distinct(texts: pl.Series) -> tuple[np.ndarray[Any, np.dtype[np.int32]], pl.Series]:
    """The same of texts none of which repeats: they are only sorted."""
    present = texts.is_not_null().to_numpy()
    known = texts.drop_nulls()
    order = known.arg_sort()
    ranks = np.empty(len(known), np.int32)
    ranks[order.to_numpy()] = np.arange(len(known), dtype=np.int32)
    codes = np.full(len(texts), -1, np.int32)
    codes[present] = ranks
    return codes, known.gather(order).alias("value")


def _encoded_numbers(
    numbers: np.ndarray[Any, Any],
) -> tuple[np.ndarray[Any, np.dtype[np.int32]], np.ndarray[Any, Any]]:
    if numbers.dtype.kind == "i" and len(numbers):
        lowest, highest = int(numbers.min()), int(numbers.max())
        if highest - lowest < max(4 * len(numbers), 1000):  # a table of the numbers that occur is shorter than sorting
            return _looked_up(numbers, lowest, highest)
    packed = _packed(numbers)
    if packed is not None:
        return _encoded_packed(*packed, len(numbers), numbers.dtype)
    order = np.argsort(numbers)
    ascending = numbers[order]
    if len(numbers) and ascending[-1] != ascending[-1]:  # not a number, which equals nothing, not even itself
        distinct, places = np.unique(numbers, return_inverse=True)
        return places.astype(np.int32), distinct
    begins = np.ones(len(numbers), np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    codes = np.empty(len(numbers), np.int32)
    codes[order] = np.cumsum(begins, dtype=np.int32) - np.int32(1)
    return codes, ascending[begins]


def _looked_up(
    numbers: np.ndarray[Any, Any], lowest: int, highest: int
) -> tuple[np.ndarray[Any, np.dtype[np.int32]], np.ndarray[Any, Any]]:
    """By a table from the lowest number to the highest; a slice at a time stays in the processor's cache."""
    occurs = np.zeros(highest - lowest + 1, np.bool_)
    slices = [slice(start, start + _SLICE) for start in range(0, len(numbers), _SLICE)]
    for part in slices:
        occurs[numbers[part] - lowest] = True
    ranks = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    codes = np.empty(len(numbers), np.int32)
    for part in slices:
        ranks.take(numbers[part] - lowest, out=codes[part], mode="clip")
    return codes, (np.flatnonzero(occurs) + lowest).astype(numbers.dtype)


def _packed(numbers: np.ndarray[Any, Any]) -> tuple[Int64s, int, int] | None:
    """Each number as a whole one above the lowest, with its place in the bits below, and what the lowest and the unit
    are: such pairs are sorted in a third of the time. None where both do not fit, as for most fractions."""
    bits = len(numbers).bit_length()
    scale = _scale_of(numbers[:_SAMPLE])
    if scale is None or not len(numbers):
        return None
    keys = np.empty(len(numbers), np.int64)
    for start in range(0, len(numbers), _SLICE):
        part = numbers[start : start + _SLICE]
        if numbers.dtype.kind == "f":
            scaled = np.rint(part * scale)
            if not (np.abs(scaled).max() < _MOST_SCALED and (scaled / scale == part).all()):
                return None
            part = scaled
        keys[start : start + _SLICE] = part
    lowest, highest = int(keys.min()), int(keys.max())
    if (highest - lowest).bit_length() + bits > 63:
        return None
    for start in range(0, len(keys), _SLICE):
        part = keys[start : start + _SLICE]
        part -= lowest
        part <<= bits
        part |= np.arange(start, start + len(part))
    return keys, lowest, scale


def _scale_of(numbers: np.ndarray[Any, Any]) -> int | None:
    """What makes whole numbers of these: 100 of amounts with cents; None where no small power of ten does."""
    if numbers.dtype.kind == "i":
        return 1
    if numbers.dtype != np.float64 or not np.isfinite(numbers).all():
        return None
    with np.errstate(over="ignore"):  # what grows infinite fits no scale
        fitting = (scale for scale in _SCALES if (np.rint(numbers * scale) / scale == numbers).all())
        return next(fitting, None)


def _encoded_packed(
    keys: Int64s, lowest: int, scale: int, n_numbers: int, dtype: np.dtype[Any]
) -> tuple[np.ndarray[Any, np.dtype[np.int32]], np.ndarray[Any, Any]]:
    """Codes and distinct numbers of pairs of a number and its place."""
    keys.sort()
    bits = n_numbers.bit_length()
    codes, last, many = np.empty(n_numbers, np.int32), -1, 0
    distinct: list[Int64s] = []
    for start in range(0, n_numbers, _SLICE):
        part = keys[start : start + _SLICE]
        values = part >> bits
        begins = np.diff(values, prepend=last) != 0
        ranks = np.cumsum(begins, dtype=np.int32)
        codes[part & ((1 << bits) - 1)] = ranks + np.int32(many - 1)
        distinct.append(values[begins])
        last, many = int(values[-1]), many + int(ranks[-1])
    whole = np.concatenate(distinct) + lowest
    return codes, whole.astype(dtype) if scale == 1 else whole / scale


def write_value(value: Scalar) -> str:
    """A value as text, so that `read_value` gives it back."""
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def write_values(values: pl.Series) -> list[str]:
    """All values of a column as `write_value` writes them."""
    return value_texts(values).to_list()


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
