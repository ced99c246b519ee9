"""What a disassociated release is made of: clusters, chunks, terms in term chunks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable


@dataclass(frozen=True)
class ClusterStructure:
    """Counts and means over clusters."""

    clusters: int
    smallest: int
    mean_size: float
    largest: int
    chunks_per_cluster: float
    terms_per_term_chunk: float
    shared_chunks: int
    joint_depth: int

    def figures(self) -> dict[str, float | int]:
        return {
            "clusters": self.clusters,
            "smallest_cluster": self.smallest,
            "mean_cluster": self.mean_size,
            "largest_cluster": self.largest,
            "record_chunks_per_cluster": self.chunks_per_cluster,
            "terms_per_term_chunk": self.terms_per_term_chunk,
            "shared_chunks": self.shared_chunks,
            "joint_depth": self.joint_depth,
        }


def cluster_structure(original: Transactions, published: DisassociatedTransactions) -> ClusterStructure:
    """How the release is put together; the original is not looked at."""
    del original
    if not isinstance(published, DisassociatedTransactions):
        raise NotApplicable(f"cluster_structure reads disassociated transactions, got {type(published).__name__}.")
    return structure_of(published)


def structure_of(published: DisassociatedTransactions) -> ClusterStructure:
    """The same from the release alone."""
    leaf = published.is_leaf
    sizes = published.size[leaf]
    shared = int(published.is_shared.sum())
    count = max(len(sizes), 1)
    return ClusterStructure(
        clusters=len(sizes),
        smallest=int(sizes.min(initial=published.records)),
        mean_size=published.records / count,
        largest=int(sizes.max(initial=0)),
        chunks_per_cluster=(published.n_chunks - shared) / count,
        terms_per_term_chunk=float(np.diff(published.term_offsets)[leaf].sum()) / count,
        shared_chunks=shared,
        joint_depth=int(published.depth.max(initial=0)),
    )
