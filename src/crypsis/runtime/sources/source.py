"""What a source is: batches of events from a position on."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from crypsis.runtime.events import Batch
from crypsis.runtime.pulse import Pulse


class Source(ABC):
    """Events with positions. Reading again from a position gives the same events in the same order.

    `trouble` says why no events come, where something is wrong; it may pass. `pulse` are the answers of a broker.
    """

    trouble: str = ""
    pulse: Pulse | None = None

    @abstractmethod
    def batches(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        """Events after a position (None: from the beginning), until the stream ends or `stopped` is set."""

    @property
    def starved(self) -> bool:
        """All that was kept is read, and there is room for more only after `forget_before`."""
        return False

    def forget_before(self, position: Any) -> None:  # noqa: B027
        """Nothing before this position will be read again."""

    def close(self) -> None:  # noqa: B027
        """Let go of files and connections."""
