"""The command to begin with: how a file is read, a role for every column, and a method, as they are typed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crypsis.data.inspection import ColumnSummary, Inspection

_WITH_HIERARCHIES = "mondrian"  # the suggested method for tables
_WORDS = {"format": "input_format"}  # keys of an experiment that have another name here
_NOT_TYPED = ("path", "kind", "columns", "edits", "rows")


def suggested_command(
    path: Path, section: Mapping[str, Any], run: tuple[str, Mapping[str, Any]], found: Inspection
) -> str | None:
    """`crypsis anonymize` with these settings; None where a name cannot be typed, or data are not anonymized so."""
    columns = _column_options(section, found)
    if columns is None or section["kind"] == "events":
        return None
    words = ["crypsis", "anonymize", str(path), *columns]
    for key, value in section.items():
        if key not in _NOT_TYPED:
            words += _typed(_WORDS.get(key, key), value)
    method, params = run
    words += ["--method", method]
    for name, value in params.items():
        words += [f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-"), str(value)]
    words += _hierarchies(section, found) if method == _WITH_HIERARCHIES else []
    return shlex.join([*words, "--out", f"{path.name.split('.')[0] or 'data'}-release"])


def commands_by_answer(
    path: Path, section: Mapping[str, Any], column: str, found: Inspection
) -> tuple[str | None, str | None]:
    """The command where a column names the person, and the one where every record is another person."""
    from crypsis.evaluate.first_look import suggested_run

    commands = []
    for answer in ({"person": column}, {"each_row_is_a_person": True}):
        answered = {**section, **answer}
        if "person" in answer and section["kind"] == "transactions":
            answered["unite"] = "person"  # the suggested method counts records
        run = suggested_run({"path": str(path), **answered}, path.parent)
        commands.append(None if run is None else suggested_command(path, answered, run, found))
    return commands[0], commands[1]


def _typed(option: str, value: Any) -> list[str]:
    from crypsis.data.formats import format_options

    named = "--" + option.replace("_", "-")
    if value is False and option in format_options():
        return ["--no-" + option.replace("_", "-")]
    return ([named] if value else []) if isinstance(value, bool) else [named, str(value)]


def _column_options(section: Mapping[str, Any], found: Inspection) -> list[str] | None:
    """Roles as options; a name with a comma or a line break cannot be typed."""
    columns: Mapping[str, Mapping[str, Any]] = section.get("columns") or {}
    if any(sign in name for name in columns for sign in ",=\n\r\0"):
        return None
    words: list[str] = []
    for role in ("quasi", "sensitive", "identifier", "label", "other"):
        named = [name for name, one in columns.items() if one.get("role") == role and name != section.get("person")]
        if named:
            words += ["--" + role, ",".join(named)]
    typed = [f"{one.name}={one.suggested_type}" for one in found.columns if _is_published(one, section)]
    words += ["--types", ",".join(typed)] if typed else []
    sets = [f"{name}={one['item_separator']}" for name, one in columns.items() if one.get("type") == "items"]
    if any("," in one for one in sets):
        return None
    return [*words, "--items", ",".join(sets)] if sets else words


def _is_published(column: ColumnSummary, section: Mapping[str, Any]) -> bool:
    """Whether a column of codes is published as what it is."""
    told = (section.get("columns") or {}).get(column.name, {})
    return column.suggested_type is not None and told.get("role") in ("quasi", "sensitive")


def _hierarchies(section: Mapping[str, Any], found: Inspection) -> list[str]:
    columns = section.get("columns") or {}
    made = [
        f"{one.name}={one.hierarchy}"
        for one in found.columns
        if one.hierarchy is not None and columns.get(one.name, {}).get("role") == "quasi"
    ]
    return ["--hierarchy", ",".join(made)] if made else []
