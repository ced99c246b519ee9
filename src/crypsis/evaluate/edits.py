"""Edits of a table: a replayable list of small changes. The original is never touched; undo is one entry less.

    {"edit": "rename", "column": "zip", "to": "postcode"}
    {"edit": "set", "row": 3, "column": "age", "value": "41"}
    {"edit": "add_row", "values": {"age": "30"}, "at": 0}
    {"edit": "delete_row", "row": 3}
    {"edit": "add_column", "column": "note", "value": ""}
    {"edit": "delete_column", "column": "note"}

Rows are counted from 0 in the table as it is when the edit is carried out. `at` may be left out: at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar

import polars as pl

from crypsis.errors import BadEdit, did_you_mean


@dataclass(frozen=True)
class Edit:
    """One change. `to_dict` and `edit_from_dict` are each other's inverse."""

    name: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """As it stands in an experiment file; what was left out stays out."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return {"edit": self.name, **given}


@dataclass(frozen=True)
class Rename(Edit):
    """Give a column another name."""

    name = "rename"
    column: str
    to: str


@dataclass(frozen=True)
class SetValue(Edit):
    """Change one cell; without a row, every cell that holds `instead_of`."""

    name = "set"
    column: str
    value: Any
    row: int | None = None
    instead_of: Any = None


@dataclass(frozen=True)
class AddRow(Edit):
    """Add a record; columns that are not named stay empty."""

    name = "add_row"
    values: Mapping[str, Any] = field(default_factory=dict)
    at: int | None = None


@dataclass(frozen=True)
class DeleteRow(Edit):
    """Leave a record out."""

    name = "delete_row"
    row: int


@dataclass(frozen=True)
class AddColumn(Edit):
    """Add a column with one value in every record."""

    name = "add_column"
    column: str
    value: Any = ""
    at: int | None = None


@dataclass(frozen=True)
class DeleteColumn(Edit):
    """Leave a column out."""

    name = "delete_column"
    column: str


EDITS: dict[str, type[Edit]] = {one.name: one for one in (Rename, SetValue, AddRow, DeleteRow, AddColumn, DeleteColumn)}
_WHOLE = ("row", "at")
_NAMES = ("column", "to")


def edit_from_dict(content: Any) -> Edit:
    """The edit that a table of an experiment file stands for; `BadEdit` says what is wrong with it."""
    if not isinstance(content, Mapping):
        raise BadEdit(f"An edit is a table such as {{edit='rename', column='a', to='b'}}, got {content!r}.")
    name = content.get("edit")
    if not isinstance(name, str) or name not in EDITS:
        raise BadEdit(
            f"There is no edit {name!r}; the edits are {', '.join(EDITS)}.{did_you_mean(str(name), EDITS)}",
        )
    kind = EDITS[name]
    known = [one.name for one in fields(kind)]
    nothing = {"row", "at", *_required(kind)} - {"value"}  # what is None there was not said
    given = {key: value for key, value in content.items() if key != "edit" and not (value is None and key in nothing)}
    for key, value in given.items():
        if key not in known:
            raise BadEdit(f"{name}: there is no {key!r}; it takes {', '.join(known)}.{did_you_mean(key, known)}")
        if key in _WHOLE and value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise BadEdit(f"{name}: {key} must be a whole number, got {value!r}.")
        if key == "value" and kind is AddColumn and not isinstance(value, (str, int, float, type(None))):
            raise BadEdit(f"{name}: value must be one value, got {value!r}.")
        if key in _NAMES and (not isinstance(value, str) or not value):
            raise BadEdit(f"{name}: {key} must be the name of a column, got {value!r}.")
    try:
        edit = kind(**given)
    except TypeError:
        missing = [one for one in known if one not in given and one in _required(kind)]
        raise BadEdit(f"{name}: {', '.join(missing)} must be given.") from None
    if isinstance(edit, SetValue) and edit.row is None and edit.instead_of is None:
        raise BadEdit("set: say which cell, by row, or which value to replace, by instead_of.")
    if isinstance(edit, AddRow) and not isinstance(edit.values, Mapping):
        raise BadEdit(f"add_row: values must be a table of columns and values, got {edit.values!r}.")
    return edit


class EditedTable:
    """A table and the edits to carry out on it.

    >>> import polars
    >>> table = EditedTable(polars.DataFrame({"age": ["20", "41"]}))
    >>> table.apply([{"edit": "set", "row": 1, "column": "age", "value": "40"}])["age"].to_list()
    ['20', '40']
    >>> table.original["age"].to_list()
    ['20', '41']
    """

    def __init__(self, original: pl.DataFrame) -> None:
        self.original = original

    def apply(self, edits: Iterable[Edit | Mapping[str, Any]]) -> pl.DataFrame:
        """The table after all edits, in order; `BadEdit` names the first that cannot be carried out."""
        listed = [edit if isinstance(edit, Edit) else edit_from_dict(edit) for edit in edits]
        frame = self.original
        index = 0
        while index < len(listed):
            together = _alike(listed, index)
            try:
                frame = _applied(frame, listed[index : index + together])
            except BadEdit as error:
                error.where = error.where or f"edit {index + 1}"
                raise
            index += together
        return frame


def _alike(edits: Sequence[Edit], start: int) -> int:
    """How many cells of one column are set in a row: these are carried out at once."""
    first, end = edits[start], start + 1
    if isinstance(first, SetValue) and first.row is not None:
        while end < len(edits):
            other = edits[end]
            if not isinstance(other, SetValue) or other.row is None or other.column != first.column:
                break
            end += 1
    return end - start


def _applied(frame: pl.DataFrame, edits: Sequence[Edit]) -> pl.DataFrame:
    edit = edits[0]
    match edit:
        case Rename():
            _known(frame, edit.column)
            if edit.to != edit.column:
                _unused(frame, edit.to)
            return frame.rename({edit.column: edit.to})
        case SetValue(row=None):
            _known(frame, edit.column)
            cells = frame[edit.column]
            old, new = _typed(cells, edit.instead_of), _typed(cells, edit.value)
            same = cells.is_null() if old is None else (cells == old).fill_null(False)
            return frame.with_columns(cells.set(same, new))
        case SetValue():
            return _scattered(frame, [one for one in edits if isinstance(one, SetValue)])
        case AddRow():
            return _with_row(frame, edit)
        case DeleteRow():
            row = _row(frame, edit.row)
            return pl.concat([frame.head(row), frame.tail(frame.height - row - 1)])
        case AddColumn():
            _unused(frame, edit.column)
            at = frame.width if edit.at is None else edit.at
            if not 0 <= at <= frame.width:
                raise BadEdit(f"add_column: at must be from 0 to {frame.width}, got {at}.")
            filled = pl.repeat(edit.value, frame.height, eager=True).alias(edit.column)
            return frame.clone().insert_column(at, filled)
        case DeleteColumn():
            _known(frame, edit.column)
            if frame.width == 1:
                raise BadEdit(f"delete_column: {edit.column!r} is the only column.")
            return frame.drop(edit.column)
    raise BadEdit(f"There is no edit {type(edit).__name__}.")


def _scattered(frame: pl.DataFrame, edits: Sequence[SetValue]) -> pl.DataFrame:
    name = edits[0].column
    _known(frame, name)
    cells = frame[name]
    last = {_row(frame, edit.row or 0): _typed(cells, edit.value) for edit in edits}
    if isinstance(cells.dtype, pl.List):
        values = cells.to_list()
        for row, value in last.items():
            values[row] = value
        return frame.with_columns(pl.Series(name, values, dtype=cells.dtype))
    return frame.with_columns(cells.clone().scatter(list(last), pl.Series(list(last.values()), dtype=cells.dtype)))


def _with_row(frame: pl.DataFrame, edit: AddRow) -> pl.DataFrame:
    for name in edit.values:
        _known(frame, name)
    at = frame.height if edit.at is None else edit.at
    if not 0 <= at <= frame.height:
        raise BadEdit(f"add_row: at must be from 0 to {frame.height}, got {at}.")
    empty = {name: "" if dtype == pl.String else None for name, dtype in frame.schema.items()}
    values = {name: _typed(frame[name], value) for name, value in edit.values.items()}
    row = pl.DataFrame(
        {name: pl.Series(name, [values.get(name, empty[name])], dtype=frame.schema[name]) for name in frame.columns}
    )
    return pl.concat([frame.head(at), row, frame.tail(frame.height - at)])


def _typed(cells: pl.Series, value: Any) -> Any:
    """The value in the type of its column: text stays text in a file that is all text."""
    if value is None:
        return None
    if cells.dtype == pl.String:
        return value if isinstance(value, str) else str(value)
    try:
        return pl.Series([value]).cast(cells.dtype).item()
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        raise BadEdit(f"set: column {cells.name!r} holds {cells.dtype}, got {value!r}.") from None


def _row(frame: pl.DataFrame, row: int) -> int:
    if not 0 <= row < frame.height:
        raise BadEdit(f"There is no row {row}; rows are counted from 0 to {frame.height - 1}.")
    return row


def _known(frame: pl.DataFrame, name: str) -> None:
    if name not in frame.columns:
        raise BadEdit(
            f"There is no column {name!r}; the columns are {', '.join(frame.columns)}."
            f"{did_you_mean(name, frame.columns)}"
        )


def _unused(frame: pl.DataFrame, name: str) -> None:
    if name in frame.columns:
        raise BadEdit(f"There is a column {name!r} already; names are unique.")


def _required(kind: type[Edit]) -> tuple[str, ...]:
    required: dict[str, tuple[str, ...]] = {
        "rename": ("column", "to"),
        "set": ("column", "value"),
        "delete_row": ("row",),
        "add_column": ("column",),
        "delete_column": ("column",),
    }
    return required.get(kind.name, ())
