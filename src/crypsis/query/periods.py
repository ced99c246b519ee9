"""Periods as people write them: two instants, or four where beginning and end are not known exactly."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from crypsis.data.timed_places import DAY, WEEK, WEEKDAYS
from crypsis.errors import BadInterval, BadQuery
from crypsis.fuzzytime import FuzzyInterval

_DATED = "2024-03-01T08:00/10:00, or 2024-03-01T08:00/08:15/10:00/10:30"
_FORMS = {DAY: "08:00/10:00, or 08:00/08:15/10:00/10:30", WEEK: "Mon 08:00/10:00, or Mon 08:00/Tue 10:00"}
_NUMBERS = "5/9, or 5/6/8/9, in the numbers of the data"
_DATE = re.compile(r"\d{4}-")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)")


def read_period(text: str, *, clock: bool = True, cycle: int = 0) -> FuzzyInterval:
    """Two or four instants with / between them. A date or day of the week may be left out where it is the one before.

    By time of day only times are written, and 26:00 is two in the night that follows; by time of the week days and
    times (`Mon 08:00`); without a clock, numbers. Times without a zone are UTC.
    """
    form = _FORMS.get(cycle, _DATED if clock else _NUMBERS)
    parts = [part.strip() for part in text.split("/")]
    if len(parts) not in (2, 4):
        raise BadQuery(f"A period has two or four instants, such as {form}; got {text!r}.")
    instants: list[float] = []
    day, zoned = "", []
    for part in parts:
        before, between, _ = part.partition(" " if cycle == WEEK else "T")
        if between:
            day = before
        stamp = part if between or not day or _DATE.match(part) else f"{day}{' ' if cycle == WEEK else 'T'}{part}"
        try:
            instant, has_zone = _second(stamp, clock=clock, cycle=cycle)
        except (ValueError, OverflowError):
            raise BadQuery(f"{part!r} is no instant of this release; write a period as {form}.") from None
        instants.append(instant)
        zoned.append(has_zone)
    if len(set(zoned)) > 1:
        raise BadQuery(
            f"Some instants of the period {text!r} have a zone and others have none; give it to all of them, or to "
            "none for UTC."
        )
    return _interval([int(one) if one.is_integer() else one for one in instants], text, cycle)


def write_instant(second: float, *, clock: bool = True, cycle: int = 0) -> str:
    """An instant as `read_period` reads it."""
    if not clock:
        return f"{second:g}" if not float(second).is_integer() else str(int(second))
    if not cycle:
        moment = datetime.fromtimestamp(second, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S" if second % 60 else "%Y-%m-%dT%H:%M")
    days, rest = divmod(int(second), DAY)
    if cycle == WEEK:
        return f"{WEEKDAYS[days % 7]} {rest // 3600:02d}:{rest // 60 % 60:02d}"
    return f"{days * 24 + rest // 3600:02d}:{rest // 60 % 60:02d}"


def _interval(instants: list[float], text: str, cycle: int) -> FuzzyInterval:
    if instants != sorted(instants):
        advice = " A period over midnight is written 22:00/26:00." if cycle == DAY else ""
        raise BadQuery(f"The instants of a period must not fall, got {text!r}.{advice}")
    try:
        return FuzzyInterval.crisp(*instants) if len(instants) == 2 else FuzzyInterval(*instants)
    except BadInterval as error:
        raise BadQuery(f"{text!r} is no period: {error}") from error


def _second(stamp: str, *, clock: bool, cycle: int) -> tuple[float, bool]:
    """The second of an instant, and whether it was written with a zone; `ValueError` where it is none."""
    if not clock or (cycle and re.fullmatch(r"\d+", stamp)):
        return float(int(stamp)), False
    if cycle:
        weekday, _, time = stamp.rpartition(" ")
        match = _CLOCK.fullmatch(time)
        if match is None or (cycle == DAY) != (not weekday):
            raise ValueError(stamp)
        first = DAY * _weekday(weekday) if weekday else 0
        return float(first + int(match[1]) * 3600 + int(match[2]) * 60), False
    moment = datetime.fromisoformat(stamp)
    zoned = moment.tzinfo is not None
    return (moment if zoned else moment.replace(tzinfo=UTC)).timestamp(), zoned


def _weekday(name: str) -> int:
    return [day.lower() for day in WEEKDAYS].index(name.strip().lower()[:3])
