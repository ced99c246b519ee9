"""A command in a process of its own: processor time, clock and memory of all that it did, threads included.

Processor time is what limits are stated in: machines are shared, and a command that waits for others is not slow.
A process is said to have had the memory of the one that started it. So a small one does, which tells what was spent.
Python keeps what it made of its files, as it does of every installed package, also where the environment forbids it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CRYPSIS = (sys.executable, "-m", "crypsis")
_STARTER = """
import os, sys, time
started = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
clock = time.perf_counter() - started
with open(sys.argv[1], "w") as told:
    told.write(f"[{usage.ru_utime + usage.ru_stime}, {clock}, {usage.ru_maxrss}, {os.waitstatus_to_exitcode(status)}]")
"""


@dataclass(frozen=True, order=True)
class Spent:
    """Seconds of processor time, seconds by the clock, and the most memory in bytes."""

    processor: float
    clock: float
    memory: int


def spent_by(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Spent:
    """What a command took; its words are thrown away, and a failure is raised with them."""
    with tempfile.TemporaryFile() as words, tempfile.TemporaryDirectory(prefix="crypsis-bench-") as folder:
        told = Path(folder) / "spent.json"
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _STARTER, str(told), *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **(environment or {})},
            check=True,
        )
        processor, clock, memory, code = json.loads(told.read_text())
        if code:
            words.seek(0)
            raise RuntimeError(f"{command} ended with {code}: {words.read().decode()[-2000:]}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Spent(processor, clock, memory * scale)


def least(repeats: int, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Spent:
    """The run of least processor time; one more, which may compile and fills caches, is not counted."""
    spent_by(command, environment)
    return min(spent_by(command, environment) for _ in range(repeats))
