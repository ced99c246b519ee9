"""Private methods run with the noise taken away, so that counts can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

import crypsis
from crypsis.run_context import RunContext
from tests.noise.providers import NoNoise


class Recording(NoNoise):
    """No noise, and every number that noise would have been added to.

    With the recording of another run it selects what that run selected: where two candidates score alike, one record
    decides between them, and what follows could not be compared.
    """

    def __init__(self, like: Recording | None = None) -> None:
        self.counts: list[np.ndarray] = []
        self.scores: list[list[float]] = []
        self.selected: list[Any] = []
        self._scripted = None if like is None else iter(like.selected)

    def laplace(self, counts, epsilon):
        self.counts.append(counts.copy())
        return super().laplace(counts, epsilon)

    def select(self, scores, epsilon, sensitivity, *, replacement=False):
        return self._as_scripted(super().select(scores, epsilon, sensitivity, replacement=replacement))

    def select_each(self, scores, offsets, epsilon, sensitivity):
        self.scores.append([score / sensitivity for score in scores.tolist()])
        return self._as_scripted(super().select_each(scores, offsets, epsilon, sensitivity))

    def points(self, blocks, epsilon, sensitivity):
        for number in range(len(blocks)):
            self.scores.append([score / sensitivity for score in np.asarray(blocks.scores(number)[1]).tolist()])
        return self._as_scripted(super().points(blocks, epsilon, sensitivity))

    def _as_scripted(self, selection: Any) -> Any:
        if self._scripted is not None:
            selection = next(self._scripted)
        self.selected.append(selection)
        return selection


def run_without_noise(method: Any, data: Any, like: Recording | None = None) -> tuple[Recording, dict[str, Any]]:
    noise = Recording(like)
    run = method.generalized if isinstance(data, crypsis.Table) else method.synthesized
    made = run(data, RunContext(), noise)
    return noise, made.ledger["ledger"]
