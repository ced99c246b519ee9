"""HORPART by rounds in workers of a cluster, beside HORPART in memory: processor time of all processes.

    python -m benchmarks.executors.distributed_horpart --records 3000000

Baskets are made from a seed and cut into shards before anything is measured; kernels are warmed up on a few of them.
The clusters must be the same, record by record, and may cost at most twice the processor time of those in memory.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import workloads
from benchmarks.executors.larger_than_memory import Limit, processor_of_tree
from crypsis.arrays import Int64s
from crypsis.data.term_rank import term_rank
from crypsis.data.transaction import Transactions
from crypsis.executors.dask import Dask
from crypsis.executors.executor import Executor
from crypsis.methods.transaction.horizontal_partition import Clusters, partition_horizontally
from crypsis.methods.transaction.horpart_rounds import Splitting, partition_shards, rows_of_clusters
from crypsis.methods.transaction.ranked_records import RankedRecords
from crypsis.shards.ragged import RaggedShard, cut_ragged, save_ragged

K, DIVERSITY, LARGEST_CLUSTER, GUARDED = 5, 1, 100, False
BLOCKS = 10
REPEATS = 3
_FEW = 20_000


class Baskets:
    """Sets of items as they are clustered here and on shards."""

    def __init__(self, data: Transactions, shards: int, executor: Executor) -> None:
        self.data, self.executor = data, executor
        self.records = RankedRecords.of(data)
        rank = term_rank(data).astype(np.int32)
        self.splitting = Splitting(rank, self.records.sensitive, K, DIVERSITY, LARGEST_CLUSTER, GUARDED)
        bounds = [len(data) * index // shards for index in range(shards + 1)]
        folder = executor.scratch.below("shards")
        self.shards: tuple[RaggedShard, ...] = save_ragged(folder, cut_ragged(data.offsets, data.items, bounds))

    def cluster_in_memory(self) -> Clusters:
        labels = self.data.vocabulary.labels
        return partition_horizontally(self.records, K, DIVERSITY, LARGEST_CLUSTER, GUARDED, labels)

    def cluster_on_shards(self) -> tuple[Any, Any]:
        largest = max(len(self.data) // BLOCKS, 1)
        return partition_shards(self.shards, len(self.records), self.splitting, largest, self.executor)

    def are_equal(self) -> bool:
        """Both ways give the same clusters, in the same order."""
        here, (clusters, tasks) = self.cluster_in_memory(), self.cluster_on_shards()
        rows = rows_of_clusters(clusters, [task["file"] for task in tasks])
        there: Int64s = np.concatenate([numbers for numbers, _, _ in rows])
        sizes = np.array([len(numbers) for numbers, _, _ in rows], np.int64)
        return bool(np.array_equal(here.records, there) and np.array_equal(here.sizes, sizes))


def least_processor_time(work: Callable[[], object]) -> float:
    """Seconds of this process and of those below it, the least of some runs."""
    spent = []
    for _ in range(REPEATS):
        before = processor_of_tree(os.getpid())
        work()
        spent.append(processor_of_tree(os.getpid()) - before)
    return min(spent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=3_000_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    with Dask(workers=asked.workers, memory="3GiB") as executor:
        same = Baskets(workloads.baskets(_FEW), asked.shards, executor).are_equal()  # compiles
        baskets = Baskets(workloads.baskets(asked.records), asked.shards, executor)
        same &= baskets.are_equal()
        here, there = map(least_processor_time, (baskets.cluster_in_memory, baskets.cluster_on_shards))
    limit = Limit("processor time on shards, beside memory", there / here, 2)
    print(f"{asked.records:,} baskets: {here:.1f} s in memory, {there:.1f} s with {asked.workers} workers")
    print("the same clusters" if same else "CLUSTERS DIFFER")
    print(limit)
    return 0 if same and limit.holds else 1


if __name__ == "__main__":
    sys.exit(main())
