"""What every process that is started for a task does first: a channel for its events, and an end with its starter."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

_PR_SET_PDEATHSIG = 1


def channel_to_starter() -> Callable[[Mapping[str, Any]], None]:
    """A function that tells an event as a line of JSON.

    The process ends with whoever started it, and an interrupt is left to that one, too. What it writes is for the
    publisher alone.
    """
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not be taken for an event
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    lock = threading.Lock()

    def tell(event: Mapping[str, Any]) -> None:
        with lock:
            channel.write(json.dumps(event, default=str) + "\n")
            channel.flush()

    return tell
