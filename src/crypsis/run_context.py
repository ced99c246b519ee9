"""The context of a run: its progress (stage, share done) and what the publisher alone keeps (merges, timings).

A method writes to the context it is given; whoever started the run listens to it. A listener may raise
`Cancelled` to stop the run between two steps. Nothing in a context is ever part of a release.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Progress:
    """One message of a running stage; `share` is None where the end is not known."""

    stage: str
    share: float | None
    elapsed: float


Listener = Callable[[Progress], None]

OF_A_RELEASE = ("verify", "measure", "write")  # stages that follow those of any method


class StagesDone:
    """How much of a run is done, counted in stages; one that is not listed changes nothing."""

    def __init__(self, stages: Sequence[str]) -> None:
        self.stages, self.share = (*stages, *OF_A_RELEASE), 0.0

    def begin(self, stage: str) -> float:
        """The share that is done when this stage begins."""
        if stage in self.stages:
            self.share = max(self.share, self.stages.index(stage) / len(self.stages))
        return self.share


@dataclass
class RunContext:
    """Collects the stages of one run with their wall times, and the publisher's private facts.

    `memory` is the most memory that the process had taken when a stage ended, in bytes, where the system reports it.
    """

    listener: Listener | None = None
    timings: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    private: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _stage: str = ""
    _started: float = 0.0
    _open: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage. While a stage inside it runs, its own time stands still: every second counts once."""
        self._add_time()
        self._open.append(name)
        self._stage = name
        self.report_progress(None)
        try:
            yield
        finally:
            self._add_time()
            self._open.pop()
            peak = peak_memory()
            if peak is not None:
                self.memory[name] = peak

    def _add_time(self) -> None:
        """Add the time since the last look to the stage that is open."""
        now = time.perf_counter()
        if self._open:
            running = self._open[-1]
            self.timings[running] = self.timings.get(running, 0.0) + now - self._started
        self._started = now

    def prepend_stage(self, name: str, seconds: float, memory: int | None = None) -> None:
        """Add in front a stage that ended before this context existed."""
        self.timings = {name: seconds, **self.timings}
        if memory is not None:
            self.memory = {name: memory, **self.memory}

    def stages(self) -> list[tuple[str, float, int | None]]:
        """Name, seconds and most memory so far of each stage."""
        return [(name, seconds, self.memory.get(name)) for name, seconds in self.timings.items()]

    def report_progress(self, share: float | None) -> None:
        """Tell the listener how far the stage is; the listener may raise `Cancelled`."""
        if self.listener is not None:
            self.listener(Progress(self._stage, share, time.perf_counter() - self._started))

    def warn(self, text: str) -> None:
        """Keep a sentence that whoever started the run should read."""
        self.warnings.append(text)


def peak_memory() -> int | None:
    """The most memory that this process has taken so far, in bytes; None where the system does not report it."""
    try:
        import resource
    except ImportError:  # not on this system
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
