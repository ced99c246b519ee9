"""An executor whose rounds are counted: for whoever watches a run, which is the same otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crypsis.executors.executor import ClosedAtExit, Executor, Resident, Work


class CountedExecutor(ClosedAtExit):
    """Passes every verb on to another executor; `rounds` says how often the workers were asked."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.workers, self.memory, self.scratch = executor.workers, executor.memory, executor.scratch
        self.rounds = 0

    def map(self, work: Work, shards: Sequence[Any], *common: Any) -> list[Any]:
        self.rounds += 1
        return self._executor.map(work, shards, *common)

    def fold(self, work: Work, combine: Work, shards: Sequence[Any], *common: Any) -> Any:
        self.rounds += 1
        return self._executor.fold(work, combine, shards, *common)

    def exchange(self, work: Work, shards: Sequence[Any], targets: int, *common: Any) -> list[list[str]]:
        self.rounds += 1
        return self._executor.exchange(work, shards, targets, *common)

    def resident(self, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
        self.rounds += 1
        return CountedResident(self._executor.resident(make, shards, *common), self)

    def check_input(self, files: Sequence[Path]) -> None:
        self._executor.check_input(files)

    def close(self) -> None:
        self._executor.close()


@dataclass(frozen=True)
class CountedResident:
    """Objects that stay; each call is a round."""

    resident: Resident
    executor: CountedExecutor

    def call(self, name: str, *arguments: Any) -> list[Any]:
        self.executor.rounds += 1
        return self.resident.call(name, *arguments)

    def snapshot(self) -> None:
        self.resident.snapshot()

    def close(self) -> None:
        self.resident.close()
