"""What somebody who is new would do with a file: a role for every column, and a method to begin with. Only proposals.

They come from names, values and counts, as `inspect_file` gives them, and say why, so that they can be changed.
"""

from __future__ import annotations

from typing import Any

from crypsis.data.column_roles import LOW, SuggestedRole
from crypsis.data.inspection import Inspection

METHOD_FOR_KIND: dict[str, tuple[str, dict[str, Any]]] = {
    "table": ("mondrian", {"k": 5}),
    "mixed": ("rum-bound", {"k": 5, "m": 2}),
    "transactions": ("disassociation", {"k": 5, "m": 2}),
    "trajectories": ("seq-anon", {"k": 5, "m": 2}),
    "tracks": ("ppsg", {"k": 5}),
    "events": ("itsa", {"L": 2, "K": 5}),
}
METHOD_WITHOUT_A_MAP: tuple[str, dict[str, Any]] = ("kam-cut", {"k": 5})  # for places of which no coordinates are known


def suggested_roles(found: Inspection) -> dict[str, SuggestedRole]:
    """The role of every column of a table, as the inspection proposes it."""
    return {
        column.name: SuggestedRole(
            column.role or "quasi",
            column.why or "",
            column.confidence or LOW,
            column.item_separator,
            column.suggested_type,
            column.hierarchy,
        )
        for column in found.columns
    }


def suggested_method(kind: str) -> tuple[str, dict[str, Any]] | None:
    """A method for data of this kind, with settings that are a good start."""
    found = METHOD_FOR_KIND.get(kind)
    return None if found is None else (found[0], dict(found[1]))
