"""Compiling beforehand, at the lowest priority, what the methods need that are suggested for the data at hand."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from crypsis.compilation import cache_directory, digest_of_kernels
from crypsis.evaluate.suggestions import RUN_FOR_KIND, RUN_WITHOUT_COORDINATES
from crypsis.web.workspace import Entry

_COMPILE = """
import os, sys
if hasattr(os, "nice"):
    os.nice(19)
from crypsis.cli.warmup import compile_kernels_of
compile_kernels_of(sys.argv[1])
"""


class Preparation:
    """A thread that has one method after another compiled, each by a process of its own; what was done is marked.

    It works for whoever may click soon: a run that is started meanwhile compiles by itself what is not there yet.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._known: set[str] = set()
        self._changed = threading.Condition()
        self._ended = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def prepare_for(self, entry: Entry) -> None:
        """Have the methods compiled that are suggested for a dataset."""
        with self._changed:
            for name in suggested_methods(str(entry.content["section"].get("kind"))):
                if name not in self._known and not is_prepared(name):
                    self._known.add(name)
                    self._waiting.append(name)
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """End the process that is compiling, if there is one."""
        with self._changed:
            self._ended = True
            self._waiting.clear()
            if self._process is not None:
                self._process.terminate()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._ended)
                if self._ended:
                    return
                name = self._waiting.pop(0)
                try:
                    self._process = subprocess.Popen(
                        [sys.executable, "-c", _COMPILE, name],
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                except OSError:  # no process can be started; whoever runs the method compiles it
                    continue
            if self._process.wait() == 0:
                _mark(name)
            with self._changed:
                self._process = None


def suggested_methods(kind: str) -> tuple[str, ...]:
    """The methods that may be suggested for data of a kind."""
    if kind not in RUN_FOR_KIND:
        return ()
    names = [RUN_FOR_KIND[kind].method]
    if kind == "trajectories":
        names.append(RUN_WITHOUT_COORDINATES.method)
    return tuple(names)


def is_prepared(name: str) -> bool:
    """The method was compiled as its kernels are now, or nothing that is compiled could be kept."""
    mark = _mark_of(name)
    return mark is None or mark.exists()


def _mark_of(name: str) -> Path | None:
    base = None if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" else cache_directory()
    return None if base is None else base / f"prepared-{name}-{digest_of_kernels()}"


def _mark(name: str) -> None:
    mark = _mark_of(name)
    if mark is not None:
        with suppress(OSError):  # it will be prepared again
            mark.touch()
