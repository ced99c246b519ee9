"""Mixed data from a file: a table in which one or more columns hold sets of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.cli.reading import options, tables
from crypsis.cli.reading.options import listed, pairs
from crypsis.cli.reading.tables import declared_roles
from crypsis.errors import BadParameter

PLURAL = "mixed data"


def read(
    path: Path,
    *,
    items: options.Items = None,
    sensitive_items: options.SensitiveItems = None,
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
    """A table with sets. Sensitive items are looked for in every set-valued column."""
    from crypsis.data.declarations import Declarations
    from crypsis.data.formats.tabular import read_table_file
    from crypsis.data.mixed import Mixed

    frame, source = read_table_file(path, **how)
    divided = separators(items)
    relational = [name for name in frame.columns if name not in divided]
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "label": label, "other": other}
    return Mixed.from_frame(
        frame,
        declared_roles(relational, person, **given),
        divided,
        Declarations.of(for_method).first(pairs(types, "--types"), relational),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        sensitive={name: listed(sensitive_items) for name in divided} if sensitive_items else None,
        missing_tokens=tuple(listed(missing)) or ("?",),
        unparsable="missing" if as_missing else "error",
        source=source,
    )


def separators(text: str | None) -> dict[str, str | None]:
    """The set-valued columns of `diagnoses= ` or `a=|,b=;`; without a separator the column must hold lists."""
    if not text:
        raise BadParameter("Mixed data need a set-valued column; name it with --items, e.g. --items 'diagnoses= '.")
    found: dict[str, str | None] = {}
    for part in text.split(","):
        name, equals, separator = part.partition("=")
        found[name.strip()] = separator or " " if equals else None
    return found


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """As of a table, and the columns that hold sets."""
    return {**tables.understood(data.table, chosen), "sets of items": ", ".join(data.parts)}


def words_on(data: Any) -> str:
    """What was read."""
    items = data.transactions
    return f"{len(data):,} records with {len(data.table.columns)} columns and sets of {len(items.vocabulary):,} items"
