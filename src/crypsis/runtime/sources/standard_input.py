"""NDJSON on standard input. It cannot be read again, so lines go through the spool."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

from crypsis.errors import CrypsisError
from crypsis.runtime.events import Batch
from crypsis.runtime.sources.spooled import SpooledSource
from crypsis.runtime.spool import Spool

_READ = 1 << 16


class StandardInput(SpooledSource):
    """What was read is synced before it counts; a full spool stops reading, and with it whoever writes to us."""

    def __init__(self, spool: Spool, patience: float) -> None:
        self.spool, self.patience = spool, patience

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        threading.Thread(target=self._fill, args=(stopped,), daemon=True).start()
        yield from self.spooled(position, stopped)
        if self.failure is not None:
            raise self.failure

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
                self.append(whole, stopped)
                if not block:
                    return
        except CrypsisError as error:
            self.failure = error
        finally:
            self.spool.finish()
