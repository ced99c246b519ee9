"""The end of a process: what Python would take apart object by object goes back to the system as a whole.

Without this a command spends a quarter of a second on freeing modules and looking for waste that the system frees at
once. Threads are still waited for, what is registered for the end is run, and output is written, in the usual order.
"""

from __future__ import annotations

import atexit
import os
import sys


class QuickEnd:
    """Ends the process once everything else at its end is done, where its exit code is known by then."""

    def __init__(self) -> None:
        self.code: int | None = None

    @classmethod
    def expected(cls) -> QuickEnd:
        """One that will be last: whatever was registered before it would not be run, and then it is not registered."""
        end = cls()
        if atexit._ncallbacks() == 0:
            atexit.register(end.leave)
        return end

    def leave(self) -> None:
        """End here; where output cannot be written Python ends as usual, and says so."""
        if self.code is None:
            return
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (OSError, ValueError):
            return
        os._exit(self.code)
