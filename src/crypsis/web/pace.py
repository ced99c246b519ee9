"""How long a stage of a run may still take."""

from __future__ import annotations

import time


class Pace:
    """How fast a stage goes on: the time left follows from what this stage has done since it was first seen."""

    def __init__(self) -> None:
        self.phase, self.begun, self.at = "", 0.0, 0.0

    def left(self, phase: str, share: float, now: float | None = None) -> float | None:
        """Seconds until the stage ends; None as long as nothing can be said."""
        now = time.monotonic() if now is None else now
        if phase != self.phase or share < self.at:
            self.phase, self.begun, self.at = phase, now, share
        done, spent = share - self.at, now - self.begun
        return spent / done * (1 - share) if done > 0.01 and spent > 1 else None
