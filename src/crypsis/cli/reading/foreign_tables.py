"""A table that somebody else published, read to be checked: what is written counts, not what it means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crypsis.cli.reading import options
from crypsis.cli.reading.mixed import separators
from crypsis.cli.reading.options import listed

PLURAL = "tables"


def read(
    path: Path,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    items: options.Items = None,
    sensitive_items: options.SensitiveItems = None,
    person: options.Person = None,
    missing: options.Missing = None,
    **how: Any,
) -> Any:
    """The quasi-identifiers and sensitive columns, and a set-valued column where one is named."""
    from crypsis.data.foreign_table import read_foreign_table

    return read_foreign_table(
        path,
        quasi=listed(quasi),
        sensitive=listed(sensitive),
        items=separators(items) if items else None,
        sensitive_items=listed(sensitive_items),
        person=person,
        missing_tokens=tuple(listed(missing)) or ("?",),
        **how,
    )


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """The columns of each role."""
    roles: dict[str, list[str]] = {}
    for column in data.columns:
        roles.setdefault(column.role, []).append(column.name)
    return {role: ", ".join(names) for role, names in roles.items()}


def words_on(data: Any) -> str:
    """What was read."""
    return f"{len(data):,} published records"
