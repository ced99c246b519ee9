"""The bounded queue between source and engine: a full one stops the reading."""

from __future__ import annotations

import queue
import threading
from typing import Any

from crypsis.runtime.events import Batch
from crypsis.runtime.sources.source import Source

_AT_ONCE = 2048
_WAIT = 0.1


class Feed:
    """Reads ahead in a thread, at most `limit` events."""

    def __init__(self, source: Source, position: Any, limit: int) -> None:
        self.stopped = threading.Event()
        self._at_once = min(_AT_ONCE, limit)
        self._batches: queue.Queue[Batch | BaseException | None] = queue.Queue(max(limit // self._at_once, 1))
        self._thread = threading.Thread(target=self._read, args=(source, position), daemon=True)
        self._thread.start()

    @property
    def depth(self) -> int:
        """Events that wait, about."""
        return self._batches.qsize() * self._at_once

    def next(self) -> Batch | type[Nothing] | None:
        """The next events; None at the end of the stream, `Nothing` when none came for a moment."""
        try:
            batch = self._batches.get(timeout=_WAIT)
        except queue.Empty:
            return Nothing
        if isinstance(batch, BaseException):
            raise batch
        return batch

    def close(self) -> None:
        self.stopped.set()
        self._thread.join(timeout=10)

    def _read(self, source: Source, position: Any) -> None:
        try:
            for batch in source.batches(position, self.stopped):
                for lower in range(0, len(batch.events), self._at_once):
                    upper = lower + self._at_once
                    self._put(Batch(batch.events[lower:upper], batch.positions[lower:upper]))
            if not self.stopped.is_set():
                self._put(None)
        except BaseException as error:  # told to whoever waits for events
            self._put(error)

    def _put(self, what: Batch | BaseException | None) -> None:
        while not self.stopped.is_set():
            try:
                self._batches.put(what, timeout=_WAIT)
                return
            except queue.Full:
                continue


class Nothing:
    """No events yet."""
