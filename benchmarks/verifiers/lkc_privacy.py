"""The LKC verifier on a window of a million people at eight places: hardly two records are equal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.comparison import Row, best_of
from crypsis.data.sensitive_values import SensitiveValues
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.windows import PublishedWindow, PublishedWindows
from crypsis.guarantees import LKCPrivacy
from crypsis.verifiers import verify

LIMIT = 20.0  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """L=4: 98 sets of every record."""
    people = 100_000 if quick else 1_000_000
    published = _dense(people)
    promised = LKCPrivacy(L=4, K=1, C=Fraction(1), sensitive_values=SensitiveValues({"fare": ["concession"]}))
    before = time.process_time()
    seconds = best_of(2, lambda: verify(published, promised))
    processor = (time.process_time() - before) / 3
    words = f"uniform {people:,} x 8 places, N=7 L=4"
    yield Row("verify LKC", words, seconds, limit=LIMIT, note=f"{processor:.1f} s of processor time")


def _dense(people: int) -> PublishedWindows:
    random = np.random.Generator(np.random.PCG64(3))
    window = PublishedWindow(
        0,
        1,
        7,
        tuple(f"{number:016x}" for number in range(people)),
        7 * np.arange(people + 1),
        random.integers(0, 8, 7 * people).astype(np.int32),
        np.tile(np.arange(1, 8), people),
        (random.random(people) < 0.1).astype(np.int32),
    )
    return PublishedWindows((window,), Vocabulary("abcdefgh"), (frozenset(), frozenset({("fare", "concession")})))
