"""Numbers and lists as people read them, in the reader's language (see `crypsis.wording` for those in English)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crypsis import wording
from crypsis.translation import _, language, plural, translated
from crypsis.translation.templates import localized

__all__ = ["counted", "enumerated", "figure", "listed", "shortened", "shown"]

shortened = wording.shortened

# Nouns that are counted where only their name is known, such as what a guarantee counts.
NOUNS = (
    ("class", "classes"),
    ("distinct set", "distinct sets"),
    ("distinct trajectory", "distinct trajectories"),
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
