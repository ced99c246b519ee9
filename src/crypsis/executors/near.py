"""Residents that fit into the memory of one worker stay in the driver's process: a round to a worker costs
milliseconds even where it does nothing. The result is the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crypsis.executors.executor import Executor, Resident, Work, attempt, checked
from crypsis.executors.serial import SerialResident

MEMORY_PER_FILE_BYTE = 16


def resident_nearby(executor: Executor, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
    """Objects `make(shard, *common)`: here where all of them are small, else in the workers."""
    size = sum(Path(shard.file).stat().st_size for shard in shards)
    if size * MEMORY_PER_FILE_BYTE > executor.memory:
        return executor.resident(make, shards, *common)
    return SerialResident([checked(attempt(make, shard, common)) for shard in shards])
