"""Whole numbers and dates whose texts follow from their values: told in bulk, without a look at each text."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, cast

import numpy as np
import polars as pl

from crypsis.arrays import Int32s

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LENGTH = len("2020-12-31")
_SLICE = 1 << 16  # rows that stay in the processor's cache
_NO_DIGITS = -30_000  # no sum of two digits with it is positive


def digits_of(numbers: pl.Series) -> int:
    """The length of all whole numbers as texts, side by side, without a sign or zero that they do not need."""
    if not len(numbers):
        return 0
    lowest, highest = cast(int, numbers.min()), cast(int, numbers.max())
    signs = 0
    if lowest < 0:
        signs = int((numbers < 0).sum())
        numbers = (numbers if lowest > -(2**63) else numbers.cast(pl.Int128)).abs()
        lowest, highest = cast(int, numbers.min()), cast(int, numbers.max())
    digits, power = len(numbers), 10
    while power <= highest:
        digits += len(numbers) if power <= lowest else int((numbers >= power).sum())
        power *= 10
    return digits + signs


def iso_dates(texts: pl.Series) -> pl.Series | None:
    """Texts such as 2020-12-31 as dates; None where one is none, however it differs."""
    if not len(texts) or texts.has_nulls() or not _ISO.fullmatch(texts[0]):
        return None
    lengths = texts.str.len_bytes()
    if lengths.min() != _LENGTH or lengths.max() != _LENGTH:
        return None
    days = np.empty(len(texts), np.int32)
    for start in range(0, len(texts), _SLICE):
        part = texts.slice(start, _SLICE).cast(pl.Binary).bin.reinterpret(dtype=pl.Array(pl.UInt8, _LENGTH))
        found = _days(np.ascontiguousarray(part.to_numpy()))
        if found is None:
            return None
        days[start : start + _SLICE] = found
    return pl.Series(texts.name, days).cast(pl.Date)


def _days(signs: np.ndarray[Any, Any]) -> Int32s | None:
    """Days since 1970, each from a row of characters; None where one is no date."""
    if not ((signs[:, 4] == ord("-")).all() and (signs[:, 7] == ord("-")).all()):
        return None
    pairs = (np.ndarray(len(signs), "<u2", signs, at, (_LENGTH,)) for at in (0, 2, 5, 8))
    century, year, month, day = map(_pairs_of_digits().take, pairs)
    if min(century.min(), year.min()) < 0 or not (1 <= month.min() <= month.max() <= 12 and day.min() >= 1):
        return None
    months = century.astype(np.int32)
    for factor, part in ((100, year), (12, month)):
        months *= factor
        months += part
    months -= 13  # since January of the year 1
    if months.min() < 0:
        return None
    late = np.flatnonzero(day > 28)
    if (day[late] > np.diff(_first_days())[months[late]]).any():
        return None
    days: Int32s = _first_days().take(months)
    days += day - 1
    return days


@cache
def _pairs_of_digits() -> np.ndarray[Any, Any]:
    """The number that two characters are, by the number that their bytes are."""
    numbers = np.full(1 << 16, _NO_DIGITS, np.int16)
    for number in range(100):
        numbers[int.from_bytes(b"%02d" % number, "little")] = number
    return numbers


@cache
def _first_days() -> Int32s:
    """The first day of each month from the year 1 to 9999, and of the month after."""
    months = np.arange("0001-01", "10000-02", dtype="M8[M]")
    return months.astype("M8[D]").astype(np.int64).astype(np.int32)
