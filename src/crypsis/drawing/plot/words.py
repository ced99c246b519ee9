"""Values in words, as they stand in the tooltip of a mark."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from crypsis.drawing.frame import Axis
from crypsis.translation import _
from crypsis.translation.wording import date_text, figure, shortened


def shown(value: Any) -> str:
    """Write a value as plots show it."""
    if isinstance(value, (date, datetime)):
        return date_text(value)
    return figure(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def value_on(axis: Axis, row: dict[str, Any]) -> str:
    """What an axis measures, and the row's value there."""
    return f"{axis.label}: {shown(row[axis.column])}"


def between(start: Any, end: Any) -> str:
    """The values of a bin: whole numbers and dates up to the one before its end."""
    if isinstance(start, int):
        return shown(start) if end - start == 1 else _("{start} to {end}", start=shown(start), end=shown(end - 1))
    return _("{start} to {end}", start=shown(start), end=shown(end))


def told(words: Iterable[str]) -> str:
    """One line for each that says anything."""
    return "\n".join(shortened(part, 80) for part in words if part)
