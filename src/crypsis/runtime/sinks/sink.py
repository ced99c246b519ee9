"""What a sink is: it takes window after window and can say which it holds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar


class Sink(ABC):
    """Windows by number. `publish` returns when the window is safely out, or raises `WriteFailed`."""

    remembers: ClassVar[bool] = True  # whether it can say of every window that it is there

    @abstractmethod
    def last(self, decided: int) -> int:
        """The newest window it holds, -1 for none; `decided` windows may be out, the last of them is uncertain."""

    def held(self, decided: int) -> int:
        """The newest window up to which it holds every one that was ever published."""
        return self.last(decided)

    def make_room(self, seq: int) -> None:  # noqa: B027
        """Windows after this one are published again: put away those that would be in the way."""

    @abstractmethod
    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        """Put a window and its certificate out, both one line of JSON; a repetition changes nothing."""

    def close(self) -> None:  # noqa: B027
        """Let go of files and connections."""
