"""A source that cannot be read again: what arrives goes through the spool, and is read from there."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from crypsis.errors import WriteFailed
from crypsis.runtime.events import Batch, events_of_lines
from crypsis.runtime.persistence import retry
from crypsis.runtime.sources.source import Source
from crypsis.runtime.spool import Spool


class SpooledSource(Source):
    """One thread fills the spool, another reads it; a position is one of the spool.

    What goes wrong while filling is raised where the events are waited for.
    """

    spool: Spool
    patience: float
    failure: Exception | None = None

    def spooled(self, position: Any, stopped: threading.Event) -> Iterator[Batch]:
        """The events that the spool holds after a position, until it is finished."""
        for lines, positions in self.spool.read(int(position or 0), stopped):
            yield Batch(events_of_lines(lines), positions)

    def append(self, lines: Sequence[bytes], stopped: threading.Event) -> None:
        """Write lines to the spool, again for a while where that fails."""
        retry(partial(self.spool.append, lines), self.patience, stopped, self._note_failed_write)
        self.trouble = ""

    def _note_failed_write(self, error: WriteFailed) -> None:
        self.trouble = error.message

    @property
    def starved(self) -> bool:
        return self.spool.starved

    def forget_before(self, position: Any) -> None:
        self.spool.forget_before(int(position))

    def close(self) -> None:
        self.spool.close()
