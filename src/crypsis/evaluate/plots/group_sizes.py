"""Sizes of the groups in which a release hides people: classes of a table, clusters of sets, equal trajectories."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.errors import NotApplicable
from crypsis.metrics.class_sizes import sizes_of


def group_sizes(published: Any) -> Int64s:
    """Records in each group, in no particular order."""
    if published.table_part is not None:
        return sizes_of(published.table_part)
    if isinstance(published, DisassociatedTransactions):
        return published.size[published.is_leaf]
    rows = published.symbol_rows
    if rows is not None:
        return _equal_rows(rows.offsets, rows.codes, ordered=published.set_part is None)
    raise NotApplicable(f"{type(published).__name__} has no groups of equal records.")


def _equal_rows(offsets: Int64s, codes: Any, ordered: bool) -> Int64s:
    """How often each different row occurs; rows without any symbol are a group, too."""
    lengths = np.diff(offsets)
    rows = pl.DataFrame({"row": np.repeat(np.arange(len(lengths)), lengths), "code": codes})
    rows = rows if ordered else rows.sort("row", "code")
    lists = rows.group_by("row", maintain_order=True).agg("code")
    counts = lists.group_by("code", maintain_order=True).len()["len"].to_numpy().astype(np.int64)
    empty = int(np.count_nonzero(lengths == 0))
    return np.append(counts, empty) if empty else counts
