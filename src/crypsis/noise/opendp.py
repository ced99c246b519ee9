"""The OpenDP library as provider: slower than ours, reviewed by others, and the oracle that ours is tested against."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.errors import MissingExtra, TooLarge
from crypsis.noise.blocks import Blocks
from crypsis.noise.noise import Noise

MOST_ZEROS = 5_000_000
_AT_ONCE = 1 << 17


class OpenDPNoise(Noise):
    """Discrete Laplace and permute-and-flip of OpenDP. It has no bulk draw: every empty node gets noise of its own."""

    name = "opendp"
    exactness = "exact"

    def __init__(self) -> None:
        self._library = _library()
        self.publishable = True

    def laplace(self, counts: Int64s, epsilon: Fraction) -> Int64s:
        self.count_calls(len(counts))
        measurement = _laplace_measurement(epsilon)
        noisy = np.empty(len(counts), np.int64)
        for start in range(0, len(counts), _AT_ONCE):
            part = counts[start : start + _AT_ONCE]
            noisy[start : start + len(part)] = measurement(part.tolist())
        return noisy

    def passing_zeros(self, total: int, epsilon: Fraction, threshold: int) -> tuple[Int64s, Int64s]:
        check_zeros(total)
        noisy = self.laplace(np.zeros(total, np.int64), epsilon)
        passing = np.flatnonzero(noisy >= threshold)
        return passing, noisy[passing]

    def select(
        self, scores: Sequence[Fraction | int], epsilon: Fraction, sensitivity: Fraction, *, replacement: bool = False
    ) -> int:
        if replacement:
            raise TooLarge("OpenDP offers permute-and-flip only; take noise='exact' for the exponential mechanism.")
        self.count_calls(1)
        return int(_selection_measurement(epsilon, sensitivity)([float(score) for score in scores]))

    def select_each(self, scores: Int64s, offsets: Int64s, epsilon: Fraction, sensitivity: int) -> Int64s:
        self.count_calls(len(offsets) - 1)
        measurement = _selection_measurement(epsilon, Fraction(sensitivity))
        lists = (scores[start:end].astype(np.float64).tolist() for start, end in pairwise(offsets.tolist()))
        return np.array([measurement(candidates) for candidates in lists], np.int64)

    def points(self, blocks: Blocks, epsilon: Fraction, sensitivity: int) -> Int64s:
        """By permute-and-flip, which costs the same as the exponential mechanism."""
        self.count_calls(len(blocks))
        measurement = _selection_measurement(epsilon, Fraction(sensitivity))
        lists = (blocks.scores(index) for index in range(len(blocks)))
        return np.array([first + measurement(scores.astype(np.float64).tolist()) for first, scores in lists], np.int64)


def check_zeros(total: int) -> None:
    """Refuse more empty nodes than can be drawn one by one."""
    if total > MOST_ZEROS:
        raise TooLarge(
            f"OpenDP draws noise for each empty node, and one step has {total:,} of them (at most {MOST_ZEROS:,}); "
            "take smaller domains, or noise='exact', which draws them in bulk with the same law."
        )


def _library() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise MissingExtra("noise='opendp' needs the library OpenDP: pip install 'crypsis[dp]'.") from error
    dp.enable_features("contrib")
    return dp


@lru_cache(maxsize=256)
def _laplace_measurement(epsilon: Fraction) -> Any:
    dp = _library()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return _within(epsilon, 1 / epsilon, 1, lambda scale: space >> dp.m.then_laplace(scale=scale))


@lru_cache(maxsize=256)
def _selection_measurement(epsilon: Fraction, sensitivity: Fraction) -> Any:
    dp = _library()
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float, monotonic=True)
    return _within(
        epsilon,
        sensitivity / epsilon,
        float(sensitivity),
        lambda scale: dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale),
    )


def _within(epsilon: Fraction, scale: Fraction, distance: float, make: Callable[[float], Any]) -> Any:
    """The measurement with the smallest scale whose privacy map, which the library rounds up, stays within epsilon."""
    rounded = float(scale)
    while True:
        measurement = make(rounded)
        if Fraction(measurement.map(distance)) <= epsilon:
            return measurement
        rounded = math.nextafter(rounded, math.inf)
