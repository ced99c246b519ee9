"""What only the driver of a run may do: draw noise, and charge a ledger.

A task on a part of the data may run twice, or be lost halfway. Noise that is drawn twice and seen twice protects less,
and a budget that is charged twice is gone. So inside a task both refuse, wherever the task runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from crypsis.errors import InternalError

_in_task: ContextVar[bool] = ContextVar("in_task", default=False)


@contextmanager
def running_task() -> Iterator[None]:
    """What is called inside belongs to a task."""
    before = _in_task.set(True)
    try:
        yield
    finally:
        _in_task.reset(before)


def refuse_in_task(what: str) -> None:
    """Raise where a task is running."""
    if _in_task.get():
        raise InternalError(f"{what} inside a task on a part of the data, which may run twice. Nothing was done.")
