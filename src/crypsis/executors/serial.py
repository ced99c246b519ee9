"""Serial: work on shards one after another in this process. One machine, data larger than memory, no extra package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crypsis.executors.executor import (
    DEFAULT_MEMORY,
    ClosedAtExit,
    Resident,
    Work,
    ask,
    attempt,
    bytes_of,
    checked,
    gather_pieces,
    write_pieces,
)
from crypsis.executors.scratch import Scratch


class Serial(ClosedAtExit):
    """Runs every task where it is called.

    >>> from crypsis.executors.serial import Serial
    >>> with Serial() as executor:
    ...     executor.map(divmod, [7, 9], 4)
    [(1, 3), (2, 1)]
    """

    workers = 1

    def __init__(
        self,
        *,
        memory: int | str = DEFAULT_MEMORY,
        scratch: str | Path | None = None,
        encrypt_scratch: bool = False,
    ) -> None:
        self.memory = bytes_of(memory)
        self.scratch = Scratch.new(scratch, encrypted=encrypt_scratch)

    def map(self, work: Work, shards: Sequence[Any], *common: Any) -> list[Any]:
        return [checked(attempt(work, shard, common)) for shard in shards]

    def fold(self, work: Work, combine: Work, shards: Sequence[Any], *common: Any) -> Any:
        total: Any = None
        for index, shard in enumerate(shards):
            result = checked(attempt(work, shard, common))
            total = result if index == 0 else checked(attempt(combine, total, (result,)))
        return total

    def exchange(self, work: Work, shards: Sequence[Any], targets: int, *common: Any) -> list[list[str]]:
        folder = str(self.scratch.below("exchange").folder)
        sent = [
            checked(attempt(write_pieces, shard, (work, folder, index, common))) for index, shard in enumerate(shards)
        ]
        return gather_pieces(sent, targets)

    def resident(self, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
        return SerialResident([checked(attempt(make, shard, common)) for shard in shards])

    def check_input(self, files: Sequence[Path]) -> None:
        """This process looked at them already."""

    def close(self) -> None:
        self.scratch.remove()


class SerialResident:
    """Objects in this process."""

    def __init__(self, objects: list[Any]) -> None:
        self._objects = objects

    def call(self, name: str, *arguments: Any) -> list[Any]:
        return [checked(attempt(ask, _object, (name, arguments))) for _object in self._objects]

    def snapshot(self) -> None:
        """Nothing is ever repeated here."""

    def close(self) -> None:
        self._objects = []
