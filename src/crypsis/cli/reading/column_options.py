"""How a command line says what columns are: options by role, in place of the table `columns` of an experiment file."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from crypsis.data.sources.shared_options import Sensitive
from crypsis.data.sources.table import COMMA, ITEMS_TYPE
from crypsis.errors import BadParameter
from crypsis.parameters import Checked

MEMORY_PER_BYTE = 8.0
REST = "rest"
ROLE_OPTIONS = ("quasi", "sensitive", "identifier", "label", "other")


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(Checked):
    """Columns by their role, their types, and those that hold sets; each name stands once."""

    quasi: Annotated[tuple[str, ...], "Columns that others may know, a,b,c; they are generalized."] = ()
    sensitive: Sensitive = ()
    identifier: Annotated[tuple[str, ...], "Columns that name people, a,b,c, or 'rest'; they are dropped."] = ()
    label: Annotated[tuple[str, ...], "Column that a classifier is to predict."] = ()
    other: Annotated[tuple[str, ...], "Columns published as they are, a,b,c, or 'rest' for all not named."] = ()
    types: Annotated[tuple[str, ...], "Types where they are guessed wrongly, age=int,zip=category."] = ()
    items: Annotated[
        str | None, "Set-valued columns and what separates their items: 'diagnoses= ', tags=comma, or a=dx01..dx15."
    ] = None
    sensitive_items: Annotated[tuple[str, ...], "Sensitive items, a,b,c, or a file with one a line."] = ()


def column_keys(typed: Mapping[str, Any], header: Callable[[], Collection[str]]) -> dict[str, Any]:
    """The keys `columns` and `rest` for what was typed; `header` tells the columns where 'rest' may be one of them."""
    columns: dict[str, dict[str, Any]] = {}
    rest: dict[str, str] = {}
    for role in ROLE_OPTIONS:
        for name in listed(typed.get(role)):
            if name == REST and REST not in header():
                if rest and rest[REST] != role:
                    raise BadParameter(f"The rest of the columns can have one role, got {rest[REST]} and {role}.")
                rest[REST] = role
                continue
            if name in columns:
                known = columns[name]["role"]
                words = "named twice" if known == role else f"given the roles {known} and {role}"
                raise BadParameter(f"Column {name!r} is {words}; a column has one role.")
            columns[name] = {"role": role}
    for name, type in pairs(typed.get("types"), "--types").items():
        columns.setdefault(name, {})["type"] = type
    sensitive = listed(typed.get("sensitive_items"))
    for name, separator in separators(typed["items"]).items() if typed.get("items") else ():
        columns[name] = {"type": ITEMS_TYPE, "item_separator": separator}
        if sensitive:
            columns[name]["sensitive"] = sensitive
    return {"columns": columns, **rest}


def separators(text: str) -> dict[str, str | None]:
    """The set-valued columns of `diagnoses= `, `a=|,b=;` or `a=comma`; without a separator the column holds lists."""
    separators_of: dict[str, str | None] = {}
    for part in _between_commas(re.sub(r"=,(?=,|$)", f"={COMMA}", text)):
        name, equals, separator = part.partition("=")
        separators_of[name.strip()] = "," if separator == COMMA else (separator or " ") if equals else None
    return separators_of


def listed(text: str | None) -> list[str]:
    """The labels of a,b,c, or of the lines of the file that is named."""
    if text is None:
        return []
    from crypsis.data.formats.compression import names_file
    from crypsis.data.formats.lines import read_lines

    lines: list[str] = read_lines(text, MEMORY_PER_BYTE)[0].to_list() if names_file(text) else _between_commas(text)
    return [line.strip() for line in lines if line.strip()]


def _between_commas(text: str) -> list[str]:
    """The parts of a,b,c; one with a comma stands in double quotes, as in CSV."""
    return next(csv.reader([text], skipinitialspace=True), []) if '"' in text else text.split(",")


def pairs(text: str | None, option: str) -> dict[str, str]:
    """The names and values of `age=int,zip=category`."""
    pairs_of = {}
    for part in listed(text):
        name, equals, value = part.rpartition("=")
        if not equals or not name.strip():
            raise BadParameter(f"{option} takes name=value, separated by commas, got {part!r}.")
        pairs_of[name.strip()] = value.strip()
    return pairs_of
