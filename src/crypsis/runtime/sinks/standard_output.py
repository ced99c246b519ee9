"""Windows on standard output, one object a line."""

from __future__ import annotations

import os
import sys

from crypsis.errors import WriteFailed
from crypsis.runtime.sinks.sink import Sink


class StandardOutput(Sink):
    """Nobody can say what a reader got: after a crash the last decided window comes again, no other does."""

    remembers = False

    def last(self, decided: int) -> int:
        return decided - 2 if decided else -1

    def publish(self, seq: int, window: bytes, certificate: bytes) -> None:
        try:
            sys.stdout.flush()
            left = memoryview(window)
            while left:
                left = left[os.write(sys.stdout.fileno(), left) :]
        except BrokenPipeError:
            raise
        except OSError as error:
            raise WriteFailed(f"Could not write to standard output: {error}.") from error
