"""Trying again for a while: a full disk may be emptied, a broker may come back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from crypsis.errors import WriteFailed

_FIRST_WAIT, _LONGEST_WAIT = 0.05, 5.0
Result = TypeVar("Result")


def retry(
    action: Callable[[], Result], seconds: float, stopped: threading.Event, failed: Callable[[WriteFailed], None]
) -> Result:
    """The answer of an action that may fail to write: `failed` gets each failure, and the last is raised in the end."""
    wait, until = _FIRST_WAIT, time.monotonic() + seconds
    while True:
        try:
            return action()
        except WriteFailed as error:
            failed(error)
            if time.monotonic() + wait > until or stopped.wait(wait):
                raise
            wait = min(2 * wait, _LONGEST_WAIT)
