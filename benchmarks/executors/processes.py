"""A scheduler and workers in processes of their own, on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

QUIET = {
    "DASK_DISTRIBUTED__SCHEDULER__HTTP__ROUTES": "[]",
    "DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]",
    "DASK_DISTRIBUTED__ADMIN__LOG_LENGTH": "0",
}


class Processes:
    """A scheduler and workers in processes of their own, on loopback. Their words go to files in a folder."""

    def __init__(self, folder: Path, workers: int, memory: str = "1GiB") -> None:
        self.folder, self.memory = folder, memory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.running: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()
        for _ in range(workers):
            self.start_worker()

    def start_scheduler(self) -> None:
        self.scheduler = self._start("scheduler", "--host", self.address, "--no-dashboard", "--no-show")

    def start_worker(self, before: str = "") -> None:
        """A worker; it runs a line of Python before, if one is given."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", self.memory)
        self._start("worker", self.address, *options, "--local-directory", str(self.folder / "engine"), before=before)

    def _start(self, what: str, *options: str, before: str = "") -> subprocess.Popen[bytes]:
        log = (self.folder / f"{what}-{len(self.running)}.log").open("wb")
        module = f"distributed.cli.dask_{what}"
        command = [sys.executable, "-m", module]
        if before:
            command = [sys.executable, "-c", f"{before}; from {module} import main; main()"]
        started = subprocess.Popen(
            [*command, *options],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **QUIET},
            start_new_session=True,
        )
        log.close()
        self.running.append(started)
        return started

    def end_scheduler(self) -> None:
        self.scheduler.kill()
        self.scheduler.wait()

    @property
    def words(self) -> str:
        """All that scheduler and workers wrote."""
        return "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))

    def close(self) -> None:
        for one in reversed(self.running):
            one.kill()
            one.wait()
