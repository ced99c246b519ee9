"""Periods as people write them: two instants, or four where beginning and end are not known exactly."""

from __future__ import annotations

from datetime import UTC, datetime

from crypsis.errors import BadInterval, BadQuery
from crypsis.fuzzytime import FuzzyInterval

_FORMS = "2024-03-01T08:00/10:00, or 2024-03-01T08:00/08:15/10:00/10:30"


def read_period(text: str, *, clock: bool = True, cycle: int = 0) -> FuzzyInterval:
    """Two or four instants with / between them. A date may be left out where it is the one before; by time of day only
    times are written, by time of the week seconds from Monday; without a clock, numbers. Times are UTC."""
    parts = text.split("/")
    if len(parts) not in (2, 4):
        raise BadQuery(f"A period has two or four instants, such as {_FORMS}; got {text!r}.")
    instants: list[float] = []
    day = ""
    for part in parts:
        stamp = part.strip()
        if "T" in stamp:
            day = stamp.partition("T")[0]
        instants.append(_seconds(stamp, day, clock=clock, cycle=cycle))
    whole = [int(instant) if float(instant).is_integer() else instant for instant in instants]
    if whole != sorted(whole):
        raise BadQuery(f"The instants of a period must not fall, got {text!r}.")
    try:
        return FuzzyInterval.crisp(*whole) if len(whole) == 2 else FuzzyInterval(*whole)
    except BadInterval as error:
        raise BadQuery(f"{text!r} is no period: {error}") from error


def _seconds(stamp: str, day: str, *, clock: bool, cycle: int) -> float:
    try:
        if cycle == 86_400 and ":" in stamp and "T" not in stamp:
            hours, _, minutes = stamp.partition(":")
            return int(hours) * 3600 + int(minutes) * 60
        if not clock or cycle:
            return float(int(stamp))
        moment = datetime.fromisoformat(stamp if "T" in stamp or not day or "-" in stamp else f"{day}T{stamp}")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except ValueError:
        wanted = "08:00/10:00" if cycle == 86_400 else "numbers of seconds" if cycle or not clock else _FORMS
        raise BadQuery(f"{stamp!r} is no instant of this release; write a period as {wanted}.") from None
