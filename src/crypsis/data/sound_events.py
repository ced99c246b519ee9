"""Rows of an event log that are events: somebody, somewhere, at a time. The others are left out, each by itself.

Under differential privacy a run must not stop because of one row: that it stopped would tell that the row is there. So
what a row has to be is decided beforehand (whole numbers, or timestamps where a unit is given) and never by other rows.
"""

from __future__ import annotations

import polars as pl

from crypsis.data.formats.columns import column, in_utc, is_empty, parse_timestamps


def sound_rows(
    frame: pl.DataFrame, *, id: str, location: str, t: str, timestamps: bool, source: str | None = None
) -> pl.DataFrame:
    """The rows with an id, a location and a time; times become 64-bit integers, or UTC timestamps."""
    people, places, moments = (column(frame, name, source) for name in (id, location, t))
    parsed = _timestamps(moments) if timestamps else _whole_numbers(moments)
    keep = ~is_empty(people) & ~is_empty(places) & parsed.is_not_null()
    return frame.with_columns(parsed.alias(t)).filter(keep)


def _whole_numbers(values: pl.Series) -> pl.Series:
    if values.dtype == pl.String:
        return values.str.strip_chars().cast(pl.Int64, strict=False)
    if values.dtype.is_float():
        whole = values.set(~(values.is_finite() & (values == values.floor())).fill_null(False), None)
        return whole.cast(pl.Int64, strict=False)
    if values.dtype.is_integer():
        return values.cast(pl.Int64, strict=False)
    return pl.repeat(None, len(values), dtype=pl.Int64, eager=True)


def _timestamps(values: pl.Series) -> pl.Series:
    if values.dtype == pl.String:
        return parse_timestamps(values.str.strip_chars())
    if values.dtype in (pl.Date, pl.Datetime):
        return in_utc(values)
    return pl.repeat(None, len(values), dtype=pl.Datetime("us"), eager=True)
