"""A worker that starts quickly and whose cells misbehave as their k says.

13 dies, 14 never ends, 15 takes much memory, the promise of 16 is broken, 17 has a bug.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

from crypsis.evaluate import worker
from crypsis.release import Release

_anonymize = worker.anonymize
_verify = Release.verify


def anonymize(data: Any, method: Any, **options: Any) -> Any:
    k = getattr(method, "k", None)
    if k == 13:
        os.kill(os.getpid(), 9)
    if k == 14:
        time.sleep(600)
    if k == 15:
        held = bytearray(1_500_000_000)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(600)
    if k == 17:
        raise RuntimeError("a bug")
    return _anonymize(data, method, **options)


def verify(self: Release, original: Any = None) -> Any:
    verdict = _verify(self, original)
    if getattr(self.method, "k", 0) == 16:
        return replace(verdict, holds=False, problem="planted")
    return verdict


if __name__ == "__main__":
    worker.anonymize = anonymize
    worker.warm = lambda *given: None  # type: ignore[assignment]
    Release.verify = verify  # type: ignore[method-assign]
    worker.main()
