"""Rows that hold several things side by side: columns dx01..dx15 that are a set, start and end that are two visits.

`first..last` names the columns from the first to the last in the order of the file.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from crypsis.data.formats.columns import is_empty, unknown_column
from crypsis.errors import BadParameter

BETWEEN = ".."


def columns_between(text: str | None, known: list[str], source: str | None = None) -> list[str] | None:
    """The columns that `first..last` names; None where the text names a column, or is no such range."""
    if text is None or text in known or BETWEEN not in text.strip("."):
        return None
    first, _, last = text.partition(BETWEEN)
    for name in (first, last):
        if name not in known:
            raise unknown_column(name, known, source)
    if known.index(first) >= known.index(last):
        raise BadParameter(f"{text} names columns from the first to the last; {first!r} stands behind {last!r}.")
    return known[known.index(first) : known.index(last) + 1]


def unite_columns(
    frame: pl.DataFrame, items: Mapping[str, str | None], source: str | None = None
) -> tuple[pl.DataFrame, dict[str, str | None]]:
    """With a column of lists in place of every range of columns that is named as a set; empty cells are no items."""
    divided = dict(items)
    for name, between in items.items():
        united = None if name in frame.columns else columns_between(between, frame.columns, source)
        if united is None:
            continue
        texts = frame.select(pl.col(united).cast(pl.String).str.strip_chars())
        gone = [
            pl.when(is_empty(texts[column])).then(None).otherwise(pl.col(column)).alias(column) for column in united
        ]
        lists = texts.with_columns(gone).select(pl.concat_list(united).list.drop_nulls().alias(name))[name]
        frame, divided[name] = frame.drop(united).with_columns(lists), None
    return frame, divided


def unfold_trips(
    frame: pl.DataFrame, columns: Mapping[str, str | None], source: str | None = None
) -> tuple[pl.DataFrame, dict[str, str | None], str | None]:
    """Two rows for every row whose start and end stand in columns `start..end`; names of columns, and the source.

    Where nothing is such a range, everything stays as it is.
    """
    ends: dict[str, tuple[str, str]] = {}
    for role, text in columns.items():
        between = columns_between(text, frame.columns, source)
        if between is not None:
            ends[role] = (between[0], between[-1])
    if not ends:
        return frame, dict(columns), source
    parts = []
    for end in (0, 1):
        named = [pl.col(pair[end]).alias(f"{pair[0]}{BETWEEN}{pair[1]}") for pair in ends.values()]
        parts.append(frame.with_row_index("row of the file").with_columns(named))
    rows = pl.concat(parts, how="vertical_relaxed").sort("row of the file", maintain_order=True)
    return rows.drop("row of the file"), dict(columns), None if source is None else str(source)
