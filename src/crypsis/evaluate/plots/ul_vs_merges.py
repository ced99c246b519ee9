"""Plot `ul_vs_merges`: the loss of the items after every union of clusters, as Tum-BOUND counted it while it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.translation import _

KEY = "ul_after_each_merge"


def ul_vs_merges(private: Mapping[str, Any] | Sequence[float | None]) -> Frame:
    """UL before the first union (0) and after each; `private` are the facts of a context, or the losses themselves.

    A loss that is not told (the items of some cluster could not be generalized) is a gap.
    """
    losses = private.get(KEY) if isinstance(private, Mapping) else private
    if losses is None:
        raise NotApplicable(
            "The run kept no losses after merges: only Tum-BOUND unites clusters by the loss of their items."
        )
    table = pl.DataFrame(
        {
            "merge": pl.Series(range(len(losses)), dtype=pl.Int64),
            "ul": pl.Series(list(losses), dtype=pl.Float64),
        }
    )
    panel = Panel("steps", Axis("merge", _("unions of clusters")), Axis("ul", _("utility loss of the items (UL)")))
    return Frame(
        "ul_vs_merges", _("Utility loss after each union"), table, (panel,), empty=_("No clusters were united.")
    )
