"""Truthfulness word for word: every original record has a published row of its own that covers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Cell = tuple[str, Any]  # ("value", v), ("range", (low, high)), ("set", values), ("missing", None), ("any", None)


def covers_value(cell: Cell, value: Any) -> bool:
    kind, said = cell
    if kind in ("any", "suppressed"):
        return True
    if kind == "missing" or value is None:
        return kind == "missing" and value is None
    if kind == "value":
        return bool(value == said)
    if kind == "range":
        return bool(said[0] <= value <= said[1])
    return value in said


def covers_set(symbols: Sequence[Sequence[str]], items: Sequence[str], suppressed: Sequence[str] = ()) -> bool:
    """Every item is shown by a symbol or may be left out; every symbol shows an item that is there."""
    shown = {label for symbol in symbols for label in symbol}
    return all(item in shown or item in suppressed for item in items) and all(
        any(label in items for label in symbol) for symbol in symbols
    )


def can_be_paired(rows: Sequence[Any], records: Sequence[Any], covers: Callable[[Any, Any], bool]) -> bool:
    """Try every way to give each record a row: Kuhn's method, which leaves out none that could succeed."""
    if len(rows) != len(records):
        return False
    row_of: dict[int, int] = {}  # row: its record

    def find(record: int, seen: set[int]) -> bool:
        for row in range(len(rows)):
            if row not in seen and covers(rows[row], records[record]):
                seen.add(row)
                if row not in row_of or find(row_of[row], seen):
                    row_of[row] = record
                    return True
        return False

    return all(find(record, set()) for record in range(len(records)))
