"""What there is to count of disassociated transactions: of a whole forest, or of its parts, which add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.disassociated import DisassociatedTransactions


@dataclass(frozen=True, eq=False)
class ForestCounts:
    """Clusters in their order, and how often each label occurs; labels that do not occur are not told."""

    k: int
    m: int
    empty_records: int
    cluster_sizes: Int64s = field(repr=False)
    chunks_per_cluster: Int64s = field(repr=False)
    term_chunk_sizes: Int64s = field(repr=False)
    joint_nodes: int
    record_chunks: int
    shared_chunks: int
    joint_depth: int
    labels: pl.Series = field(repr=False)  # sorted
    visible: Int64s = field(repr=False)  # subrecords of all chunks that hold the label
    hidden: Int64s = field(repr=False)  # clusters whose term chunk holds it

    @classmethod
    def of(cls, data: DisassociatedTransactions) -> ForestCounts:
        """Count the terms of a forest."""
        chunks = np.bincount(data.chunk_node, minlength=data.n_nodes).astype(np.int64)
        shared = int(data.is_shared.sum())
        occurring = np.flatnonzero((data.visible_supports > 0) | (data.hidden_leaves > 0))
        codes = occurring[np.argsort(data.vocabulary.label_rank[occurring], kind="stable")]
        return cls(
            data.k,
            data.m,
            data.empty_records,
            data.size[data.is_leaf],
            chunks[data.is_leaf],
            np.diff(data.term_offsets)[data.is_leaf],
            data.n_nodes - len(data.leaves),
            data.n_chunks - shared,
            shared,
            int(data.depth.max(initial=0)),
            data.vocabulary.series.gather(codes),
            data.visible_supports[codes],
            data.hidden_leaves[codes],
        )

    @classmethod
    def added(cls, parts: Sequence[ForestCounts]) -> ForestCounts:
        """Of all parts of a forest, in their order; there must be one."""
        labels = (
            pl.concat(
                pl.DataFrame({"label": part.labels.rename("label"), "visible": part.visible, "hidden": part.hidden})
                for part in parts
            )
            .group_by("label")
            .agg(pl.col("visible", "hidden").sum())
            .sort("label")
        )
        return cls(
            parts[0].k,
            parts[0].m,
            sum(part.empty_records for part in parts),
            np.concatenate([part.cluster_sizes for part in parts]),
            np.concatenate([part.chunks_per_cluster for part in parts]),
            np.concatenate([part.term_chunk_sizes for part in parts]),
            sum(part.joint_nodes for part in parts),
            sum(part.record_chunks for part in parts),
            sum(part.shared_chunks for part in parts),
            max(part.joint_depth for part in parts),
            labels["label"],
            labels["visible"].to_numpy(),
            labels["hidden"].to_numpy(),
        )

    @property
    def records(self) -> int:
        """Records that are not empty."""
        return int(self.cluster_sizes.sum())

    @property
    def clusters(self) -> int:
        return len(self.cluster_sizes)

    @property
    def smallest_cluster(self) -> int:
        """0 where there is no cluster."""
        return int(self.cluster_sizes.min()) if self.clusters else 0
