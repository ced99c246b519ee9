"""What a disassociated release is made of: clusters, chunks, terms in term chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.forest_counts import ForestCounts
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable
from crypsis.metrics.figure import Figure, Measured
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class ClusterStructure(Measured):
    """Counts and means over clusters."""

    clusters: Annotated[int, Figure("clusters", "Clusters", "Groups of records that are published together.")]
    smallest: Annotated[int, Figure("smallest_cluster", "Smallest cluster", "Records in it.")]
    mean_size: Annotated[float, Figure("mean_cluster", "Mean cluster", "Records in a cluster, on average.")]
    largest: Annotated[int, Figure("largest_cluster", "Largest cluster", "Records in it.")]
    chunks_per_cluster: Annotated[
        float,
        Figure(
            "record_chunks_per_cluster",
            "Record chunks in a cluster",
            "Parts that the records of a cluster are cut into, on average.",
        ),
    ]
    terms_per_term_chunk: Annotated[
        float,
        Figure(
            "terms_per_term_chunk",
            "Terms in a term chunk",
            "Average number of terms of a cluster whose presence is published, but not how often they occur.",
        ),
    ]
    shared_chunks: Annotated[
        int, Figure("shared_chunks", "Shared chunks", "Chunks with subrecords of several clusters.")
    ]
    joint_depth: Annotated[
        int, Figure("joint_depth", "Depth of joint clusters", "How often clusters were joined, one above another.")
    ]


def cluster_structure(original: Transactions, published: DisassociatedTransactions) -> ClusterStructure:
    """How the release is put together; the original is not looked at."""
    del original
    if not isinstance(published, DisassociatedTransactions):
        raise NotApplicable(f"cluster_structure reads disassociated transactions, got {type(published).__name__}.")
    return structure_of(published)


def structure_of(published: DisassociatedTransactions) -> ClusterStructure:
    """The same from the release alone."""
    return structure_of_counts(ForestCounts.of(published))


def structure_of_counts(counts: ForestCounts) -> ClusterStructure:
    """The same from what was counted of a release."""
    clusters = max(counts.clusters, 1)
    return ClusterStructure(
        clusters=counts.clusters,
        smallest=counts.smallest_cluster,
        mean_size=counts.records / clusters,
        largest=int(counts.cluster_sizes.max(initial=0)),
        chunks_per_cluster=counts.record_chunks / clusters,
        terms_per_term_chunk=float(counts.term_chunk_sizes.sum()) / clusters,
        shared_chunks=counts.shared_chunks,
        joint_depth=counts.joint_depth,
    )


class ClusterStructureMetric(Metric):
    """What a disassociated release is made of."""

    name = "cluster_structure"
    measure = staticmethod(cluster_structure)
