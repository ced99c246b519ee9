"""One column of a frame as labels, numbers, flags, times or positions, judged row by row.

Cells are text (from CSV) or typed (Parquet, JSON Lines, tables in memory). Whatever cannot be read is an error
that names file, line and column; nothing is guessed and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import cast

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s
from crypsis.data.formats.source import place
from crypsis.data.formats.timestamps import EPOCH_WORDS, epoch_as_datetime, epoch_of, parse_as, recognise, words_for
from crypsis.data.formats.written_numbers import recognise_degrees, recognise_numbers
from crypsis.errors import BadCoordinate, BadLabel, BadPublication, BadRow, UnknownColumn, did_you_mean

TIMESTAMP_FORMATS = (
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
)
TIMESTAMP_FORMATS_WITH_OFFSET = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z")
FIRST_DAY, LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, in days since 1970
_WORDS_FOR_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def column(frame: pl.DataFrame, name: str, source: str | None = None) -> pl.Series:
    """The column of that name, or `UnknownColumn` with the names that there are."""
    if name in frame.columns:
        return frame[name]
    raise unknown_column(name, frame.columns, source)


def unknown_column(name: str, known: Sequence[str], source: str | None = None) -> UnknownColumn:
    """`Column 'agee' is not in this table; its columns are age, zip. Did you mean 'age'?`"""
    return UnknownColumn(
        f"Column '{name}' is not in this table; its columns are {', '.join(known) or 'none'}."
        f"{did_you_mean(name, known)}",
        where=None if source is None else str(source),
        column=name,
        known=list(known),
    )


def refuse_other_columns(found: Sequence[str], described: Collection[str], source: str) -> None:
    """A published file holds the columns that it is described with: none is lacking, and none stands beside them."""
    lacking = [name for name in described if name not in found]
    if lacking:
        raise BadPublication(f"The published data lack the column {', '.join(map(repr, lacking))}.", where=source)
    beside = [name for name in found if name not in described]
    if beside:
        raise BadPublication(
            f"The published data have the column {', '.join(map(repr, beside))}, which nothing describes and no "
            "guarantee covers.",
            where=source,
        )


def is_empty(values: pl.Series) -> pl.Series:
    """Which cells hold nothing: null, or blank text."""
    if values.dtype == pl.String:
        return values.is_null() | (values.str.strip_chars() == "")
    return values.is_null()


def first_empty(values: pl.Series) -> int | None:
    """The first row whose cell holds nothing; looks at the distinct values first, which are fewer."""
    if not is_empty(values.unique() if values.dtype == pl.String else values).any():
        return None
    return int(is_empty(values).arg_true()[0])


def labels(frame: pl.DataFrame, name: str, source: str | None = None) -> pl.Series:
    """Text of every cell exactly as it stands; `BadLabel` at the first empty one."""
    values = column(frame, name, source)
    if values.dtype in (pl.Float32, pl.Float64) or values.dtype.is_nested():
        raise BadLabel(
            f"Column '{name}' must hold labels (text or whole numbers), it holds {values.dtype}.",
            **place(source, 0, name),
        )
    row = first_empty(values)
    if row is not None:
        raise BadLabel(f"Column '{name}' is empty in a row; give every row a label.", **place(source, row, name))
    return values.cast(pl.String)


def numbers(
    frame: pl.DataFrame,
    name: str,
    source: str | None = None,
    missing: float | None = None,
    largest: float | None = None,
) -> Float64s:
    """Numbers of every cell; an empty one becomes `missing`, or is an error where no `missing` is given.

    A comma in numbers that are known to be no larger than `largest` is a decimal one.
    """
    values = column(frame, name, source)
    empty = is_empty(values)
    if missing is None and empty.any():
        row = int(empty.arg_true()[0])
        raise BadRow(f"Column '{name}' is empty; give a number.", **place(source, row, name))
    if values.dtype == pl.Boolean or not (values.dtype.is_numeric() or values.dtype in (pl.String, pl.Null)):
        raise BadRow(f"Column '{name}' must hold numbers, it holds {values.dtype}.", **place(source, 0, name))
    parsed = values.str.strip_chars().cast(pl.Float64, strict=False) if values.dtype == pl.String else values
    bad = parsed.is_null() & ~empty
    if bad.any() and values.dtype == pl.String:
        said = values.filter(~empty)
        written = recognise_numbers(said, largest) or (recognise_degrees(said) if largest is not None else None)
        if written is not None and written.certain:
            rows = pl.int_range(len(values), eager=True).filter(~empty)
            parsed = parsed.scatter(rows, written.texts.cast(pl.Float64, strict=False))
            bad = parsed.is_null() & ~empty
    _refuse_unparsable(values, bad, "a number", name, source)
    filled = parsed.cast(pl.Float64).fill_null(np.nan if missing is None else missing)
    return np.array(filled.to_numpy(), np.float64)


def coordinates(frame: pl.DataFrame, name: str, source: str | None, largest: float | None = None) -> Float64s:
    """Finite numbers of every cell, with no absolute value above `largest` where that is told."""
    values = numbers(frame, name, source, missing=np.nan, largest=largest)
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise BadCoordinate(
            f"Column '{name}' holds no finite number; give every row its coordinates.",
            **place(source, int(bad[0]), name),
        )
    return values


def flags(frame: pl.DataFrame, name: str, source: str | None = None) -> Bools:
    """True or false of every cell: true/false, yes/no, 1/0 in any case; empty is false."""
    values = column(frame, name, source)
    empty = is_empty(values)
    if values.dtype == pl.Boolean:
        parsed = values
    else:
        text = values.cast(pl.String).str.strip_chars().str.to_lowercase().str.strip_suffix(".0")
        parsed = text.replace_strict(_WORDS_FOR_FLAGS, default=None, return_dtype=pl.Boolean)
    _refuse_unparsable(values, parsed.is_null() & ~empty, "true or false (1 or 0)", name, source)
    return np.array(parsed.fill_null(False).to_numpy(), np.bool_)


def times(frame: pl.DataFrame, name: str, source: str | None = None, time_format: str | None = None) -> pl.Series:
    """Times as they can be compared: numbers as they are, timestamps as UTC microseconds (Datetime)."""
    values = column(frame, name, source)
    row = first_empty(values)
    if row is not None:
        raise BadRow(f"Column '{name}' is empty; give a number or an ISO timestamp.", **place(source, row, name))
    wanted = "a number or an ISO timestamp (2020-12-31T23:59:59Z)"
    return ordered_values(values, name, source, wanted, time_format)


def moments(
    frame: pl.DataFrame, name: str, source: str | None = None, time_format: str | None = None
) -> tuple[pl.Series, str]:
    """Times as UTC microseconds, or as numbers where they are no epochs; and how they are written, in words."""
    values = times(frame, name, source, time_format)
    if values.dtype != pl.Datetime:
        unit = epoch_of(values, name, source)
        return (values if unit is None else epoch_as_datetime(values, unit)), words_for(unit)
    written = column(frame, name, source)
    if time_format is not None:
        return values, EPOCH_WORDS.get(time_format, time_format)
    if written.dtype != pl.String:
        return values, "timestamps"
    text = written.str.strip_chars()
    other = None if parse_timestamps(text.head(1))[0] is not None else recognise(text, name, source)
    return values, "ISO 8601" if other is None else other.words


def ordered_values(
    values: pl.Series, name: str, source: str | None, wanted: str, time_format: str | None = None
) -> pl.Series:
    """A column without empty cells as integers, floats or timestamps: the first of these that all cells can be, or
    timestamps as declared."""
    if time_format is not None:
        return parse_as(values, time_format, name, source).values
    if not len(values):
        return values.cast(pl.Int64, strict=False)
    if values.dtype.is_decimal():
        values = values.cast(pl.Float64)
    if values.dtype.is_integer() or values.dtype.is_float():
        _refuse_not_finite(values, name, source)
        return values
    if values.dtype in (pl.Date, pl.Datetime):
        return in_utc(values)
    if values.dtype != pl.String:
        raise BadRow(f"Column '{name}' must hold {wanted}, it holds {values.dtype}.", **place(source, 0, name))
    text = values.str.strip_chars()
    whole = text.cast(pl.Int64, strict=False)
    if not whole.has_nulls():
        return whole
    real = text.cast(pl.Float64, strict=False)
    if not real.has_nulls():
        _refuse_not_finite(real, name, source)
        return real
    moments = parse_timestamps(text)
    if moments.has_nulls():
        recognised = recognise(text, name, source)
        if recognised is not None:
            return recognised.values
    # Say what is wrong with the kind that most cells are of.
    best = min((whole, real, moments), key=lambda parsed: parsed.null_count())
    _refuse_unparsable(values, best.is_null(), wanted, name, source)
    return moments


def seconds_of_day(values: pl.Series) -> pl.Series | None:
    """Times of one day, 7:30 or 07:30:15, as whole seconds since midnight; None where some cell is none."""
    if values.dtype != pl.String:
        return None
    parts = values.str.strip_chars().str.extract_groups(r"^(\d{1,2}):([0-5]\d)(?::([0-5]\d))?$").struct.unnest()
    hours, minutes, seconds = (parts[name].cast(pl.Int64) for name in parts.columns)
    if hours.has_nulls() or (hours > 23).any():
        return None
    return hours * 3600 + minutes * 60 + seconds.fill_null(0)


def parse_timestamps(text: pl.Series) -> pl.Series:
    """ISO 8601 dates and timestamps as UTC; without an offset they count as UTC. Null where it is none."""
    # chrono would take '20-01-01' as the year 20, so four digits are demanded first
    candidates = text.set(~text.str.contains(r"^\d{4}-\d{2}-\d{2}(?:$|[T ]\d{2}:\d{2})").fill_null(False), None)
    bare = candidates.str.replace(r"[Zz]$", "")
    if bare.str.len_bytes().max() == len("2020-12-31"):
        return in_calendar(bare.str.to_date("%Y-%m-%d", strict=False, exact=True).cast(pl.Datetime("us")))
    parsed = bare.str.to_datetime(TIMESTAMP_FORMATS[0], time_unit="us", strict=False)
    for pattern in TIMESTAMP_FORMATS[1:]:
        if parsed.null_count() == candidates.null_count():
            return parsed
        parsed = _filled(parsed, bare.str.to_datetime(pattern, time_unit="us", strict=False))
    days = bare.str.to_date("%Y-%m-%d", strict=False, exact=True).cast(pl.Datetime("us"))
    parsed = _filled(parsed, days)
    for pattern in TIMESTAMP_FORMATS_WITH_OFFSET:
        if parsed.null_count() == candidates.null_count():
            break
        zoned = candidates.str.to_datetime(pattern, time_unit="us", time_zone="UTC", strict=False)
        parsed = _filled(parsed, zoned.dt.replace_time_zone(None))
    return in_calendar(parsed)


def in_calendar(moments: pl.Series) -> pl.Series:
    """Dates and timestamps of the years 1 to 9999; null beyond, which Python cannot hold."""
    per_day = 1
    if isinstance(moments.dtype, pl.Datetime):
        per_day = 86_400 * {"ms": 10**3, "us": 10**6, "ns": 10**9}[moments.dtype.time_unit or "us"]
    counted = moments.to_physical()
    first, last = FIRST_DAY * per_day, (LAST_DAY + 1) * per_day - 1
    if not len(counted) or (cast(int, counted.min() or 0) >= first and cast(int, counted.max() or 0) <= last):
        return moments
    return moments.set(((counted < first) | (counted > last)).fill_null(False), None)


def with_plain_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Each key of an object in a column of its own (`patient.age`), times of day as texts, durations as seconds."""
    while objects := [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Struct)]:
        frame = frame.unnest(objects, separator=".")
    return frame.with_columns(pl.col(pl.Time).cast(pl.String), pl.col(pl.Duration).dt.total_microseconds() / 1e6)


def dates_in_calendar(frame: pl.DataFrame, source: str, *, by_record: bool = False) -> pl.DataFrame:
    """The table without dates beyond the years 1 to 9999: they are refused, and `by_record` they are missing."""
    for cells in frame.iter_columns():
        if cells.dtype in (pl.Date, pl.Datetime):
            dates = in_calendar(cells)
            if dates is not cells and not by_record:
                row = int((dates.is_null() & cells.is_not_null()).arg_true()[0])
                raise BadRow(
                    f"Column '{cells.name}' holds a date beyond the years 1 to 9999; correct the cell.",
                    **place(source, row, cells.name),
                )
            frame = frame.with_columns(dates)
    return frame


def in_utc(moments: pl.Series) -> pl.Series:
    """Dates and timestamps of any zone as UTC timestamps without a zone, in microseconds; null beyond the calendar."""
    moments = in_calendar(moments)
    if moments.dtype == pl.Date:
        return moments.cast(pl.Datetime("us"))
    zone = getattr(moments.dtype, "time_zone", None)
    plain = moments.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zone else moments
    return plain.dt.cast_time_unit("us")


def _filled(parsed: pl.Series, more: pl.Series) -> pl.Series:
    return parsed.zip_with(parsed.is_not_null(), more)


def _refuse_unparsable(values: pl.Series, bad: pl.Series, wanted: str, name: str, source: str | None) -> None:
    if bad.any():
        row = int(bad.arg_true()[0])
        raise BadRow(
            f"Column '{name}' must hold {wanted}, got {values[row]!r}.",
            **place(source, row, name),
            got=str(values[row]),
        )


def _refuse_not_finite(values: pl.Series, name: str, source: str | None) -> None:
    if values.dtype.is_float():
        bad = ~values.is_finite()
        if bad.any():
            row = int(bad.arg_true()[0])
            raise BadRow(f"Column '{name}' must hold finite numbers, got {values[row]!r}.", **place(source, row, name))
