"""Sets cut into shards at given places, empty ones too, and random sets with ties, empty records and secrets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import crypsis
from crypsis.executors.executor import Executor
from crypsis.methods.transaction.horpart_rounds import Splitting, partition_shards, rows_of_clusters
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.shards.ragged import RaggedShard, cut_ragged, save_ragged


def random_sets(rng: np.random.Generator, n: int, n_items: int = 9, secrets: int = 0) -> crypsis.Transactions:
    """Records of few items, of which some are frequent; the last items that occur may be sensitive."""
    weights = 1 / np.arange(1, n_items + 1)
    lists = [
        [f"w{item:02d}" for item in np.flatnonzero(rng.random(n_items) < weights * rng.uniform(0.2, 1.5))]
        for _ in range(n)
    ]
    occurring = sorted({item for one in lists for item in one})
    return crypsis.Transactions.from_lists(lists, occurring[-secrets:] if secrets else ())


def random_cuts(rng: np.random.Generator, n: int) -> list[int]:
    """Where one to seven parts end; some are empty."""
    return sorted(rng.integers(0, n + 1, rng.integers(0, 7)).tolist())


def cut_sets(data: crypsis.Transactions, cuts: Sequence[int], executor: Executor) -> tuple[RaggedShard, ...]:
    return save_ragged(executor.scratch.below("shards"), cut_ragged(data.offsets, data.items, [0, *cuts, len(data)]))


def clusters_cut(
    data: crypsis.Transactions, method: crypsis.Disassociation, cuts: Sequence[int], block_rows: int, executor: Executor
) -> list[list[int]]:
    """HORPART's clusters of shards."""
    ranked = RankedRecords.of(data)
    rank = np.empty(len(ranked.codes), np.int32)
    rank[ranked.codes] = np.arange(len(ranked.codes))
    size = method.max_cluster_size or 20 * method.k
    splitting = Splitting(rank, ranked.sensitive, method.k, method.l or 1, size, method.horpart == "guarded")
    clusters, tasks = partition_shards(cut_sets(data, cuts, executor), len(ranked), splitting, block_rows, executor)
    return [rows[0].tolist() for rows in rows_of_clusters(clusters, [task["file"] for task in tasks])]
