"""Clusters of k records whose items differ least from those of the record that starts the cluster.

Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct. The distance is BTD, compared as `pair_distance`
gives it.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.transaction_distance import pair_distance


@njit
def clusters_by_items(offsets: Int64s, items: Int32s, k: int, order: Int64s) -> Int64s:
    """The cluster of each record. Seeds come in the given order; of equally near records the lower ones are taken."""
    n_records = len(offsets) - 1
    cluster_of = np.full(n_records, -1, np.int64)
    free = np.arange(n_records)
    n_free = n_records
    seeds = np.empty(n_records // max(k, 1) + 1, np.int64)
    n_clusters = 0
    distances = np.empty(n_records)
    for seed in order:
        if cluster_of[seed] >= 0:
            continue
        if n_free < k:
            break
        for index in range(n_free):
            other = free[index]
            top, bottom = pair_distance(offsets, items, seed, other, False)
            distances[index] = -1.0 if other == seed else top / bottom
        limit = np.partition(distances[:n_free], k - 1)[k - 1]
        wanted = k
        for index in range(n_free):
            wanted -= distances[index] < limit
        kept = 0
        for index in range(n_free):
            other = free[index]
            taken = distances[index] < limit
            if distances[index] == limit and wanted > 0:
                taken = True
                wanted -= 1
            if taken:
                cluster_of[other] = n_clusters
            else:
                free[kept] = other
                kept += 1
        n_free = kept
        seeds[n_clusters] = seed
        n_clusters += 1
    for index in range(n_free):
        record = free[index]
        best, nearest = 0, np.inf
        for cluster in range(n_clusters):
            top, bottom = pair_distance(offsets, items, record, seeds[cluster], False)
            if top / bottom < nearest:
                best, nearest = cluster, top / bottom
        cluster_of[record] = best
    return cluster_of
