"""What a run tells while it works (stage, share done) and what it keeps for the publisher alone (merges, timings).

A method writes to the journal it is given; whoever started the run listens to it. A listener may raise
`Cancelled` to stop the run between two steps. Nothing in a journal is ever part of a release.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Progress:
    """One message of a running stage; `share` is None where the end cannot be told."""

    stage: str
    share: float | None
    elapsed: float


Listener = Callable[[Progress], None]


@dataclass
class Journal:
    """Collects the stages of one run with their wall times, and the publisher's private facts."""

    listener: Listener | None = None
    timings: dict[str, float] = field(default_factory=dict)
    private: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _stage: str = ""
    _started: float = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage; stages do not nest."""
        self._stage, self._started = name, time.perf_counter()
        self.tell(None)
        try:
            yield
        finally:
            spent = time.perf_counter() - self._started
            self.timings[name] = self.timings.get(name, 0.0) + spent

    def tell(self, share: float | None) -> None:
        """Tell the listener how far the stage is; the listener may raise `Cancelled`."""
        if self.listener is not None:
            self.listener(Progress(self._stage, share, time.perf_counter() - self._started))

    def warn(self, text: str) -> None:
        """Keep a sentence that whoever started the run should read."""
        self.warnings.append(text)
