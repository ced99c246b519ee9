"""Which executor a word stands for: `serial`, `dask`, or the address of a scheduler."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from crypsis.errors import BadParameter, OptionWithoutEffect
from crypsis.executors.executor import DEFAULT_MEMORY, Executor

SERIAL, DASK = "serial", "dask"


def chosen_executor(
    executor: str | Executor | None,
    *,
    workers: int | None = None,
    memory: int | str = DEFAULT_MEMORY,
    scratch: str | Path | None = None,
    **security: Any,
) -> Executor:
    """The executor that was named, or given; without one, this process."""
    if executor is not None and not isinstance(executor, str):
        return executor
    if executor in (None, SERIAL):
        if workers not in (None, 1) or any(security.values()):
            raise OptionWithoutEffect(
                "One process works without a cluster (executor='serial'); workers and certificates belong to 'dask'.",
                parameter="workers",
            )
        from crypsis.executors.serial import Serial

        return Serial(memory=memory, scratch=scratch)
    if executor == DASK or "://" in str(executor):
        from crypsis.executors.dask import Dask

        address = None if executor == DASK else executor
        return cast(Executor, Dask(address, workers=workers, memory=memory, scratch=scratch, **security))
    raise BadParameter(
        f"executor must be 'serial', 'dask' or the address of a scheduler such as tls://host:8786, got {executor!r}.",
        parameter="executor",
    )
