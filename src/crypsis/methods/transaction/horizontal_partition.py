"""The first step of disassociation: clusters of records that have terms in common (HORPART)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int64s, offsets_of, take_records
from crypsis.errors import BadParameter, InfeasibleDiversity, TooFewRecords
from crypsis.kernels.horizontal_partition import horizontal_partition
from crypsis.methods.transaction.ranked_records import RankedRecords


@dataclass(frozen=True)
class Clusters:
    """Cluster c has the records records[offsets[c]:offsets[c + 1]]."""

    records: Int64s
    offsets: Int64s

    @classmethod
    def of_lists(cls, clusters: Sequence[Sequence[int]]) -> Clusters:
        lengths = np.array([len(cluster) for cluster in clusters], np.int64)
        return cls(np.array([record for cluster in clusters for record in cluster], np.int64), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Int64s:
        return np.diff(self.offsets)

    @property
    def of_record(self) -> Int64s:
        """The cluster of each record."""
        cluster = np.empty(len(self.records), np.int64)
        cluster[self.records] = np.repeat(np.arange(len(self)), self.sizes)
        return cluster

    def moved(self, records: Int64s, cluster: int) -> Clusters:
        """With more records at the end of one cluster."""
        at = int(self.offsets[cluster + 1])
        offsets = self.offsets.copy()
        offsets[cluster + 1 :] += len(records)
        return Clusters(np.insert(self.records, at, records), offsets)

    def without(self, cluster: int) -> Clusters:
        begin, end = int(self.offsets[cluster]), int(self.offsets[cluster + 1])
        offsets = np.delete(self.offsets, cluster + 1)
        offsets[cluster + 1 :] -= end - begin
        return Clusters(np.delete(self.records, slice(begin, end)), offsets)


def partition_horizontally(
    records: RankedRecords, k: int, diversity: int, max_cluster_size: int, guarded: bool, labels: Sequence[str]
) -> Clusters:
    """Clusters of at least k records in which no sensitive term is too frequent."""
    check_feasible(records, len(records), records.supports, k, diversity, labels)
    clustered, offsets, leftover = horizontal_partition(
        records.offsets, records.terms, records.sensitive, k, diversity, max_cluster_size, guarded
    )
    clusters = Clusters(clustered, offsets)
    while len(leftover):
        fitting = _acceptable_with(records, clusters, leftover, k, diversity)
        if fitting.any():
            smallest = int(np.argmin(np.where(fitting, clusters.sizes, len(records) + 1)))
            return clusters.moved(leftover, smallest)
        smallest = int(np.argmin(clusters.sizes))
        begin, end = clusters.offsets[smallest : smallest + 2]
        leftover = np.concatenate((clusters.records[begin:end], leftover))
        clusters = clusters.without(smallest)
    return clusters


def given_clusters(
    records: RankedRecords, clusters: Sequence[Sequence[int]], k: int, diversity: int, owner: str
) -> Clusters:
    """Clusters that the caller chose, in the caller's order; `k` is what each must have at least."""
    flat = [record for cluster in clusters for record in cluster]
    if sorted(flat) != list(range(len(records))):
        raise BadParameter(
            f"{owner}: clusters must hold each of the {len(records)} records that are not empty once, by its number "
            "from 0."
        )
    given = Clusters.of_lists(clusters)
    if len(given) and int(given.sizes.min()) < k:
        raise BadParameter(f"{owner}: every cluster needs at least {k} records, one has {int(given.sizes.min())}.")
    for term in np.flatnonzero(records.sensitive):
        holders = given.of_record[_record_of_occurrence(records)[records.terms == term]]
        if (np.bincount(holders, minlength=len(given)) * diversity > given.sizes).any():
            raise BadParameter(f"{owner}: a sensitive term is in more than one in {diversity} records of a cluster.")
    return given


def check_feasible(
    terms: RankedRecords, n_records: int, supports: Int64s, k: int, diversity: int, labels: Sequence[str]
) -> None:
    """No release exists with fewer than k records, or with a sensitive term in more than one of l. `supports` are by
    term; of the records themselves only their terms are asked."""
    if not n_records:
        raise TooFewRecords("There is no non-empty record; there is nothing to publish.", records=0, k=k)
    if n_records < k:
        raise TooFewRecords(
            f"No release with k={k} exists: only {n_records} records are not empty. Add records or lower k.",
            records=n_records,
            k=k,
        )
    frequent = np.flatnonzero(terms.sensitive & (supports * diversity > n_records))
    if len(frequent):
        worst = int(frequent[0])
        raise InfeasibleDiversity(
            f"Sensitive term {labels[terms.codes[worst]]!r} is in {int(supports[worst])} of {n_records} records, "
            f"more than one in {diversity}. Lower l, or leave the term out.",
            term=labels[terms.codes[worst]],
        )


def _acceptable_with(records: RankedRecords, clusters: Clusters, leftover: Int64s, k: int, diversity: int) -> Bools:
    """Whether each cluster has k records with the leftover, and no sensitive term that is too frequent."""
    sizes = clusters.sizes + len(leftover)
    acceptable: Bools = sizes >= k
    terms = records.terms[take_records(records.offsets, leftover)[1]]
    hidden, counts = np.unique(terms[records.sensitive[terms]], return_counts=True)
    if len(hidden):
        # Terms that the leftover lacks are no more frequent with it than without.
        cluster_of = np.full(len(records), -1, np.int64)
        cluster_of[clusters.records] = np.repeat(np.arange(len(clusters)), clusters.sizes)
        of_occurrence = cluster_of[_record_of_occurrence(records)]
        for term, count in zip(hidden.tolist(), counts.tolist(), strict=True):
            holders = of_occurrence[records.terms == term]
            together = np.bincount(holders[holders >= 0], minlength=len(clusters)) + count
            acceptable &= together * diversity <= sizes
    return acceptable


def _record_of_occurrence(records: RankedRecords) -> Int64s:
    return np.repeat(np.arange(len(records)), records.lengths)
