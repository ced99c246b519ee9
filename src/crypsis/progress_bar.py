"""A bar in a notebook while a run goes on, unless somebody listens to it already."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from crypsis.notebook import progress
from crypsis.run_context import Listener, Progress

PATIENCE = 1.0  # seconds before a bar is shown
EVERY = 0.2  # seconds between two drawings


@contextmanager
def listening(listener: Listener | None) -> Iterator[Listener | None]:
    """The listener that was given; in a notebook without one, a bar that is removed at the end."""
    if listener is not None or not in_notebook():
        yield listener
        return
    bar = ProgressBar()
    try:
        yield bar.listen
    finally:
        bar.close()


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this process."""
    if "ipykernel" not in sys.modules or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is not None


class ProgressBar:
    """Stage, share done and time left, below the cell that runs."""

    def __init__(self) -> None:
        self.started, self.last = time.monotonic(), 0.0
        self.handle: Any = None

    def listen(self, message: Progress) -> None:
        now = time.monotonic()
        if now - self.started < PATIENCE or now - self.last < EVERY:
            return
        self.last = now
        left = message.elapsed * (1 - message.share) / message.share if message.share else None
        self._show(progress(message.stage, message.share, left))

    def close(self) -> None:
        if self.handle is not None:
            self._show("")

    def _show(self, markup: str) -> None:
        screen = import_module("IPython.display")
        if self.handle is None:
            self.handle = screen.display(screen.HTML(markup), display_id=True)
        else:
            self.handle.update(screen.HTML(markup))
