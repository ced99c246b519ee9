"""When a broker last answered: a silence of five seconds is said and counted, whatever it comes from."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

SILENCE = 5.0  # seconds without an answer


class Pulse:
    """Answers of one broker; it rests until one is wanted."""

    def __init__(self, broker: str, now: Callable[[], float] = time.monotonic) -> None:
        self.broker, self._now = broker, now
        self.silences = 0  # of more than five seconds
        self._last, self._told = inf, False

    def heard(self, at: float | None = None) -> None:
        """The broker answered, now or then; or it is asked from now on."""
        self._last, self._told = self._now() if at is None else at, False

    def rest(self) -> None:
        """Nothing is wanted of the broker now."""
        self.heard(inf)

    @property
    def seconds(self) -> float:
        """How long it has been silent: 0 below five seconds."""
        waited = self._now() - self._last
        if waited < SILENCE:
            return 0.0
        if not self._told:
            self.silences, self._told = self.silences + 1, True
        return waited

    @property
    def trouble(self) -> str:
        """The silence in words; always the same while it lasts."""
        return f"{self.broker} has not answered for {SILENCE:g} seconds." if self.seconds else ""
