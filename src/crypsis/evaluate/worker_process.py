"""Worker processes of the runner. One that has finished an experiment waits a while for the next of this process.

Starting one costs two seconds of processor time, most of it for loading the package and its kernels; one that waits has
them. It is given to another run only where it would have been started just so: the same program, environment and
interpreter. The system ends workers when this process ends, however that happens: they are started from a thread that
lives as long as it does, because the system's word is bound to the thread.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from crypsis.evaluate.cells import Cell

WAITS = 60.0  # seconds that a worker waits for another experiment
_MOST_WAITING = 4
_LARGEST_WAITING = 1_000.0  # megabytes; a larger one is ended
_NOT_PASSED_ON = ("PYTEST_CURRENT_TEST",)

Key = tuple[str, str, frozenset[tuple[str, str]]]


class WorkerEvent(TypedDict, total=False):
    """What a worker says in one line."""

    event: str
    cell: str
    phase: str
    share: float | None
    inside: float
    warming: float
    seconds: float
    end: Mapping[str, Any]


@dataclass(eq=False)
class WorkerProcess:
    """A process, the cell it is at, and what it said that is no whole line yet."""

    process: subprocess.Popen[bytes]
    key: Key
    cell: Cell | None = None
    ready: bool = False
    again: bool = False  # it has worked for another experiment before
    started: float | None = None
    pending: bytes = b""
    ready_at: float | None = None
    warmed: bool = False
    waits_since: float = 0.0

    def send(self, content: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((json.dumps(content, default=str) + "\n").encode())
        self.process.stdin.flush()

    def lines(self) -> list[WorkerEvent] | None:
        """What it said since; None when it is gone."""
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), 1 << 16)
        if not data:
            return None
        *whole, self.pending = (self.pending + data).split(b"\n")
        return [json.loads(line) for line in whole if line.strip()]

    def memory_mb(self) -> float:
        with suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return 0.0

    def stop(self) -> None:
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def is_quiet(self) -> bool:
        """Whether it lives and has nothing to say."""
        assert self.process.stdout is not None
        looking = select.poll()  # not select(), which knows the first 1,024 files only
        looking.register(self.process.stdout, select.POLLIN | select.POLLHUP)
        return self.process.poll() is None and not looking.poll(0)


_waiting: list[WorkerProcess] = []
_lock = threading.Lock()
_starter: list[ThreadPoolExecutor] = []


def started_worker(program: str, threads: int, *, fresh: bool = False) -> WorkerProcess:
    """A worker for this program: one that waits, or a new one; `fresh` asks for a new one."""
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    environment.setdefault("POLARS_MAX_THREADS", str(threads))
    key = (program, sys.executable, frozenset(environment.items()))
    worker = None if fresh else _taken(key)
    if worker is not None:
        return WorkerProcess(worker.process, key, again=True)
    with _lock:
        if not _starter:
            _starter.append(ThreadPoolExecutor(1, thread_name_prefix="crypsis-workers"))
            atexit.register(stop_waiting_workers)
    command = [sys.executable, "-m", program]
    return WorkerProcess(_starter[0].submit(_opened, command, environment).result(), key)


def _opened(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


def _taken(key: Key) -> WorkerProcess | None:
    """One that waits, and not for so long that it may be about to leave."""
    with _lock:
        taken = None
        for worker in list(_waiting):
            if time.monotonic() - worker.waits_since > WAITS * 0.8 or not worker.is_quiet():
                _waiting.remove(worker)
                worker.stop()
            elif taken is None and worker.key == key:
                _waiting.remove(worker)
                taken = worker
        return taken


def release_worker(worker: WorkerProcess) -> None:
    """Let a worker wait for the next experiment where it can, or end it."""
    if worker.ready and worker.cell is None and worker.is_quiet() and worker.memory_mb() < _LARGEST_WAITING:
        with suppress(OSError):
            worker.send({"wait": WAITS})
            worker.waits_since = time.monotonic()
            with _lock:
                _waiting.append(worker)
                surplus = _waiting[:-_MOST_WAITING]
                del _waiting[:-_MOST_WAITING]
            for other in surplus:
                other.stop()
            return
    worker.stop()


def stop_waiting_workers() -> None:
    """End those that wait."""
    with _lock:
        ended, _waiting[:] = list(_waiting), []
    for worker in ended:
        worker.stop()
