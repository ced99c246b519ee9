"""Threads of numpy's linear algebra sleep while there is nothing to do.

Each is started with numpy and looks for work for some milliseconds before it first sleeps: a sixth of the processor
time that importing numpy takes. A command seldom multiplies matrices.
"""

from __future__ import annotations

import os

_LOOKS = "OPENBLAS_THREAD_TIMEOUT"  # as a power of two
_FEWEST = "4"


def let_idle_threads_sleep() -> None:
    """Before numpy is imported, here and in processes that are started from here; what the user has set is kept."""
    os.environ.setdefault(_LOOKS, _FEWEST)
