"""Residents that fit into the memory of one worker stay in the driver's process: a round to a worker costs
milliseconds even where it does nothing. The result is the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from crypsis.executors.executor import Executor, Resident, Work, attempt, checked
from crypsis.executors.serial import SerialResident

MEMORY_PER_FILE_BYTE = 16


def resident_nearby(executor: Executor, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
    """Objects `make(shard, *common)`: here where all of them are small, else in the workers."""
    if is_near(shards, executor):
        return SerialResident([checked(attempt(make, shard, common)) for shard in shards])
    return executor.resident(make, shards, *common)


def resident_groups(executor: Executor, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
    """Objects `make(shards, *common)` of as many shards each as there are for a worker, or of all where they are here.
    What an object holds beside its shards is then held once for each worker."""
    if is_near(shards, executor):
        return SerialResident([checked(attempt(make, group, common)) for group in groups_of(shards, 1)])
    return executor.resident(make, groups_of(shards, executor.workers), *common)


def is_near(shards: Sequence[Any], executor: Executor) -> bool:
    """All shards are small enough to stay in the driver's process."""
    size = sum(Path(shard.file).stat().st_size for shard in shards)
    return size * MEMORY_PER_FILE_BYTE <= executor.memory


def groups_of(shards: Sequence[Any], most: int) -> list[list[Any]]:
    """Neighbours together, in so many groups at most that differ by at most one shard."""
    n_groups = min(most, len(shards))
    bounds = [len(shards) * index // max(n_groups, 1) for index in range(n_groups + 1)]
    return [list(shards[first:last]) for first, last in pairwise(bounds)]
