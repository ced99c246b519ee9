"""Numbers and lists as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

LONGEST_LABEL = 60


def shown(value: Any) -> str:
    """A value of the manifest: whole numbers in groups of three, others to four significant digits."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return figure(value)
    return str(value)


def figure(value: float | None, digits: int = 4) -> str:
    """A number, to so many significant digits if it is not whole; null stands for infinity, which JSON cannot write."""
    if value is None or math.isinf(value):
        return "infinite" if value is None or value > 0 else "minus infinite"
    if math.isnan(value):
        return "undefined"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if 1e-3 <= abs(value) < 1e15:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits}g}"


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def capital(words: str) -> str:
    """Words at the beginning of a title; a parameter of one letter stays as it is."""
    return words[:1].upper() + words[1:] if len(words) > 1 else words


def shortened(label: str, longest: int = LONGEST_LABEL) -> str:
    """A label that fits into a line."""
    return label if len(label) <= longest else label[: longest - 1] + "…"


def listed(labels: Sequence[str], most: int) -> str:
    """The first labels and how many more there are."""
    first = [shortened(label) for label in labels[:most]]
    left = len(labels) - len(first)
    return ", ".join(first) + (f" and {left:,} more" if left else "")


def enumerated(names: Sequence[str]) -> str:
    """`age, town and sex`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
