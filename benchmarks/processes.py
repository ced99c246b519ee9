"""A command in a process of its own: processor time, clock and memory of all that it did, threads included.

Processor time is what limits are stated in: machines are shared, and a command that waits for others is not slow.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CRYPSIS = (sys.executable, "-m", "crypsis")


@dataclass(frozen=True, order=True)
class Spent:
    """Seconds of processor time, seconds by the clock, and the most memory in bytes."""

    processor: float
    clock: float
    memory: int


def spent_by(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Spent:
    """What a command took; its words are thrown away, and a failure is raised with them."""
    with tempfile.TemporaryFile() as words:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        clock = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            words.seek(0)
            raise RuntimeError(f"{command} ended with {process.returncode}: {words.read().decode()[-2000:]}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Spent(usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss * scale)


def least(repeats: int, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Spent:
    """The run of least processor time; one more, which may compile and fills caches, is not counted."""
    spent_by(command, environment)
    return min(spent_by(command, environment) for _ in range(repeats))
