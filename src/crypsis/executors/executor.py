"""The executor protocol: four verbs by which methods and verifiers work on parts of the data.

Rules for `work`, `combine` and `make`: functions at the top level of a module of Crypsis, and pure functions of their
arguments and of the files these name. Results come in the order of the shards, whoever finished first. `combine` is
associative and commutative, on whole numbers. Large things are files in scratch; arguments and results are small.
"""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from crypsis.driver_only import running_task
from crypsis.errors import BadParameter, CrypsisError, InternalError, TooLarge, WriteFailed, describe_bug
from crypsis.executors.scratch import Scratch

Work = Callable[..., Any]
DEFAULT_MEMORY = 2 << 30
LEAST_MEMORY = 64 << 20
_UNITS = {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "kb": 10**3, "mb": 10**6, "gb": 10**9, "b": 1}


class Resident(Protocol):
    """Objects that stay where their shards are."""

    def call(self, name: str, *arguments: Any) -> list[Any]:
        """What the method `name` of every object returns, in the order of the shards."""
        ...

    def snapshot(self) -> None:
        """From here on the state follows from facts that are given again: earlier calls need not be repeated."""
        ...

    def close(self) -> None: ...


class Executor(Protocol):
    """Runs work on shards."""

    workers: int
    memory: int
    scratch: Scratch

    def map(self, work: Work, shards: Sequence[Any], *common: Any) -> list[Any]:
        """`work(shard, *common)` for each shard, in their order."""
        ...

    def fold(self, work: Work, combine: Work, shards: Sequence[Any], *common: Any) -> Any:
        """The same results combined pairwise; there must be a shard."""
        ...

    def exchange(self, work: Work, shards: Sequence[Any], targets: int, *common: Any) -> list[list[str]]:
        """`work(shard, *common)` yields (target, arrays). The files of each target, in the order of the shards."""
        ...

    def resident(self, make: Work, shards: Sequence[Any], *common: Any) -> Resident:
        """Objects `make(shard, *common)` that stay until they are closed."""
        ...

    def check_input(self, files: Sequence[Path]) -> None:
        """Refuse workers that do not see these files (`WorkersDiffer`)."""
        ...

    def close(self) -> None: ...


class ClosedAtExit(ABC):
    """An executor that `with` closes."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Failed:
    """An error as a value: engines log the text of exceptions, and that may hold data."""

    error: CrypsisError


def attempt(work: Work, shard: Any, common: Sequence[Any]) -> Any:
    """The result of a task, or `Failed`. Nothing is raised in a worker, no noise is drawn there, no ledger charged."""
    try:
        with running_task():
            return work(shard, *common)
    except CrypsisError as error:
        return Failed(error)
    except MemoryError:
        return Failed(
            TooLarge("A worker ran out of memory; give it more (`memory`), or smaller blocks (`block_rows`).")
        )
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        advice = " Free space or choose another scratch folder." if error.errno == errno.ENOSPC else ""
        return Failed(WriteFailed(f"A worker could not read or write its files: {reason}.{advice}"))
    except Exception as error:
        return Failed(
            InternalError(f"A task failed: {describe_bug(error)}. This is a bug of Crypsis; please report it.")
        )


def ask(one: Any, name: str, arguments: Sequence[Any]) -> Any:
    """What a method of a resident object returns."""
    return getattr(one, name)(*arguments)


def checked(result: Any) -> Any:
    """The result of a task; its error is raised here, at the driver."""
    if isinstance(result, Failed):
        raise result.error
    return result


def write_pieces(shard: Any, work: Work, folder: str, number: int, common: Sequence[Any]) -> list[tuple[int, str]]:
    """What a shard sends to each target, as files; a target that is sent nothing has none."""
    scratch = Scratch.at(folder)
    sent = []
    for index, (target, arrays) in enumerate(work(shard, *common)):
        name = f"{number:06d}-{index:06d}"
        sent.append((target, scratch.save(name, arrays)))
    return sent


def gather_pieces(sent: Sequence[Sequence[tuple[int, str]]], targets: int) -> list[list[str]]:
    """The files of each target in the order of the shards."""
    pieces: list[list[str]] = [[] for _ in range(targets)]
    for files in sent:
        for target, file in files:
            pieces[target].append(file)
    return pieces


def bytes_of(memory: int | str) -> int:
    """`4GiB`, `512MB` or a number of bytes."""
    text = str(memory).strip().lower().replace(" ", "")
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    number = text[: len(text) - len(unit)] if unit else text
    try:
        amount = int(float(number) * _UNITS.get(unit, 1))
    except (ValueError, OverflowError):
        amount = 0
    if amount < LEAST_MEMORY:
        raise BadParameter(
            f"memory must be an amount of at least 64 MiB such as 4GiB, got {memory!r}.", parameter="memory"
        )
    return amount
