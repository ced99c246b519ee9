"""Whether the first row of a table names the columns, or is a record like those below it.

A text above numbers or dates is a name. Without any such column the row is a record where it holds a number or date of
its own column, or where its texts recur below as only those of records do. Years above other numbers, and numbers that
only count (0, 1, 2), are names. Where nothing tells, the row is taken for names, as most files have them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from crypsis.data.missing import MARKERS

LOOKED_AT = 200  # rows below the first
_NUMBER = re.compile(r"[+-]?(?:\d[\d.,' \u00a0]*|\.\d+)(?:[eE][+-]?\d+)?%?")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?")
_YEARS = range(1800, 2101)
TOLD = "the first row is a record like those below it, so columns are numbered; say `header` if it names them"


def names_columns(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first of these rows names the columns of the others."""
    first, below = [cell.strip() for cell in rows[0]], rows[1 : LOOKED_AT + 1]
    if not below:
        return True
    values, counted = 0, [cell for cell in first if _is_value(cell)]
    counts = len(counted) > 1 and counted in ([*map(str, range(len(counted)))], [*map(str, range(1, len(counted) + 1))])
    for position, cell in enumerate(first):
        cells = [row[position].strip() for row in below if position < len(row)]
        said = [text for text in cells if text and text.lower() not in MARKERS]
        if not said or not cell or not all(map(_is_value, said)):
            continue
        if not _is_value(cell):
            if cell.lower() not in MARKERS:
                return True
        elif not counts and not _is_year_above(cell, said):
            values += 1
    return not values and not _repeats(first, below)


def _is_value(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text))


def _is_year_above(cell: str, said: Sequence[str]) -> bool:
    """Whether a year stands above numbers that are not years: `2019` above `3.5`."""
    if not cell.isdecimal() or int(cell) not in _YEARS:
        return False
    return not all(text.isdecimal() and int(text) in _YEARS for text in said)


def _repeats(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is made of values: most of its texts stand below themselves again.

    Where no text stands twice in it, all must, as names do that a file repeats: rows of names alone do not count.
    """
    records = [cells for row in below if (cells := [cell.strip() for cell in row]) != first]
    said = [(at, cell) for at, cell in enumerate(first) if cell]
    again = sum(any(row[at] == cell for row in records if at < len(row)) for at, cell in said)
    if len({cell for _, cell in said}) == len(said):
        return len(said) > 1 and again == len(said)
    return len(said) == len(first) and 2 * again > len(first) and len({*first}) < 0.9 * len(first)
