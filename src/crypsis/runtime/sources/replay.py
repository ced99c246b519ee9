"""A recorded file at the pace of life: so many events a second, or its own time made faster."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crypsis.runtime.events import Batch
from crypsis.runtime.sources.files import FileSource
from crypsis.runtime.sources.source import Source

_SLICE = 0.02  # seconds of events that are given at once


class ReplaySource(Source):
    """A CSV or NDJSON file with pauses; what is read is the same as without."""

    def __init__(
        self, path: Path, rate: float, speedup: float, unit_seconds: int, attributes: Sequence[str] = ()
    ) -> None:
        self.file = FileSource(path, "csv" if path.suffix.lower() == ".csv" else "ndjson", attributes)
        self.rate, self.per_second = rate, speedup / unit_seconds

    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        started, given, first = time.monotonic(), 0, None
        for batch in self.file.batches(position, stopped):
            at_once = max(int(self.rate * _SLICE), 1) if self.rate else 256
            for lower in range(0, len(batch.events), at_once):
                part = Batch(batch.events[lower : lower + at_once], batch.positions[lower : lower + at_once])
                due = started + given / self.rate if self.rate else started
                if not self.rate:
                    t = next((event["t"] for event in part.events if _has_time(event)), None)
                    first = t if first is None else first
                    due += max(t - first, 0) / self.per_second if t is not None and first is not None else 0
                if stopped.wait(min(max(due - time.monotonic(), 0), threading.TIMEOUT_MAX)):
                    return
                given += len(part.events)
                yield part


def _has_time(event: Any) -> bool:
    return isinstance(event, dict) and type(event.get("t")) is int
