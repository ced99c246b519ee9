"""Reading a file whatever it holds: the kind is detected, and settings are suggested only where they are sure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from crypsis.data.reading import read_events, read_mixed, read_table, read_tracks, read_trajectories, read_transactions
from crypsis.data.relational import ROLES, roles_of_names
from crypsis.data.steps import STEP
from crypsis.errors import BadParameter, InputError, UndeclaredRole, did_you_mean
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_the_file
from crypsis.evaluate.first_look import first_look
from crypsis.release_folder import MANIFEST

READERS: dict[str, Callable[..., Any]] = {
    "table": read_table,
    "mixed": read_mixed,
    "transactions": read_transactions,
    "trajectories": read_trajectories,
    "tracks": read_tracks,
    "events": read_events,
}
_UNSURE = ("sort", "repeated")  # what changes the data is for people to say
_WORDS = {"lon": "lng"}  # keys of an experiment that have another name here
_OF_ROLES = (*ROLES, "rest")


def read(path: str | Path, *, kind: str | None = None, **options: Any) -> Any:
    """The data of a file, of the kind that it holds; `kind` overrules what is found.

    Columns are found by their usual names. Roles of columns, and changes of the order of rows, are never guessed: the
    error says the call that works, with roles as `crypsis data inspect` would suggest them. Options are those of the
    reader of the kind (`read_table`, `read_transactions`, `read_trajectories`, `read_tracks`, `read_events`); a table
    takes roles as `crypsis.Table` does (`quasi=[...], sensitive=[...], rest="other"`).
    """
    file = Path(path)
    if kind is not None and kind not in READERS:
        known = ", ".join(READERS)
        raise BadParameter(
            f"kind must be one of {known}, got {kind!r}.{did_you_mean(str(kind), READERS)}", parameter="kind"
        )
    if (file / MANIFEST).is_file():
        raise InputError(
            f"{file} is a release, not data to anonymize; read it with crypsis.read_release({str(path)!r}).",
            where=str(file),
        )
    table = DatasetTable(options).only(keys_of_the_file())
    cells = {
        "time_format": options.get("time_format"),
        "missing": options.get("missing_tokens"),
        STEP: options.get(STEP),
    }
    section = dict(first_look(file, {"kind": kind, **table, **cells}).section)
    kind = section["kind"]
    columns = section.pop("columns", {})
    roles = {name: options.pop(name) for name in _OF_ROLES if name in options}
    if kind in ("table", "mixed"):
        how = {name: section[name] for name in (*keys_of_the_file(), STEP) if name in section}
        options = how | options
        return _read_records(path, kind, columns, roles, options)
    if roles.keys() - {"sensitive"}:
        name = next(iter(roles.keys() - {"sensitive"}))
        raise BadParameter(f"{file.name} holds {kind}, whose columns have no roles; leave {name} out.", parameter=name)
    found = {_WORDS.get(name, name): value for name, value in section.items() if name != "kind" and name not in table}
    unsure = {name: value for name, value in found.items() if name in _UNSURE and name not in options}
    settings = {**found, **roles, **options}
    if unsure:
        raise InputError(
            f"{file.name} holds {kind}, and they can be read after a change only: "
            f"{' and '.join(_CHANGES[name] for name in unsure)}. If that is right: {_call(kind, path, settings)}",
            where=str(file),
            call=_call(kind, path, settings),
        )
    return READERS[kind](path, **settings)


_CHANGES = {
    "sort": "rows are not in the order of time and have to be sorted",
    "repeated": "some rows have the same time, and the first of them is kept",
}


def _read_records(
    path: str | Path, kind: str, columns: dict[str, Any], roles: dict[str, Any], options: dict[str, Any]
) -> Any:
    """A table or mixed data, whose roles somebody has to say."""
    suggested: dict[str, list[str]] = {}
    for name, one in columns.items():
        if one.get("type") != "items":
            suggested.setdefault(one["role"], []).append(name)
    sets = {name: one["item_separator"] for name, one in columns.items() if one.get("type") == "items"}
    items = options.pop("items", None) or (sets if kind == "mixed" else None)
    if not roles and "roles" not in options:
        line = _call("read", path, {**suggested, **({"items": items} if items else {}), **options})
        raise UndeclaredRole(
            f"{Path(path).name} is a table, and what its columns are has to be said. Look at these suggestions, change "
            f"what is wrong, and read it with: {line}",
            where=str(path),
            call=line,
        )
    if roles:
        given = {role: roles.get(role, ()) for role in ROLES}
        beside = [name for name in columns if name not in (items or ())]
        options["roles"] = roles_of_names(beside, given, roles.get("rest"), options.get("person"))
    return read_mixed(path, items=items, **options) if items else read_table(path, **options)


def _call(kind: str, path: str | Path, settings: dict[str, Any]) -> str:
    name = kind if kind == "read" else READERS[kind].__name__
    return f"crypsis.{name}({', '.join([repr(str(path)), *(f'{key}={value!r}' for key, value in settings.items())])})"
