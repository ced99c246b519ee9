"""A table from a file, with a role for every column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.cli.reading import options
from crypsis.cli.reading.options import listed, pairs
from crypsis.errors import BadParameter

PLURAL = "tables"
REST = "rest"


def read(
    path: Path,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    identifier: options.Identifier = None,
    label: options.Label = None,
    other: options.Other = None,
    person: options.Person = None,
    each_row_is_a_person: options.EachRowIsAPerson = False,
    types: options.Types = None,
    missing: options.Missing = None,
    as_missing: options.AsMissing = False,
    for_method: Any = None,
    **how: Any,
) -> Any:
    """A table; a column without a role is an error unless `--other rest` says that it may be published as it is."""
    from crypsis.data.declarations import Declarations
    from crypsis.data.formats.tabular import read_table_file
    from crypsis.data.relational import Table

    declared = Declarations.of(for_method)
    if declared.by_record:
        from crypsis.data.formats.tabular import header_of
        from crypsis.data.reading import read_table

        given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "label": label, "other": other}
        known = header_of(path, **how)
        return read_table(
            path,
            declared_roles(known or [name for text in given.values() for name in listed(text)], person, **given),
            pairs(types, "--types"),
            person=person,
            each_row_is_a_person=each_row_is_a_person,
            missing_tokens=tuple(listed(missing)) or ("?",),
            unparsable="missing" if as_missing else "error",
            **how,
            for_method=declared,
        )

    frame, source = read_table_file(path, **how)
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "label": label, "other": other}
    roles = declared_roles(frame.columns, person, **given)
    return Table.from_frame(
        frame,
        roles,
        declared.first(pairs(types, "--types"), frame.columns),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        missing_tokens=tuple(listed(missing)) or ("?",),
        unparsable="missing" if as_missing else "error",
        source=source,
    )


def declared_roles(columns: list[str], person: str | None = None, /, **given: str | None) -> dict[str, str]:
    """The role of every column that an option names, and one role for the rest where that is asked for.

    The column that names the person is none of the rest.
    """
    roles: dict[str, str] = {}
    for role, text in given.items():
        for name in listed(text):
            if name == REST and REST not in columns:
                continue
            if name in roles:
                raise BadParameter(f"Column {name!r} is given the roles {roles[name]} and {role}; a column has one.")
            roles[name] = role
    rest = [role for role, text in given.items() if REST in listed(text) and REST not in columns]
    if len(rest) > 1:
        raise BadParameter(f"The rest of the columns can have one role, got {' and '.join(rest)}.")
    return roles | {name: role for role in rest for name in columns if name not in roles and name != person}


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """The columns of each role with their types, and how many cells are missing by which marker."""
    roles: dict[str, list[str]] = {}
    for column in data.columns:
        roles.setdefault(column.role, []).append(f"{column.name} ({column.type})")
    told = {role: ", ".join(names) for role, names in roles.items()}
    absent = sum(int((column.codes < 0).sum()) for column in data.columns)
    markers = ", ".join((*(listed(chosen.get("missing")) or ("?",)), "empty"))
    return told | {"missing": f"{absent:,} of {len(data) * len(data.columns):,} cells ({markers})"}


def words_on(data: Any) -> str:
    """What was read."""
    people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
    return (
        f"{len(data):,} records{people} with {len(data.columns)} columns, {len(data.quasi)} of them quasi-identifiers"
    )
