"""Plot `chunk_counts`: of how many chunks the clusters of a disassociated release are made."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.translation import _
from crypsis.translation.wording import counted

_FEW = 8  # different numbers that bars have room for


def chunk_counts(published: Any) -> Frame:
    """Clusters by their number of record chunks and of term chunks, joint clusters by that of shared chunks."""
    if not isinstance(published, DisassociatedTransactions):
        raise NotApplicable(f"Chunks are those of disassociated transactions, got {type(published).__name__}.")
    leaf = published.is_leaf
    chunks = np.bincount(published.chunk_node, minlength=published.n_nodes)
    by_kind = {
        _("record chunks"): chunks[leaf],
        _("shared chunks"): chunks[~leaf],
        _("term chunks"): (np.diff(published.term_offsets)[leaf] > 0).astype(np.int64),
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
        Axis("chunks", _("chunks in the cluster"), "category" if few else "linear"),
        Axis("clusters", _("clusters")),
        series="kind",
    )
    record, shared, term = (int(counts.sum()) for counts in by_kind.values())
    totals = counted(record, "record chunk"), counted(shared, "shared chunk"), counted(term, "term chunk")
    note = _("In all {totals}.", totals=", ".join(totals))
    return Frame("chunk_counts", _("Chunks of clusters"), table, (panel,), note=note, empty=_("There is no cluster."))
