"""Plot `chunk_counts`: of how many chunks the clusters of a disassociated release are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.translation.wording import counted

_FEW = 8  # different numbers that bars have room for


def chunk_counts(published: Any) -> Frame:
    """Clusters by their number of record chunks and of term chunks, joint clusters by that of shared chunks."""
    if not isinstance(published, DisassociatedTransactions):
        raise NotApplicable(f"Chunks are those of disassociated transactions, got {type(published).__name__}.")
    leaf = published.is_leaf
    chunks = np.bincount(published.chunk_node, minlength=published.n_nodes)
    by_kind = {
        "record chunks": chunks[leaf],
        "shared chunks": chunks[~leaf],
        "term chunks": (np.diff(published.term_offsets)[leaf] > 0).astype(np.int64),
    }
    numbers = np.unique(np.concatenate(list(by_kind.values())))
    rows = [
        (int(number), kind, int(np.count_nonzero(counts == number)))
        for number in numbers
        for kind, counts in by_kind.items()
    ]
    table = pl.DataFrame(rows, schema={"chunks": pl.Int64, "kind": pl.String, "clusters": pl.Int64}, orient="row")
    few = len(numbers) <= _FEW
    panel = Panel(
        "bars" if few else "lines",
        Axis("chunks", "chunks in the cluster", "category" if few else "linear"),
        Axis("clusters", "clusters"),
        series="kind",
    )
    totals = {kind: int(counts.sum()) for kind, counts in by_kind.items()}
    note = ", ".join(counted(total, kind.removesuffix("s")) for kind, total in totals.items())
    return Frame(
        "chunk_counts", "Chunks of clusters", table, (panel,), note=f"In all {note}.", empty="There is no cluster."
    )
