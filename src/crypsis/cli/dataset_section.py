"""The reading options of a command as the table [dataset] of an experiment: both say the same in their own words."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from crypsis.cli.reading import Reader
from crypsis.cli.reading.file_options import file_options, how_of
from crypsis.cli.reading.mixed import separators
from crypsis.cli.reading.options import listed, pairs
from crypsis.errors import BadParameter, OptionWithoutEffect

ROLES = ("quasi", "sensitive", "identifier", "label", "other")
REST = "rest"
_AS_THEY_ARE = (
    "id", "item", "position", "location", "owner", "sort", "grid", "user", "time", "lat", "lon", "one_per", "x", "y",
    "t", "crs", "repeated", "time_unit", "time_format", "as_missing", "person", "each_row_is_a_person",
    "unite",
)  # fmt: skip


def dataset_section(path: Path, read: Reader, kind: str | None) -> dict[str, Any]:
    """`kind` is that of the method; without one it follows from the options."""
    assert isinstance(read, partial)
    given: dict[str, Any] = {name: value for name, value in read.args[0].items() if value not in (None, False)}
    section: dict[str, Any] = {"path": str(path.resolve())}
    if kind is None and given.get("items"):
        kind = "mixed"
    elif kind is None and any(given.get(role) for role in ("quasi", "identifier", "label", "other")):
        kind = "table"
    if kind is not None:
        section["kind"] = kind
    section |= {name: given.pop(name) for name in _AS_THEY_ARE if name in given}
    section |= how_of(read.args[0])
    given = {name: value for name, value in given.items() if name not in file_options()}
    if "locations" in given:
        section["locations"] = str(Path(given.pop("locations")).resolve())
    if "missing" in given:
        section["missing"] = listed(given.pop("missing"))
    if kind in ("table", "mixed"):
        _add_columns(section, given)
    elif "sensitive" in given:
        section["sensitive"] = listed(given.pop("sensitive"))
    if given:
        unused = ", ".join(f"--{name.replace('_', '-')}" for name in given)
        raise OptionWithoutEffect(f"{unused} says nothing about {kind or 'these'} data.", option=next(iter(given)))
    return section


def _add_columns(section: dict[str, Any], given: dict[str, Any]) -> None:
    columns: dict[str, dict[str, Any]] = {}
    for role in ROLES:
        for name in listed(given.pop(role, None)):
            if name == REST:
                section["rest"] = role
                continue
            if name in columns:
                raise BadParameter(f"Column {name!r} is given the roles {columns[name]['role']} and {role}.")
            columns[name] = {"role": role}
    for name, type in pairs(given.pop("types", None), "--types").items():
        columns.setdefault(name, {})["type"] = type
    sensitive = listed(given.pop("sensitive_items", None))
    if "items" in given:
        for name, separator in separators(given.pop("items")).items():
            columns[name] = {"type": "items"} | ({} if separator is None else {"item_separator": separator})
            if sensitive:
                columns[name]["sensitive"] = sensitive
    section["columns"] = columns
