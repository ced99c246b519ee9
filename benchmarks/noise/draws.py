"""A million exact draws, beside the library that reviewed implementations come from; seconds are processor time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.comparison import Row
from benchmarks.peers import processor_time
from crypsis.errors import MissingExtra
from crypsis.noise import ExactNoise, pass_probability, provider_named

MILLION = 1_000_000
LIMIT = 1.0  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """Discrete Laplace for several budgets, then empty nodes in bulk."""
    ours = ExactNoise()
    counts = np.zeros(MILLION, np.int64)
    for epsilon in (Fraction(1, 168), Fraction(1), Fraction(7, 3)):
        seconds = processor_time(3, lambda: ours.laplace(counts, epsilon))  # noqa: B023
        theirs = _opendp_seconds(epsilon, 20_000 if quick else 100_000)
        comparator = "OpenDP" if theirs else ""
        yield Row(f"discrete Laplace, epsilon {epsilon}", "1,000,000 draws", seconds, comparator, theirs, limit=LIMIT)
    probability = pass_probability(Fraction(1, 168), 951)
    seconds = processor_time(3, lambda: ours.successes(100 * MILLION, probability))
    yield Row("empty nodes that pass", "100,000,000 nodes", seconds)


def _opendp_seconds(epsilon: Fraction, draws: int) -> float | None:
    """Seconds for a million, from fewer."""
    try:
        library = provider_named("opendp")
    except MissingExtra:
        return None
    library.laplace(np.zeros(100, np.int64), epsilon)
    started = time.process_time()
    library.laplace(np.zeros(draws, np.int64), epsilon)
    return (time.process_time() - started) * MILLION / draws
