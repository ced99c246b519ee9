"""What can be seen of a running stream: figures for Prometheus and for the terminal. Nothing personal."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from crypsis.errors import BrokerSilent, WriteFailed

if TYPE_CHECKING:
    from crypsis.runtime.engine import Decided, StreamEngine
    from crypsis.runtime.sources.source import Source

RESULTS = (
    "accepted",
    "late",
    "duplicate",
    "future",
    "malformed",
    "bad_timestamp",
    "before_origin",
    "unknown_location",
    "sa_conflict",
    "second_location",
    "erased",
    "exit_conflict",
)
_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)


class Observation:
    """Figures of one run. `latest` is the window that was just published."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.events: dict[str, int] = dict.fromkeys(RESULTS, 0)
        self.windows = self.regressed = self.verify_failures = 0
        self.people = self.alive = self.suppressed = self.queue_depth = 0
        self.write_failures = self.checkpoint_failures = self.broker_silences = 0
        self.silent_seconds = 0.0  # since the broker of the source last answered, from five on
        self.distortion = 0.0
        self.lag = 0
        self.last_verified = -1
        self.trouble = ""  # why nothing goes on, in words; nothing personal
        self.latest: Decided | None = None
        self.finished = False
        self.port: int | None = None
        self._seconds = [0] * (len(_BUCKETS) + 1)
        self._seconds_sum = 0.0
        self._silences_of_sink = 0
        self._rates: deque[tuple[float, int]] = deque(maxlen=64)

    def saw(self, decided: Decided, engine: StreamEngine) -> None:
        """A window was published."""
        slide = decided.slide
        self.windows = slide.seq + 1
        self.regressed += slide.regressed
        self.people = slide.active
        self.suppressed = len(slide.suppressed)
        self.alive = int(slide.in_window.sum()) - self.suppressed
        instances = slide.instances
        self.distortion = slide.suppressed_instances / instances if instances else 0.0
        if decided.verified:
            self.last_verified = slide.seq
        self._seconds_sum += decided.seconds
        self._seconds[sum(decided.seconds > bound for bound in _BUCKETS)] += 1

    def look(self, engine: StreamEngine) -> None:
        """Take over the counters of the engine."""
        counters = engine.intake.counters
        for name in RESULTS:
            self.events[name] = counters[name]
        latest, window = engine.intake.max_t, engine.window
        self.lag = 0 if latest is None or window is None else latest - window.y
        self._rates.append((time.monotonic(), counters.total()))

    def hear(self, source: Source) -> None:
        """What is in the way of the events: trouble that the source knows of, or the silence of its broker."""
        pulse = source.pulse
        self.silent_seconds = 0.0 if pulse is None else pulse.seconds
        self.broker_silences = self._silences_of_sink + (0 if pulse is None else pulse.silences)
        self.trouble = source.trouble or ("" if pulse is None else pulse.trouble)

    def missed(self, error: WriteFailed) -> None:
        """Something could not be written, and is tried again."""
        self.write_failures += 1
        silent = isinstance(error, BrokerSilent)
        self._silences_of_sink += silent
        self.broker_silences += silent
        self.trouble = error.message

    @property
    def rate(self) -> float:
        """Events a second, lately."""
        if len(self._rates) < 2:
            return 0.0
        (start, before), (end, now) = self._rates[0], self._rates[-1]
        return (now - before) / (end - start) if end > start else 0.0

    def prometheus(self) -> str:
        """The figures in the text format of Prometheus."""
        lines = ["# TYPE crypsis_events_total counter"]
        lines += [f'crypsis_events_total{{result="{name}"}} {count}' for name, count in self.events.items()]
        for name, kind, value in (
            ("windows_published_total", "counter", self.windows),
            ("regressed_total", "counter", self.regressed),
            ("verify_failures_total", "counter", self.verify_failures),
            ("write_failures_total", "counter", self.write_failures),
            ("checkpoint_failures_total", "counter", self.checkpoint_failures),
            ("broker_silences_total", "counter", self.broker_silences),
            ("broker_silent_seconds", "gauge", self.silent_seconds),
            ("people_active", "gauge", self.people),
            ("doublets_alive", "gauge", self.alive),
            ("doublets_suppressed", "gauge", self.suppressed),
            ("distortion_ratio", "gauge", self.distortion),
            ("queue_depth", "gauge", self.queue_depth),
            ("watermark_lag", "gauge", self.lag),
            ("last_verified_seq", "gauge", self.last_verified),
        ):
            lines += [f"# TYPE crypsis_{name} {kind}", f"crypsis_{name} {value}"]
        lines.append("# TYPE crypsis_window_seconds histogram")
        below = 0
        for bound, count in zip((*_BUCKETS, "+Inf"), self._seconds, strict=True):
            below += count
            lines.append(f'crypsis_window_seconds_bucket{{le="{bound}"}} {below}')
        lines += [f"crypsis_window_seconds_sum {self._seconds_sum}", f"crypsis_window_seconds_count {below}"]
        return "\n".join(lines) + "\n"

    @contextmanager
    def served(self, port: int | None) -> Iterator[None]:
        """Answer /metrics and /health on loopback while the stream runs; port 0 takes a free one."""
        if port is None:
            yield
            return
        from crypsis.runtime.endpoint import serve

        with serve(self, port) as chosen:
            self.port = chosen
            yield
