"""The original of a released table: roles, types and columns of items are taken from the release, nobody types them.

Columns that the release does not have were left out of it, so they are read as identifiers. How the items of a column
are separated is not published; of the usual separators the one counts whose items the release knows best. A wrong one
could only make a release look untruthful.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.declared_times import with_times
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.mixed import UNITED, Mixed, PublishedMixed
from crypsis.data.relational import Table
from crypsis.data.steps import shape, steps_of
from crypsis.data.values import converted, is_convertible
from crypsis.errors import UnknownColumn

SEPARATORS = (" ", ",", ";", "|")


def read_original_table(
    path: str | Path,
    described: Mapping[str, Any],
    *,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: Sequence[str] = ("?",),
    unparsable: str = "error",
    time_format: str | None = None,
    step: Any = None,
    format: str | None = None,
    **options: Any,
) -> Table:
    """The table that a release was made of, as its manifest describes the columns."""
    frame, source = read_table_file(path, format=format, **options)
    frame = with_times(
        shape(frame, steps_of(step)), time_format, missing_tokens, source, lenient=unparsable == "missing"
    )
    _refuse_lacking([column["name"] for column in described["columns"]], frame.columns, str(source))
    return Table.from_frame(
        frame,
        _roles(described, frame.columns, person),
        _types(described, frame, missing_tokens, unparsable),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        missing_tokens=missing_tokens,
        unparsable=unparsable,
        source=source,
    )


def read_original_mixed(
    path: str | Path,
    described: Mapping[str, Any],
    published: PublishedMixed,
    *,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: Sequence[str] = ("?",),
    unparsable: str = "error",
    time_format: str | None = None,
    step: Any = None,
    format: str | None = None,
    **options: Any,
) -> Mixed:
    """The same with its columns of items."""
    frame, source = read_table_file(path, format=format, **options)
    frame = with_times(
        shape(frame, steps_of(step)), time_format, missing_tokens, source, lenient=unparsable == "missing"
    )
    _refuse_lacking([column["name"] for column in described["columns"]], frame.columns, str(source))
    known = {label for name in published.transactions.symbols.label_lists for label in name}
    columns = _item_columns(described["items"], frame.columns, known, str(source))
    items = {name: _separator_of(frame[name], labels) for name, labels in columns.items()}
    relational = [name for name in frame.columns if name not in items]
    return Mixed.from_frame(
        frame,
        _roles(described, relational, person),
        items,
        _types(described, frame, missing_tokens, unparsable),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        missing_tokens=tuple(missing_tokens),
        unparsable=unparsable,
        source=source,
    )


def _roles(described: Mapping[str, Any], columns: Sequence[str], person: str | None) -> dict[str, str]:
    told = {column["name"]: column["role"] for column in described["columns"]}
    return {name: told.get(name, "identifier") for name in columns if name != person}


def _types(
    described: Mapping[str, Any], frame: pl.DataFrame, missing_tokens: Sequence[str], unparsable: str
) -> dict[str, str]:
    """The types that the release tells, but for columns with values that are of none of them.

    Where nobody declared a type, a release tells that of its published values; suppressed records may hold others, and
    then the type is guessed from all of them, as it was when the release was made.
    """
    told = {column["name"]: column["type"] for column in described["columns"]}
    if unparsable == "missing":
        return told
    return {name: type for name, type in told.items() if _fits(frame[name], type, missing_tokens)}


def _fits(cells: pl.Series, type: Any, missing_tokens: Sequence[str]) -> bool:
    if not is_convertible(cells.dtype):
        return True  # refused in words by whoever reads the column
    values = cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum, pl.Null) else cells
    distinct = values.unique()
    absent = is_empty(distinct)
    if distinct.dtype == pl.String:
        absent |= distinct.str.strip_chars().is_in(list(missing_tokens)).fill_null(False)
    return bool((converted(distinct, type).is_not_null() | absent).all())


def _refuse_lacking(expected: Sequence[str], columns: Collection[str], source: str) -> None:
    lacking = [name for name in expected if name not in columns]
    if lacking:
        raise UnknownColumn(
            f"The release has the column {lacking[0]!r}, and this file has none of that name; give the file that the "
            "release was made of.",
            where=source,
        )


def _item_columns(name: str, columns: Sequence[str], known: set[str], source: str) -> dict[str, set[str]]:
    """The columns of items with the labels that the release knows of each; united ones stand before a point."""
    if name in columns:
        return {name: known}
    parts = {
        column: {label[len(column) + 1 :] for label in known if label.startswith(f"{column}.")} for column in columns
    }
    found = {column: labels for column, labels in parts.items() if labels}
    if name != UNITED or not found:
        _refuse_lacking([name], columns, source)
    return found


def _separator_of(cells: pl.Series, known: set[str]) -> str | None:
    """The separator under which most of the different items are known to the release; None for lists."""
    if cells.dtype != pl.String:
        return None
    texts = cells.drop_nulls().unique()

    def known_share(separator: str) -> float:
        found = texts.str.split(separator).explode().str.strip_chars().unique()
        items = found.filter(found != "")
        return int(items.is_in(list(known)).sum()) / max(len(items), 1)

    return max(SEPARATORS, key=known_share)
