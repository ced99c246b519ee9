"""How long a stage of a run may still take."""

from __future__ import annotations

import time
from collections.abc import Mapping

_MOST = 0.95  # of a stage whose end is only expected


class Pace:
    """How fast a stage goes on: the time left follows from what this stage has done since it was first seen.

    A stage that does not tell how far it is may take as many seconds as it took the last time.
    """

    def __init__(self) -> None:
        self.phase, self.begun, self.at = "", 0.0, 0.0
        self.expected: Mapping[str, float] = {}

    def left(self, phase: str, share: float, now: float | None = None) -> float | None:
        """Seconds until the stage ends; None as long as nothing can be said."""
        now = self._look(phase, share, now)
        done, spent = share - self.at, now - self.begun
        return spent / done * (1 - share) if done > 0.01 and spent > 1 else None

    def expect(self, phase: str, now: float | None = None) -> tuple[float, float] | None:
        """The share that is done and the seconds that are left if the stage takes as long as the last time."""
        now = self._look(phase, 0.0, now)
        usual = self.expected.get(phase)
        if not usual:
            return None
        spent = now - self.begun
        return (spent / usual, usual - spent) if spent < _MOST * usual else None

    def _look(self, phase: str, share: float, now: float | None) -> float:
        """The time now; a stage that is seen for the first time begins."""
        now = time.monotonic() if now is None else now
        if phase != self.phase or share < self.at:
            self.phase, self.begun, self.at = phase, now, share
        return now
