"""Private methods run with the noise taken away, so that counts can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np

import crypsis
from crypsis.journal import Journal
from tests.noise.providers import NoNoise


class Recording(NoNoise):
    """No noise, and every number that noise would have been added to."""

    def __init__(self) -> None:
        self.counts: list[np.ndarray] = []
        self.scores: list[list[float]] = []

    def laplace(self, counts, epsilon):
        self.counts.append(counts.copy())
        return super().laplace(counts, epsilon)

    def select_each(self, scores, offsets, epsilon, sensitivity):
        self.scores.append([score / sensitivity for score in scores.tolist()])
        return super().select_each(scores, offsets, epsilon, sensitivity)

    def points(self, blocks, epsilon, sensitivity):
        for number in range(len(blocks)):
            self.scores.append([score / sensitivity for score in np.asarray(blocks.scores(number)[1]).tolist()])
        return super().points(blocks, epsilon, sensitivity)


def run_without_noise(method: Any, data: Any) -> tuple[Recording, dict[str, Any]]:
    noise = Recording()
    run = method.generalized if isinstance(data, crypsis.Table) else method.synthesized
    made = run(data, Journal(), noise)
    return noise, made.ledger["ledger"]
