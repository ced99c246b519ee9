"""Experiment files as text: tables with headings down to the second level, deeper ones on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import ConvertError

from crypsis.errors import BadExperiment

_DEEPEST_HEADING = 2
_ON_ONE_LINE = ("queries",)  # tables whose entries read better on one line


def toml_text(content: Mapping[str, Any]) -> str:
    """The text of a TOML file; values first, then tables, then lists of tables. None is left out."""
    document = tomlkit.document()
    _fill(document, content, ())
    return tomlkit.dumps(document).strip() + "\n"


def _fill(table: Any, content: Mapping[str, Any], path: tuple[str, ...]) -> None:
    headed = {}
    for name, value in content.items():
        if value is None:
            continue
        if _has_heading(value, (*path, name)):
            headed[name] = value
        else:
            table.add(name, _on_one_line(value))
    for name, value in headed.items():
        if isinstance(value, Mapping):
            part = tomlkit.table(is_super_table=_holds_headings_only(value, (*path, name)))
            _fill(part, value, (*path, name))
            table.add(name, part)
        else:
            table.add(name, tomlkit.aot())
            for entry in value:
                table[name].append(_filled_flat(entry))


def _filled_flat(entry: Mapping[str, Any]) -> Any:
    table = tomlkit.table()
    for name, value in entry.items():
        if value is not None:
            table.add(name, _on_one_line(value))
    return table


def _has_heading(value: Any, path: tuple[str, ...]) -> bool:
    if len(path) > _DEEPEST_HEADING:
        return False
    if isinstance(value, Mapping):
        return not (len(path) == _DEEPEST_HEADING and path[0] in _ON_ONE_LINE)
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _holds_headings_only(content: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    values = {name: value for name, value in content.items() if value is not None}
    return bool(values) and all(_has_heading(value, (*path, name)) for name, value in values.items())


def _on_one_line(value: Any) -> Any:
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for name, entry in value.items():
            if entry is not None:
                table.add(name, _on_one_line(entry))
        return table
    if isinstance(value, (list, tuple)):
        array = tomlkit.array()
        for entry in value:
            array.append(_on_one_line(entry))
        return array
    try:
        return tomlkit.item(value)
    except (ConvertError, ValueError) as error:
        raise BadExperiment(f"{type(value).__name__} cannot be part of an experiment file.") from error
