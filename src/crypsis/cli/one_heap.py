"""Memory that one thread gave back is there for the others: a process of glibc has one heap, not one for each thread.

Threads that work on columns take and give back much at a time. With a heap of its own each would keep what it gave
back, and a command on a million rows would take a sixth more memory at its peak.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

_HEAPS = -8  # M_ARENA_MAX of malloc.h


def share_one_heap() -> None:
    """Let threads that begin from now on take their memory from the heap of the first; elsewhere nothing is changed."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):  # not every system has glibc
            ctypes.CDLL(None).mallopt(_HEAPS, 1)
