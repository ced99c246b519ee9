"""Workers: whoever runs tasks on parts, as verifiers and attacks need it. Executors are such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Workers(Protocol):
    """Whoever runs tasks on parts, in so many bytes of memory."""

    @property
    def memory(self) -> int: ...

    def map(self, work: Any, shards: Sequence[Any], *common: Any) -> list[Any]: ...

    def exchange(self, work: Any, shards: Sequence[Any], targets: int, *common: Any) -> list[list[str]]: ...
