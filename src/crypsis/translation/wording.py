"""Numbers and lists as people read them, in the reader's language (see `crypsis.wording` for those in English)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from crypsis import wording
from crypsis.translation import _, language, plural, translated
from crypsis.translation.templates import localized

__all__ = ["counted", "date_text", "duration", "enumerated", "figure", "listed", "shortened", "shown", "unbroken"]

shortened = wording.shortened
_PERCENT = re.compile(r"(?<=\d) (?=%)")

# Nouns that are counted where only their name is known, such as what a guarantee counts.
NOUNS = (
    ("class", "classes"),
    ("cluster", "clusters"),
    ("connection", "connections"),
    ("distinct set", "distinct sets"),
    ("distinct trajectory", "distinct trajectories"),
    ("event", "events"),
    ("group of its hierarchy", "groups of its hierarchy"),
    ("identifier", "identifiers"),
    ("item", "items"),
    ("label", "labels"),
    ("location", "locations"),
    ("original track", "original tracks"),
    ("owner", "owners"),
    ("person", "persons"),
    ("piece", "pieces"),
    ("place", "places"),
    ("point", "points"),
    ("published track", "published tracks"),
    ("quasi-identifier", "quasi-identifiers"),
    ("range", "ranges"),
    ("record", "records"),
    ("region", "regions"),
    ("row", "rows"),
    ("symbol", "symbols"),
    ("set of values", "sets of values"),
    ("track", "tracks"),
    ("trajectory", "trajectories"),
    ("value", "values"),
    ("visit", "visits"),
    ("window", "windows"),
)


def shown(value: Any) -> str:
    """A value of the manifest: whole numbers in groups of three, others to four significant digits."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return figure(value)
    return translated(wording.shown(value)) if value is None or isinstance(value, bool) else str(value)


def figure(value: float | None, digits: int = 4) -> str:
    """A number, to so many significant digits if it is not whole; null stands for infinity, which JSON cannot write."""
    written = wording.figure(value, digits)
    return localized(written, language()) if written[-1].isdigit() else translated(written)


def date_text(value: date, pattern: str = "") -> str:
    """A day, or a moment to the minute, as the language writes it: `2024-03-01 07:30`, in German `01.03.2024 07:30`.

    `pattern` leaves out parts: of `YM` and `MD` only these are written.
    """
    year, month, day = f"{value.year:04}", f"{value.month:02}", f"{value.day:02}"
    parts = {"": (year, month, day), "YM": (year, month), "MD": (month, day)}[pattern]
    german = language() == "de"
    written = ".".join(reversed(parts)) if german else "-".join(parts)
    written += "." if german and pattern == "MD" else ""
    if not isinstance(value, datetime) or pattern == "YM":
        return written
    return f"{written} {value:%H:%M:%S}" if value.second else f"{written} {value:%H:%M}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return plural(f"{{count:,}} {one}", f"{{count:,}} {many or one + 's'}", count)


def listed(labels: Sequence[str], most: int) -> str:
    """The first labels and how many more there are."""
    first = ", ".join(shortened(label) for label in labels[:most])
    left = len(labels) - most
    return _("{first} and {left:,} more", first=first, left=left) if left > 0 else first


def enumerated(names: Sequence[str]) -> str:
    """`age, town and sex`."""
    *first, last = names
    return _("{first} and {last}", first=", ".join(first), last=last) if first else last


def duration(seconds: float) -> str:
    """How long something took, with a unit that suits it."""
    if seconds < 0.001:
        return _("under 1 ms")
    if seconds < 1:
        return _("{milliseconds:.3g} ms", milliseconds=1000 * seconds)
    return (
        _("{seconds:.3g} s", seconds=seconds)
        if seconds < 120
        else _("{seconds:.0f} min {seconds2:.0f} s", seconds=seconds // 60, seconds2=seconds % 60)
    )


def unbroken(text: str) -> str:
    """The same, where no line ends between a number and its percent sign."""
    return _PERCENT.sub("\N{NO-BREAK SPACE}", text)
