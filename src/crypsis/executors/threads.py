"""A map over shards in threads of this process: for kernels, which run without the interpreter lock.

Results come in the order of the shards, whichever thread was first, so the number of threads never shows in them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, pairwise
from typing import TypeVar

import numpy as np

from crypsis.arrays import Int64s

Shard = TypeVar("Shard")
Result = TypeVar("Result")

AHEAD_PER_WORKER = 4
"""Shards handed to the threads before their results are asked for: a stop leaves at most these to run."""


def available_workers() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_in_threads(
    work: Callable[[Shard], Result],
    shards: Sequence[Shard],
    workers: int,
    tell: Callable[[float], None] = lambda share: None,
) -> list[Result]:
    """The result for each shard; `tell` hears the share done and may raise to stop before the next ones."""
    results = []
    if workers == 1 or len(shards) < 2:
        for index, shard in enumerate(shards):
            results.append(work(shard))
            tell((index + 1) / len(shards))
        return results
    with ThreadPoolExecutor(workers) as pool:
        upcoming = iter(shards)
        running = deque(pool.submit(work, shard) for shard in islice(upcoming, AHEAD_PER_WORKER * workers))
        try:
            while running:
                results.append(running.popleft().result())
                tell(len(results) / len(shards))
                running.extend(pool.submit(work, shard) for shard in islice(upcoming, 1))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return results


def even_ranges(weights: Int64s, most_shards: int, least_weight: int) -> list[tuple[int, int]]:
    """Ranges of neighbours of about equal weight: not more than wanted, none much below the least weight."""
    if not len(weights):
        return []
    ends = np.cumsum(weights)
    shards = max(1, min(most_shards, int(ends[-1]) // max(least_weight, 1)))
    targets = ends[-1] * np.arange(1, shards) // shards
    cuts = np.unique(np.concatenate(([0], np.searchsorted(ends, targets, side="left") + 1, [len(weights)])))
    bounds = cuts[cuts <= len(weights)].tolist()
    return list(pairwise(bounds))
