"""The original of a released table: roles, types and columns of items are taken from the release, nobody types them.

Columns that the release does not have were left out of it, so they are read as identifiers. How the items of a column
are separated is not published; of the usual separators the one counts whose items the release knows best. A wrong one
could only make a release look untruthful.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
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


@dataclass(frozen=True, kw_only=True)
class OriginalCells:
    """How the cells of the original are understood, and whose its records are."""

    person: str | None = None
    each_row_is_a_person: bool = False
    missing_tokens: Sequence[str] = ("?",)
    unparsable: str = "error"
    time_format: str | None = None
    step: Any = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> tuple[OriginalCells, dict[str, Any]]:
        """From options of reading; the others say how the file is written."""
        own = {field.name: options[field.name] for field in fields(cls) if field.name in options}
        return cls(**own), {name: value for name, value in options.items() if name not in own}

    def read(
        self, path: str | Path, described: Mapping[str, Any], written: Mapping[str, Any]
    ) -> tuple[pl.DataFrame, str]:
        """The table, with every column that the release has, and its name for messages."""
        frame, source = read_table_file(path, **written)
        shaped = shape(frame, steps_of(self.step))
        lenient = self.unparsable == "missing"
        frame = with_times(shaped, self.time_format, self.missing_tokens, source, lenient=lenient)
        _refuse_lacking([column["name"] for column in described["columns"]], frame.columns, str(source))
        return frame, source

    def given(self) -> dict[str, Any]:
        """What a table is made with."""
        names = ("person", "each_row_is_a_person", "missing_tokens", "unparsable")
        return {name: getattr(self, name) for name in names}


def read_original_table(path: str | Path, described: Mapping[str, Any], **options: Any) -> Table:
    """The table that a release was made of, as its manifest describes the columns."""
    cells, written = OriginalCells.of(options)
    frame, source = cells.read(path, described, written)
    roles, types = _roles(described, frame.columns, cells.person), _types(described, frame, cells)
    return Table.from_frame(frame, roles, types, **cells.given(), source=source)


def read_original_mixed(
    path: str | Path, described: Mapping[str, Any], published: PublishedMixed, **options: Any
) -> Mixed:
    """The same with its columns of items."""
    cells, written = OriginalCells.of(options)
    frame, source = cells.read(path, described, written)
    known = {label for name in published.transactions.symbols.label_lists for label in name}
    columns = _item_columns(described["items"], frame.columns, known, str(source))
    items = {name: _separator_of(frame[name], labels) for name, labels in columns.items()}
    relational = [name for name in frame.columns if name not in items]
    roles, types = _roles(described, relational, cells.person), _types(described, frame, cells)
    given = {**cells.given(), "missing_tokens": tuple(cells.missing_tokens)}
    return Mixed.from_frame(frame, roles, items, types, **given, source=source)


def _roles(described: Mapping[str, Any], columns: Sequence[str], person: str | None) -> dict[str, str]:
    roles = {column["name"]: column["role"] for column in described["columns"]}
    return {name: roles.get(name, "identifier") for name in columns if name != person}


def _types(described: Mapping[str, Any], frame: pl.DataFrame, cells: OriginalCells) -> dict[str, str]:
    """The types that the release tells, but for columns with values that are of none of them.

    Where nobody declared a type, a release tells that of its published values; suppressed records may hold others, and
    then the type is guessed from all of them, as it was when the release was made.
    """
    types = {column["name"]: column["type"] for column in described["columns"]}
    if cells.unparsable == "missing":
        return types
    return {name: type for name, type in types.items() if _fits(frame[name], type, cells.missing_tokens)}


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
    sets = {column: labels for column, labels in parts.items() if labels}
    if name != UNITED or not sets:
        _refuse_lacking([name], columns, source)
    return sets


def _separator_of(cells: pl.Series, known: set[str]) -> str | None:
    """The separator under which most of the different items are known to the release; None for lists."""
    if cells.dtype != pl.String:
        return None
    texts = cells.drop_nulls().unique()

    def known_share(separator: str) -> float:
        labels = texts.str.split(separator).explode().str.strip_chars().unique()
        items = labels.filter(labels != "")
        return int(items.is_in(list(known)).sum()) / max(len(items), 1)

    return max(SEPARATORS, key=known_share)
