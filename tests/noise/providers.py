"""Providers and entropy for tests only. Nothing made with them can be published: they say so themselves."""

from __future__ import annotations

import numpy as np

from crypsis.noise import Entropy, ExactNoise, Noise


class SeededEntropy(Entropy):
    """Words that repeat from the same seed; `batch` makes the pool run dry more or less often."""

    publishable = False

    def __init__(self, seed: int) -> None:
        self.random = np.random.Generator(np.random.PCG64(seed))

    def words(self, count: int):
        return self.random.integers(0, 2**32, count, dtype=np.uint32)


class DripEntropy(Entropy):
    """Gives out the words of a long list, never more than `at_once` of them."""

    def __init__(self, words, at_once: int) -> None:
        self.left, self.at_once = words, at_once

    def words(self, count: int):
        given, self.left = self.left[: self.at_once], self.left[self.at_once :]
        return given


class NoNoise(Noise):
    """Counts as they are: the structure of a method without its privacy."""

    name = "no noise"
    exactness = "none"

    def laplace(self, counts, epsilon):
        self.calls += len(counts)
        return counts.copy()

    def passing_zeros(self, total, epsilon, threshold):
        self.calls += total
        return np.zeros(0, np.int64), np.zeros(0, np.int64)

    def select(self, scores, epsilon, sensitivity, *, replacement=False):
        self.calls += 1
        return int(np.argmax([float(score) for score in scores]))

    def select_each(self, scores, offsets, epsilon, sensitivity):
        self.calls += len(offsets) - 1
        ends = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
        return np.array([int(np.argmax(scores[start:end])) for start, end in ends], np.int64)

    def points(self, blocks, epsilon, sensitivity):
        self.calls += len(blocks)
        lists = [blocks.scores(number) for number in range(len(blocks))]
        return np.array([first + int(np.argmax(scores)) for first, scores in lists], np.int64)


class NaiveNoise(ExactNoise):
    """Draws the noise of every empty node by itself, as the definition says."""

    name = "naive"

    def passing_zeros(self, total, epsilon, threshold):
        noisy = self.laplace(np.zeros(total, np.int64), epsilon)
        passing = np.flatnonzero(noisy >= threshold)
        return passing, noisy[passing]


class ForgetfulNoise(ExactNoise):
    """BROKEN on purpose: empty nodes get no noise, so whatever is published was there."""

    name = "forgetful"

    def passing_zeros(self, total, epsilon, threshold):
        self.calls += total
        return np.zeros(0, np.int64), np.zeros(0, np.int64)


class HalfNoise(ExactNoise):
    """BROKEN on purpose: spends twice what it says."""

    name = "half"

    def laplace(self, counts, epsilon):
        return super().laplace(counts, 2 * epsilon)
