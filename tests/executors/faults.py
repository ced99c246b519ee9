"""A cluster whose workers die in the middle of their work, as a seed says."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.executors.dask import Dask


class Mortal(Dask):
    """A cluster in which up to `deaths` tasks end their worker the first time that they run."""

    def __init__(self, *arguments: Any, deaths: int, rng: np.random.Generator, **options: Any) -> None:
        self.deaths, self.rng = deaths, rng
        super().__init__(*arguments, **options)
        self.markers = self.scratch.below("markers").folder

    @property
    def died(self) -> int:
        return len(list(self.markers.iterdir()))

    def map(self, work: Any, shards: Sequence[Any], *common: Any) -> list[Any]:
        victims: set[int] = set()
        if self.deaths and shards and self.rng.random() < 0.5:
            victims = {int(self.rng.integers(len(shards)))}
            self.deaths -= 1
        marked = [
            (shard, str(self.markers / secrets.token_hex(8)) if number in victims else None)
            for number, shard in enumerate(shards)
        ]
        return super().map(die_before, marked, work, *common)


def die_before(marked: tuple[Any, str | None], work: Any, *common: Any) -> Any:
    """The work, once its worker has died."""
    shard, marker = marked
    if marker is not None and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(shard, *common)
