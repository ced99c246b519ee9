"""Where random words come from: the operating system's cryptographic generator, and nowhere else in a release.

There is no seed. A source that is not publishable (tests have one) marks everything that is made with it, and a release
made with it cannot be written.
"""

from __future__ import annotations

import os
import weakref
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from crypsis.driver_only import refuse_in_task

Words = NDArray[np.uint32]

_BATCH = 1 << 18  # words asked for at once: a megabyte


class Entropy(ABC):
    """A source of independent, uniform 32-bit words."""

    publishable: bool = False

    @abstractmethod
    def words(self, count: int) -> Words:
        """That many fresh words."""


class SystemEntropy(Entropy):
    """The operating system's generator."""

    publishable = True

    def words(self, count: int) -> Words:
        refuse_in_task("Random words were asked for")
        return np.frombuffer(os.urandom(4 * count), np.uint32)


_POOLS: weakref.WeakSet[WordPool] = weakref.WeakSet()


def _forget_words() -> None:
    """In a child process: words that its parent will read must not be read here, or both draw the same noise."""
    for pool in list(_POOLS):
        pool.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_words)


class WordPool:
    """Words that wait to be read, in the order in which they came.

    A draw that finds the pool empty is begun again with the same words in front of fresh ones. Throwing them away would
    favour draws that need few words.
    """

    def __init__(self, entropy: Entropy) -> None:
        self.entropy = entropy
        self.words: Words = np.zeros(0, np.uint32)
        self.cursor = np.zeros(3, np.int64)  # next word to read; whether it ran dry; whether a number grew too large
        _POOLS.add(self)

    def forget(self) -> None:
        """Throw all waiting words away: another process has them, too."""
        self.words = np.zeros(0, np.uint32)
        self.cursor[:] = 0

    def refill(self, count: int) -> None:
        """At least `count` unread words, those left over first."""
        left = self.words[int(self.cursor[0]) :]
        fresh = self.entropy.words(max(count, min(2 * len(self.words), _BATCH), 64))
        self.words = np.concatenate([left, fresh])
        self.cursor[0] = 0

    def take(self, count: int) -> Words:
        """The next `count` words."""
        start = int(self.cursor[0])
        if start + count > len(self.words):
            self.refill(count)
            start = 0
        self.cursor[0] = start + count
        return self.words[start : start + count]
