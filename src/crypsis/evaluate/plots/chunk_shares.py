"""Plot `chunk_shares`: in which kind of chunk the occurrences of terms are, from frequent to rare terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import Transactions
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.translation import _, marked

MOST_BANDS = 50
KINDS = (marked("record chunks"), marked("shared chunks"), marked("term chunks"))


def chunk_shares(original: Any, published: Any) -> Frame:
    """Shares of the original occurrences, by bands of ranks; what is in no chunk is in a term chunk."""
    if not isinstance(published, DisassociatedTransactions) or not isinstance(original, Transactions):
        raise NotApplicable(
            f"chunk_shares compares transactions with their disassociated release, got {type(original).__name__} and "
            f"{type(published).__name__}."
        )
    order = np.lexsort((original.vocabulary.label_rank, -original.supports))
    order = order[original.supports[order] > 0]
    supports = original.supports[order].astype(np.float64)
    code = published.vocabulary.encode(original.vocabulary.decode(order.astype(np.int32)))
    known = code >= 0
    shares = np.zeros((2, len(order)))
    for row, counts in enumerate(_visible(published)):
        shares[row, known] = counts[code[known]]
    width = -(-len(order) // MOST_BANDS) if len(order) else 1
    starts = np.arange(0, len(order), width)
    rows = []
    for start in starts.tolist():
        band = slice(start, min(start + width, len(order)))
        total = supports[band].sum()
        record, shared = shares[0, band].sum(), shares[1, band].sum()
        for kind, count in zip(KINDS, (record, shared, max(total - record - shared, 0.0)), strict=True):
            rows.append((start + 1, band.stop + 1, _(kind), float(count), float(count / total)))
    table = pl.DataFrame(
        rows,
        schema={
            "from": pl.Int64,
            "to": pl.Int64,
            "kind": pl.String,
            "occurrences": pl.Float64,
            "share": pl.Float64,
        },
        orient="row",
    )
    panel = Panel(
        "bins",
        Axis("from", _("term, by falling support")),
        Axis("share", _("share of occurrences")),
        series="kind",
        end="to",
    )
    return Frame(
        "chunk_shares",
        _("Where occurrences of terms are published"),
        table,
        (panel,),
        note=_(
            "Occurrences in record and shared chunks keep what they were seen with; those in term chunks only tell "
            "that the term is in the cluster."
        ),
        empty=_("There are no terms."),
    )


def _visible(published: DisassociatedTransactions) -> tuple[Float64s, Float64s]:
    """Subrecords of record chunks, and of shared chunks, that hold each term."""
    chunk = np.repeat(np.arange(published.n_chunks), np.diff(published.chunk_offsets))
    shared = np.repeat(published.is_shared[chunk], np.diff(published.entry_offsets))
    weights = np.repeat(published.counts, np.diff(published.entry_offsets)).astype(np.float64)
    size = len(published.vocabulary)
    return (
        np.bincount(published.items[~shared], weights[~shared], size).astype(np.float64),
        np.bincount(published.items[shared], weights[shared], size).astype(np.float64),
    )
