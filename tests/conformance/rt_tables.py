"""Tables of rt vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from crypsis.data.relational import Table
from crypsis.hierarchy import Hierarchy


def fraction(described: Mapping[str, Any]) -> Fraction:
    return Fraction(described["fraction"])


def table_of(
    names: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str], extra: Mapping[str, Any] | None = None
) -> Table:
    """The quasi-identifiers of a vector, and further columns given as role: values."""
    columns: dict[str, Any] = {
        name: pl.Series([row[place] for row in rows], dtype=pl.Int64 if kind == "int" else pl.String)
        for place, (name, kind) in enumerate(zip(names, types, strict=True))
    }
    roles = dict.fromkeys(names, "quasi")
    for role, values in (extra or {}).items():
        columns[role], roles[role] = pl.Series(values, dtype=pl.String), role
    return Table.from_frame(pl.DataFrame(columns), roles, dict(zip(names, types, strict=True)))


def edge_table(described: Any, **extra: Any) -> tuple[Table, dict[str, Hierarchy]]:
    attributes = described["attributes"]
    trees = {one["name"]: Hierarchy(one["hierarchy"]) for one in attributes if "hierarchy" in one}
    given = {role: described[name] for role, name in extra.items() if described.get(name) is not None}
    table = table_of([one["name"] for one in attributes], described["rows"], [one["kind"] for one in attributes], given)
    return table, trees
