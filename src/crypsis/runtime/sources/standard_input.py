"""NDJSON on standard input. It cannot be read again, so lines go through the spool."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

from crypsis.errors import CrypsisError, WriteFailed
from crypsis.runtime.events import Batch, events_of_lines
from crypsis.runtime.persistence import retry
from crypsis.runtime.sources.source import Source
from crypsis.runtime.spool import Spool

_READ = 1 << 16


class StandardInput(Source):
    """What was read is synced before it counts; a full spool stops reading, and with it whoever writes to us."""

    def __init__(self, spool: Spool, patience: float) -> None:
        self.spool, self.patience = spool, patience
        self._failure: CrypsisError | None = None

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        threading.Thread(target=self._fill, args=(stopped,), daemon=True).start()
        for lines, positions in self.spool.read(int(position or 0), stopped):
            yield Batch(events_of_lines(lines), positions)
        if self._failure is not None:
            raise self._failure

    def _fill(self, stopped: threading.Event) -> None:
        rest = b""
        try:
            while not stopped.is_set():
                if self.spool.full:
                    stopped.wait(0.02)
                    continue
                block = os.read(sys.stdin.fileno(), _READ)
                lines = (rest + block).split(b"\n")
                rest = lines.pop()
                if not block and rest:
                    lines, rest = [rest], b""
                whole = [line for line in lines if line.strip()]
                retry(partial(self.spool.append, whole), self.patience, stopped, self._wrote_not)
                self.trouble = ""
                if not block:
                    return
        except CrypsisError as error:
            self._failure = error
        finally:
            self.spool.finish()

    def _wrote_not(self, error: WriteFailed) -> None:
        self.trouble = error.message

    @property
    def starved(self) -> bool:
        return self.spool.starved

    def forget_before(self, position: Any) -> None:
        self.spool.forget_before(int(position))

    def close(self) -> None:
        self.spool.close()
