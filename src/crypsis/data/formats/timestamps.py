"""Times of a whole column: recognised from all of its cells, or declared with `time_format`.

Recognised are ISO 8601, `2008/06/08 23:40:39`, `08.06.2008 23:40`, months by their names (month_names.toml), and dates
with slashes or dashes whose order of day and month follows from the column; where both fit, it is asked. Numbers are
epochs by their magnitude: seconds from 1973 on, milli-, micro- and nanoseconds; smaller ones are plain counts of
seconds.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from crypsis.data.formats.source import place
from crypsis.errors import BadParameter, BadTimestamps

EPOCHS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}  # steps of a second
SPREADSHEET = "excel"  # days since the end of 1899, as spreadsheets count
_FIRST_SPREADSHEET_DAY = -25_569  # in days since 1970
EPOCH_WORDS = {"s": "epoch seconds", "ms": "epoch milliseconds", "us": "epoch microseconds", "ns": "epoch nanoseconds"}
_FIRST_SECOND = 1e8  # 1973: below, a number is no epoch
_BANDS = {"s": (_FIRST_SECOND, 1e11), "ms": (1e11, 1e14), "us": (1e14, 1e17), "ns": (1e17, 1e20)}
_YEARS_IN_DIGITS = (19e12, 21.1e12)  # 20080608234039; as milliseconds in the years 2572 to 2638
_CLOCK = r"(?:,?[ T](\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s*(?:([AaPp])\.?\s?[Mm]\.?)?)?"
_YEAR_FIRST = rf"^(\d{{4}})([/.])(\d{{1,2}})[/.](\d{{1,2}}){_CLOCK}$"
_YEAR_LAST = rf"^(\d{{1,2}})([./-])(\d{{1,2}})[./-](\d{{4}}){_CLOCK}$"
_WEEKDAY = r"^(?:[\p{L}\p{M}]+[.,]{0,2}\s+)?"
_TIME = r"(?P<clock>,?[ T]\d{1,2}:\d{2}[\d:.]*\s*(?:[AaPp]\.?\s?[Mm]\.?)?)?$"
_WITH_MONTHS = (  # how dates with names of months look
    _WEEKDAY + r"(?P<day>\d{1,2})(?:[.º°]|er|st|nd|rd|th)?[\s-]*(?:de\s+|of\s+)?(?P<month>"
    r"[\p{L}\p{M}]{2,})[.॰]?,?[\s-]*(?:del?\s+)?(?P<year>\d{4})(?:\s*(?:года|року|г|р)\.?)?" + _TIME,
    _WEEKDAY + r"(?P<month>[\p{L}\p{M}]{2,})[.॰]?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})" + _TIME,
    r"^(?P<year>\d{4})\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日일]" + _TIME,
)
_ODD_CLOCKS = {
    r"^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}:\d{2}:\d{2}),(\d{1,9})$": "${1}/${2}/${3} ${4}.${5}",
    r"^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:UTC|GMT)$": "${1}/${2}/${3} ${4}",
    r"^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z?$": "${1}/${2}/${3} ${4}:${5}:${6}",
}
_WITH_NAMES = {  # of mail and of the web: how they look, and how they are written
    r"^[A-Z][a-z]{2} [A-Z][a-z]{2} \d{2} \d{2}:\d{2}:\d{2} [+-]\d{4} \d{4}$": "%a %b %d %H:%M:%S %z %Y",
    r"^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}$": "%a, %d %b %Y %H:%M:%S %z",
}


@dataclass(frozen=True)
class Moments:
    """Times as UTC microseconds (Datetime), and how they are written, in words."""

    values: pl.Series
    words: str


def looks_like_dates(text: pl.Series) -> bool:
    """Whether all these texts have the form of dates that are not ISO 8601."""
    stripped = with_numbered_months(_with_usual_clock(text.str.strip_chars()))
    patterns = (_YEAR_FIRST, _YEAR_LAST, *_WITH_NAMES)
    return any(bool(stripped.str.contains(pattern).all()) for pattern in patterns)


def recognise(text: pl.Series, name: str, source: str | None) -> Moments | None:
    """Dates that are not ISO 8601; None where some cell is none, `BadTimestamps` where day and month may be either."""
    written = _with_usual_clock(text)
    text = with_numbered_months(written)
    for pattern, orders in ((_YEAR_FIRST, ("ymd",)), (_YEAR_LAST, ("dmy", "mdy"))):
        if not text.str.contains(pattern).all():
            continue
        parts = text.str.extract_groups(pattern).struct.unnest()
        fitting = {order: moments for order in orders if not (moments := _in_order(parts, order)).has_nulls()}
        if not fitting:
            return None
        dotted = bool((parts["2"] == ".").all())
        if len(fitting) > 1 and not dotted and not fitting["dmy"].equals(fitting["mdy"]):
            row = int((fitting["dmy"] != fitting["mdy"]).arg_true()[0])
            raise BadTimestamps(
                f"Column '{name}' can be read with the day first or with the month first, as in {text[row]!r}. "
                + _ask_which(parts.row(row, named=True)),
                **place(source, row, name),
            )
        order = next(iter(fitting))
        words = {"ymd": "year, month, day", "dmy": "day, month, year", "mdy": "month, day, year"}[order]
        return Moments(fitting[order], words if text is written else "a day, the name of a month and a year")
    for pattern, form in _WITH_NAMES.items():
        if text.str.contains(pattern).all():
            moments = parse_moments(text, form)
            return None if moments.has_nulls() else Moments(moments, form)
    return None


def _with_usual_clock(text: pl.Series) -> pl.Series:
    """Texts like `2008-06-08 23:40:39,123`, `2008-06-08 23:40:39 UTC` or `20080608T234039Z` with slashes and colons."""
    for pattern, plain in _ODD_CLOCKS.items():
        if text.head(1).str.contains(pattern).any() and text.str.contains(pattern).all():
            return text.str.replace(pattern, plain)
    return text


def with_numbered_months(text: pl.Series) -> pl.Series:
    """Texts like `16. Mai 1968 12:30` as `1968/5/16 12:30` if all are such; else as they are."""
    for pattern in _WITH_MONTHS:
        if not text.head(1).str.contains(pattern).all() or not text.str.contains(pattern).all():
            continue
        parts = text.str.extract_groups(pattern).struct.unnest()
        words = parts["month"].str.normalize("NFC").str.to_lowercase().str.replace_all("\u0307", "")
        months = words.replace_strict(_numbers_of_months(), default=None, return_dtype=pl.String)
        if not months.has_nulls():
            clock = parts["clock"].fill_null("").str.strip_prefix(",")
            return (parts["year"] + "/" + months + "/" + parts["day"] + clock).alias(text.name)
    return text


@cache
def _numbers_of_months() -> dict[str, str]:
    """The number of a month by its name in any language, or by itself."""
    names = tomllib.loads((Path(__file__).parent / "month_names.toml").read_text(encoding="utf-8"))
    months = [(str(number), words) for line in names.values() for number, words in enumerate(line.split(), start=1)]
    numbers = {f"{number:0{digits}}": str(number) for number in range(1, 13) for digits in (1, 2)}
    return numbers | {word: number for number, words in months for word in words.split("/")}


def _ask_which(parts: dict[str, str | None]) -> str:
    """The two formats that a cell may have."""
    mark, seconds = str(parts["2"]), ":%S" + ("%.f" if parts["8"] else "") if parts["7"] else ""
    hour, half = ("%I", " %p") if parts["9"] else ("%H", "")
    clock = f" {hour}:%M{seconds}{half}" if parts["5"] else ""
    first, other = (f"time_format='{mark.join(order)}{clock}'" for order in (["%d", "%m", "%Y"], ["%m", "%d", "%Y"]))
    return f"Say which: {first} or {other}."


def parse_as(values: pl.Series, time_format: str, name: str, source: str | None) -> Moments:
    """Times as declared: an epoch (s, ms, us, ns) or a format of strftime."""
    parsed = parse_moments(values, time_format)
    if parsed.has_nulls():
        row = int(parsed.is_null().arg_true()[0])
        wanted = (
            "numbers, as time_format says" if time_format in (*EPOCHS, SPREADSHEET) else f"times like {time_format!r}"
        )
        raise BadTimestamps(f"Column '{name}' must hold {wanted}, got {values[row]!r}.", **place(source, row, name))
    return Moments(parsed, EPOCH_WORDS.get(time_format, time_format))


def parse_moments(values: pl.Series, time_format: str) -> pl.Series:
    """UTC microseconds as declared; null where a cell is no such time."""
    if time_format in EPOCHS:
        numbers = values.cast(pl.Float64, strict=False) if values.dtype == pl.String else values
        if numbers.dtype.is_numeric():
            return epoch_as_datetime(numbers, time_format)
        return pl.repeat(None, len(values), dtype=pl.Datetime("us"), eager=True).alias(values.name)
    if time_format == SPREADSHEET:
        days = values.cast(pl.Float64, strict=False) + _FIRST_SPREADSHEET_DAY
        return (days * 86_400_000).round().cast(pl.Int64).cast(pl.Datetime("ms")).cast(pl.Datetime("us"))
    if "%" not in time_format:
        raise BadParameter(
            f"time_format must be one of {', '.join(EPOCHS)}, {SPREADSHEET} or a format like '%d.%m.%Y %H:%M', got "
            f"{time_format!r}.",
            parameter="time_format",
        )
    text = values.cast(pl.String).str.strip_chars()
    try:
        parsed = text.str.to_datetime(time_format, time_unit="us", strict=False)
        if parsed.null_count() == len(parsed) and len(parsed):
            parsed = text.str.to_date(time_format, strict=False).cast(pl.Datetime("us"))
    except pl.exceptions.PolarsError as error:
        raise BadParameter(
            f"time_format {time_format!r} is no format of dates: {error}.", parameter="time_format"
        ) from None
    zoned = getattr(parsed.dtype, "time_zone", None)
    return parsed.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else parsed


def epoch_of(numbers: pl.Series, name: str, source: str | None) -> str | None:
    """The epoch that all numbers of a column are in, by their magnitude; None for plain counts."""
    if not len(numbers):
        return None
    lowest, highest = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
    if lowest < _FIRST_SECOND:
        return None
    if _YEARS_IN_DIGITS[0] <= lowest <= highest < _YEARS_IN_DIGITS[1]:
        raise BadTimestamps(
            f"The numbers of column '{name}' seem to be the digits of a day and a time, as in {lowest:.0f}. If so, "
            "say time_format='%Y%m%d%H%M%S'; if they count milliseconds since 1970, say time_format='ms'.",
            **place(source, 0, name),
        )
    for unit, (least, most) in _BANDS.items():
        if least <= lowest and highest < most:
            return unit
    raise BadTimestamps(
        f"The numbers of column '{name}' are of different magnitudes, so they are not all seconds, milliseconds or "
        "microseconds since 1970. Correct them, or say which with time_format (s, ms, us or ns).",
        **place(source, int(numbers.arg_max() or 0), name),
    )


def words_for(unit: str | None) -> str:
    """How numeric times were understood."""
    return "numbers, taken as seconds" if unit is None else EPOCH_WORDS[unit]


def epoch_as_datetime(numbers: pl.Series, unit: str) -> pl.Series:
    """Numbers since 1970 in this unit as UTC microseconds."""
    steps = EPOCHS[unit]
    if numbers.dtype.is_integer():
        whole = numbers.cast(pl.Int64)
        micros = whole // (steps // EPOCHS["us"]) if steps > EPOCHS["us"] else whole * (EPOCHS["us"] // steps)
    else:
        micros = (numbers * (EPOCHS["us"] / steps)).round().cast(pl.Int64)
    return micros.cast(pl.Datetime("us"))


def _in_order(parts: pl.DataFrame, order: str) -> pl.Series:
    """Every part put in its place, as ISO text, and that parsed; null where it is no date."""
    day, month, year = {"ymd": ("4", "3", "1"), "dmy": ("1", "3", "4"), "mdy": ("3", "1", "4")}[order]
    date = pl.concat_str(
        pl.col(year), pl.lit("-"), pl.col(month).str.zfill(2), pl.lit("-"), pl.col(day).str.zfill(2), pl.lit(" ")
    )
    clock = pl.concat_str(
        pl.col("5").fill_null("0").str.zfill(2), pl.lit(":"), pl.col("6").fill_null("00"), pl.lit(":"),
        pl.col("7").fill_null("00"), pl.col("8").fill_null(""),
    )  # fmt: skip
    half = pl.col("9").str.to_uppercase() + "M"
    texts = parts.select(plain=date + clock, halved=date + clock + pl.lit(" ") + half.fill_null(""), half=half)
    plain = texts["plain"].str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)
    if texts["half"].is_null().all():
        return plain
    halved = texts["halved"].str.to_datetime("%Y-%m-%d %I:%M:%S%.f %p", time_unit="us", strict=False)
    return plain.zip_with(texts["half"].is_null(), halved)
