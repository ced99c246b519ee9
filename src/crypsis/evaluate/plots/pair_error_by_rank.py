"""Plot `pair_error_by_rank`: re, the error of how often two terms occur together, from frequent to rare terms.

Bands of 20 ranks: 0-20, 100-120, 200-220 and so on, as far as there are terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.metrics.pair_supports import pair_error, re_loss
from crypsis.translation import _

WIDTH = 20
STEP = 100
MOST_BANDS = 20


def pair_error_by_rank(original: Any, published: Any, *, seed: int = 0, width: int = WIDTH, step: int = STEP) -> Frame:
    """re of every band; a disassociated release is read through one possible original."""
    if not isinstance(original, Transactions) or not isinstance(
        published, (DisassociatedTransactions, PublishedTransactions)
    ):
        raise NotApplicable(
            f"pair_error_by_rank compares transactions with their release, got {type(original).__name__} and "
            f"{type(published).__name__}."
        )
    terms = int(np.count_nonzero(original.supports))
    drawn = published.reconstruct(1, seed) if isinstance(published, DisassociatedTransactions) else None
    rows: list[tuple[Any, ...]] = []
    for first in range(0, max(terms - 1, 0), step):
        if len(rows) == MOST_BANDS:
            break
        ranks = (first, min(first + width, terms))
        if drawn is not None:
            error, pairs = pair_error(original, drawn, ranks)
        else:
            errors = re_loss(original, published, ranks=ranks)
            error, pairs = errors.errors.get("re_loss", 0.0), errors.pairs
        rows.append((f"{ranks[0]}–{ranks[1]}", *ranks, error if pairs else None, pairs))
    table = pl.DataFrame(
        rows,
        schema={"ranks": pl.String, "from": pl.Int64, "to": pl.Int64, "re": pl.Float64, "pairs": pl.Int64},
        orient="row",
    )
    panel = Panel(
        "lines", Axis("ranks", _("ranks of the terms by support"), "category"), Axis("re", _("relative error (re)"))
    )
    return Frame(
        "pair_error_by_rank",
        _("Error of pairs of terms, from frequent to rare"),
        table,
        (panel,),
        note=_("0 is exact, 2 means that a pair occurs in only one of the original and the release."),
        empty=_("There are fewer than two terms."),
    )
