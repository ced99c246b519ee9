"""What somebody who is new would do with a file: a role for every column, and a method to begin with. Only proposals.

They come from names and counts, as `inspect_file` gives them, and say why, so that they can be looked at and changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import polars as pl

from crypsis.data.inspection import ColumnSummary, Inspection
from crypsis.data.person_detection import identifies_by_name
from crypsis.data.usual_columns import ID_NAMES

_IDENTIFIES = re.compile(
    r"(^|_)(name|surname|firstname|lastname|ssn|email|mail|phone|passport|iban|account|address)($|_)|_id$|^id$|^uuid$"
)
_KNOWN_OF_PEOPLE = re.compile(  # what neighbours know: it never leaves a table only because no two records share it
    r"(^|_)(age|dob|birth.*|sex|gender|zip.*|post_?code|city|town|county|country|region|state|race|marital|education|"
    r"occupation|job|profession|height|weight|nationality)($|_)"
)
_SENSITIVE = re.compile(
    r"disease|diagnos|illness|condition|salary|income|wage|religio|politic|ethnic|hiv|drug|crime|ward|treatment|score"
)
_WORD_SEPARATORS = (" ", "|", ";", ",")
_MOST_ITEMS = 200_000  # cells looked at when sets are searched for
_SEVERAL = 0.2  # share of the cells that must hold more than one item
_CONTINUOUS = 0.9  # a number that differs in this share of the records tells everybody apart
_TELLING = 30  # records from which on it tells something that no two have the same value

METHOD_FOR_KIND: dict[str, tuple[str, dict[str, Any]]] = {
    "table": ("mondrian", {"k": 5}),
    "mixed": ("rum-bound", {"k": 5, "m": 2}),
    "transactions": ("disassociation", {"k": 5, "m": 2}),
    "trajectories": ("seq-anon", {"k": 5, "m": 2}),
    "tracks": ("ppsg", {"k": 5}),
    "events": ("itsa", {"L": 2, "K": 5}),
}


@dataclass(frozen=True)
class SuggestedRole:
    """A role for a column and why. `separator` stands between items where the column holds sets."""

    role: str
    reason: str
    separator: str | None = None


def suggested_roles(found: Inspection, frame: pl.DataFrame | None = None) -> dict[str, SuggestedRole]:
    """A role for every column of a table; sets are looked for in the frame, where it is given."""
    roles = {}
    asked = None if found.person_like is None else found.person_like.column
    for column in found.columns:
        if column.name == asked or _names_people(column):
            roles[column.name] = SuggestedRole("identifier", "seems to name people")
            continue
        separator = None if frame is None else _item_separator(frame, column)
        if separator is not None:
            roles[column.name] = SuggestedRole("quasi", "holds sets of items that recur", separator)
        else:
            roles[column.name] = _role(column, found.rows)
    return roles


def _role(column: ColumnSummary, rows: int) -> SuggestedRole:
    name = _words_of(column.name)
    if column.unique and (name in ID_NAMES or column.name.lower() in ID_NAMES):
        return SuggestedRole("identifier", "differs in every record")
    if _IDENTIFIES.search(name) and column.distinct > rows / 2:
        return SuggestedRole("identifier", "its name says that it identifies")
    if _SENSITIVE.search(name):
        return SuggestedRole("sensitive", "its name says that it should not be learned")
    if _differs_tellingly(column, name, rows):
        return SuggestedRole("identifier", "differs in every record")
    if column.distinct <= 1:
        return SuggestedRole("other", "is the same in every record")
    if column.type == "float" and column.distinct > _CONTINUOUS * rows > 100:
        return SuggestedRole("other", "is a measurement that hardly anybody knows")
    return SuggestedRole("quasi", "others may know it")


def _names_people(column: ColumnSummary) -> bool:
    """Whether a name identifies and the values repeat; of those with few values that is not said."""
    return not column.unique and identifies_by_name(column.name) and column.type != "float" and column.distinct > 2


def _words_of(name: str) -> str:
    """The name of a column in small letters, with one sign between its words: `patientName`, `patient name`."""
    return re.sub(r"[\s.\-]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())).lower()


def _differs_tellingly(column: ColumnSummary, name: str, rows: int) -> bool:
    """Whether a column is a key by its values alone. In a handful of records nearly every column differs."""
    known = rows < _TELLING or _KNOWN_OF_PEOPLE.search(name) is not None
    return column.unique and column.type in ("category", "int") and not known


def _item_separator(frame: pl.DataFrame, column: ColumnSummary) -> str | None:
    """What stands between the items of a set-valued column; None where cells hold single values."""
    if column.type != "category" or column.unique or column.name not in frame.columns:
        return None
    cells = frame[column.name].head(_MOST_ITEMS)
    if cells.dtype != pl.String:
        return None
    cells = cells.drop_nulls()
    for separator in _WORD_SEPARATORS:
        parts = cells.str.split(separator)
        lengths = parts.list.len()
        if not len(cells) or int((lengths > 1).sum()) < _SEVERAL * len(cells):
            continue
        distinct_items = parts.explode(empty_as_null=True).n_unique()
        varied = lengths.n_unique() > 2
        if varied and distinct_items < cells.n_unique():
            return separator
    return None


def suggested_method(kind: str) -> tuple[str, dict[str, Any]] | None:
    """A method for data of this kind, with settings that are a good start."""
    return METHOD_FOR_KIND.get(kind)
