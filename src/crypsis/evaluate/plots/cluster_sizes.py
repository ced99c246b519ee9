"""Plot `cluster_sizes`: a histogram of how many records share a class or a cluster, on a logarithmic axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.drawing.frame import Axis, Frame, Limit, Panel
from crypsis.evaluate.plots.group_sizes import group_sizes
from crypsis.translation import _
from crypsis.translation.wording import counted

MOST_BINS = 30


def cluster_sizes(published: Any, k: int | None = None) -> Frame:
    """Clusters in bins of equal factors between whole sizes; `k` draws the size that is required."""
    sizes = group_sizes(published)
    edges = logarithmic_bins(sizes) if len(sizes) else np.zeros(1, np.int64)
    counts = np.histogram(sizes, edges)[0] if len(sizes) else np.zeros(0, np.int64)
    table = pl.DataFrame(
        {
            "from": pl.Series(edges[:-1], dtype=pl.Int64),
            "to": pl.Series(edges[1:], dtype=pl.Int64),
            "count": pl.Series(counts, dtype=pl.Int64),
        }
    )
    panel = Panel(
        "bins",
        Axis("from", _("records in the cluster"), "log"),
        Axis("count", _("clusters")),
        end="to",
        limit=None if k is None else Limit(float(k), _("required: {k:,}", k=k)),
    )
    note = f"{counted(0, 'cluster')}."
    if len(sizes) and sizes.min() == sizes.max():
        clusters, records = counted(len(sizes), "cluster"), counted(int(sizes[0]), "record")
        note = _("{clusters} with {records} each.", clusters=clusters, records=records)
    elif len(sizes):
        note = _(
            "{clusters} of {least:,} to {most:,} records, {mean:,.1f} on average.",
            clusters=counted(len(sizes), "cluster"),
            least=int(sizes.min()),
            most=int(sizes.max()),
            mean=float(sizes.mean()),
        )
    return Frame("cluster_sizes", _("Sizes of clusters"), table, (panel,), note=note, empty=_("There is no cluster."))


def logarithmic_bins(sizes: Int64s) -> Int64s:
    """Whole edges at about equal factors, none of the bins narrower than the one before; one per size where few."""
    edge, end = max(int(sizes.min()), 1), int(sizes.max()) + 1
    factor = (end / edge) ** (1 / MOST_BINS)
    edges, width = [edge], 1
    while edges[-1] < end:
        width = max(width, round(edges[-1] * (factor - 1)))
        edges.append(edges[-1] + width)
    return np.array(edges, np.int64)
