"""TOML from tables and lists: what `tomllib` reads, written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from crypsis.errors import BadExperiment

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(content: Mapping[str, Any]) -> str:
    """The text of a TOML file; values first, then tables, then lists of tables. None is left out."""
    return "\n".join(_lines(content, ())).strip() + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines: list[str] = []
    later: list[str] = []
    for name, value in table.items():
        if value is None:
            continue
        here = (*path, name)
        if isinstance(value, Mapping) and len(here) < 3 and not _is_small(value, here):
            inside = _lines(value, here)
            named = not inside or inside[0] != ""  # a table of tables needs no heading of its own
            later += ["", f"[{_dotted(here)}]", *inside] if named else inside
        elif _is_list_of_tables(value) and len(here) < 3:
            for one in value:
                later += ["", f"[[{_dotted(here)}]]", *_inline_lines(one)]
        else:
            lines.append(f"{_key(name)} = {toml_value(value)}")
    return lines + later


def _inline_lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {toml_value(value)}" for name, value in table.items() if value is not None]


def _is_small(value: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """A table that reads better on one line: a column, or anything deep inside."""
    return len(path) == 3 or (len(path) == 2 and path[0] in ("queries",))


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(one, Mapping) for one in value)


def toml_value(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        text = repr(value)
        return text if any(sign in text for sign in ".einf") else f"{text}.0"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(name)} = {toml_value(one)}" for name, one in value.items() if one is not None)
        return "{" + inside + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise BadExperiment(f"{type(value).__name__} cannot stand in an experiment file.")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # which JSON allows and TOML does not


def _dotted(path: tuple[str, ...]) -> str:
    return ".".join(map(_key, path))
