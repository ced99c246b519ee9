"""Exact noise on integers and rationals from the operating system's entropy. Floating point decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.errors import BadParameter, InternalError
from crypsis.noise.blocks import Blocks
from crypsis.noise.entropy import Entropy, SystemEntropy, WordPool
from crypsis.noise.noise import LARGEST_DENOMINATOR, Noise
from crypsis.noise.probabilities import PassProbability, pass_probability
from crypsis.noise.samplers import (
    LARGEST,
    LAYERS,
    exponential_choice,
    fill_below,
    fill_noise,
    fill_points,
    fill_selections,
    permute_and_flip,
)

_BITS_AT_ONCE = 1 << 26
_WORDS_PER_DRAW = 12  # on average, and a little more


class ExactNoise(Noise):
    """The samplers of `samplers`, fed from a pool of random words."""

    name = "exact"
    exactness = "exact"

    def __init__(self, entropy: Entropy | None = None) -> None:
        source = SystemEntropy() if entropy is None else entropy
        self.publishable = source.publishable
        self.pool = WordPool(source)

    def laplace(self, counts: Int64s, epsilon: Fraction) -> Int64s:
        self.count_calls(len(counts))
        return counts + self._filled(fill_noise, len(counts), *terms_of(epsilon), True)

    def passing_zeros(self, total: int, epsilon: Fraction, threshold: int) -> tuple[Int64s, Int64s]:
        self.count_calls(total)
        passing = self.subset(total, self.successes(total, pass_probability(epsilon, threshold)))
        return passing, threshold + self._filled(fill_noise, len(passing), *terms_of(epsilon), False)

    def select(
        self, scores: Sequence[Fraction | int], epsilon: Fraction, sensitivity: Fraction, *, replacement: bool = False
    ) -> int:
        self.count_calls(1)
        best = max(scores)
        gaps = [epsilon * (best - Fraction(score)) / sensitivity for score in scores]
        denominator = int(np.lcm.reduce([gap.denominator for gap in gaps], dtype=object))
        numerators = [int(gap * denominator) for gap in gaps]
        if max(denominator, *numerators) >= LARGEST:
            raise BadParameter("The scores have too many digits to be compared in 64 bits; round them to a grid.")
        return self.select_gaps(np.array(numerators, np.int64), denominator, replacement=replacement)

    def select_each(self, scores: Int64s, offsets: Int64s, epsilon: Fraction, sensitivity: int) -> Int64s:
        self.count_calls(len(offsets) - 1)
        return self._filled(partial(_selections, scores, offsets), len(offsets) - 1, *weight_of(epsilon, sensitivity))

    def points(self, blocks: Blocks, epsilon: Fraction, sensitivity: int) -> Int64s:
        self.count_calls(len(blocks))
        return self._filled(partial(_points, blocks), len(blocks), *weight_of(epsilon, sensitivity))

    def select_gaps(self, gaps: Int64s, denominator: int, *, replacement: bool = False) -> int:
        """Candidate i, accepted with exp(-gaps[i] / denominator); the calls are counted by whoever asks."""
        pool, scratch = self.pool, np.empty(len(gaps), np.int64)
        while True:
            begin = int(pool.cursor[0])
            if replacement:
                chosen = exponential_choice(pool.words, pool.cursor, gaps, denominator)
            else:
                chosen = permute_and_flip(pool.words, pool.cursor, gaps, denominator, scratch)
            if pool.cursor[1] == 0:
                return int(chosen)
            pool.cursor[:2] = begin, 0
            pool.refill(_WORDS_PER_DRAW * len(gaps))

    def successes(self, total: int, probability: PassProbability) -> int:
        """A binomial draw: how many of `total` uniform bit strings are below the probability.

        The strings are compared with it a bit at a time and all at once: of those that agree with it so far, about
        half have a 1 next. How many is counted in as many random bits; which of them is never asked.
        """
        undecided, passed, index = total, 0, 0
        while undecided:
            ones = self._ones(undecided)
            if probability.bit(index):
                passed += undecided - ones
                undecided = ones
            else:
                undecided -= ones
            index += 1
        return passed

    def subset(self, total: int, size: int) -> Int64s:
        """`size` of the numbers below `total`, ascending; every such set is equally likely."""
        if 2 * size > total:
            left_out = np.ones(total, np.bool_)
            left_out[self.subset(total, total - size)] = False
            return np.flatnonzero(left_out)
        chosen: Int64s = np.zeros(0, np.int64)
        while len(chosen) < size:  # a number drawn twice counts once; all numbers are treated alike
            fresh = self._filled(fill_below, size - len(chosen), total)
            chosen = np.unique(np.concatenate([chosen, fresh]))
        return chosen

    def _ones(self, count: int) -> int:
        ones = 0
        for start in range(0, count, _BITS_AT_ONCE):
            bits = min(_BITS_AT_ONCE, count - start)
            words = self.pool.take(-(-bits // 32))
            ones += int(np.bitwise_count(words).sum(dtype=np.int64))
            spare = 32 * len(words) - bits
            if spare:
                ones -= int(words[-1] >> np.uint32(32 - spare)).bit_count()
        return ones

    def _filled(self, kernel: Callable[..., int], count: int, *terms: int) -> Int64s:
        pool, drawn, done = self.pool, np.empty(count, np.int64), 0
        while done < count:
            done = kernel(pool.words, pool.cursor, *terms, drawn, done)
            if pool.cursor[2] != 0:
                pool.cursor[2] = 0
                raise InternalError("A noise draw does not fit into 64 bits.")
            if done < count:
                pool.refill(_WORDS_PER_DRAW * min(count - done, 1 << 20))
        return drawn


def _selections(scores: Int64s, offsets: Int64s, words: Any, cursor: Int64s, *rest: Any) -> int:
    return fill_selections(words, cursor, scores, offsets, *rest)


def _points(blocks: Blocks, words: Any, cursor: Int64s, *rest: Any) -> int:
    return fill_points(words, cursor, blocks.offsets, blocks.first, blocks.last, blocks.score, blocks.slope, *rest)


def weight_of(epsilon: Fraction, sensitivity: int) -> tuple[int, int]:
    """Numerator and denominator of what one unit of a whole score weighs in the exponent."""
    s, t = terms_of(epsilon)
    weight = Fraction(s, t * sensitivity)
    if weight.numerator * weight.denominator * LAYERS >= LARGEST:
        raise BadParameter(
            f"The budget {epsilon} of one selection has too many digits; write epsilon with fewer, such as 0.5 or 1/3."
        )
    return weight.numerator, weight.denominator


def terms_of(epsilon: Fraction) -> tuple[int, int]:
    """Numerator and denominator of a budget, small enough for the samplers."""
    if epsilon <= 0:
        raise InternalError(f"A mechanism was called with the budget {epsilon}.")
    if max(epsilon.numerator, epsilon.denominator) > LARGEST_DENOMINATOR:
        raise BadParameter(
            f"The budget {epsilon} of one mechanism has too many digits; write epsilon with fewer, such as 0.5 or 1/3."
        )
    return epsilon.numerator, epsilon.denominator
