"""What somebody who is new would do with a file: a role for every column, and a method to begin with. Only proposals.

They come from names, values and counts, as `inspect_file` gives them, and say why, so that they can be changed.
"""

from __future__ import annotations

from crypsis.data.column_roles import LOW, SuggestedRole
from crypsis.data.inspection import Inspection
from crypsis.evaluate.runs import Run

RUN_FOR_KIND = {
    "table": Run("mondrian", {"k": 5}),
    "mixed": Run("rum-bound", {"k": 5, "m": 2}),
    "transactions": Run("disassociation", {"k": 5, "m": 2}),
    "trajectories": Run("seq-anon", {"k": 5, "m": 2}),
    "tracks": Run("ppsg", {"k": 5}),
    "events": Run("itsa", {"L": 2, "K": 5}),
}
RUN_WITHOUT_COORDINATES = Run("kam-cut", {"k": 5})


def suggested_roles(inspection: Inspection) -> dict[str, SuggestedRole]:
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
        for column in inspection.columns
    }
