"""Noise: what a private method may draw. Two providers offer it: `exact`, which is ours and fast, and `opendp`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from crypsis.arrays import Int64s
from crypsis.driver_only import refuse_in_task
from crypsis.noise.blocks import Blocks

LARGEST_DENOMINATOR = 1 << 53


class Noise(ABC):
    """A provider. `calls` counts the mechanism calls that were made, those for empty nodes included.

    It draws at the driver of a run, never inside a task on a part of the data.
    """

    name: ClassVar[str]
    exactness: ClassVar[str]
    publishable: bool = False
    calls: int = 0

    def count_calls(self, calls: int) -> None:
        """So many calls are made now; a task may make none."""
        refuse_in_task("Noise was asked for")
        self.calls += calls

    @abstractmethod
    def laplace(self, counts: Int64s, epsilon: Fraction) -> Int64s:
        """Each count with discrete Laplace noise of its own: P(noise = x) is proportional to exp(-epsilon |x|)."""

    @abstractmethod
    def passing_zeros(self, total: int, epsilon: Fraction, threshold: int) -> tuple[Int64s, Int64s]:
        """Of `total` counts that are 0, those that reach the threshold after noise: ascending numbers, noisy counts.

        The law is that of `laplace` on all of them followed by the comparison.
        """

    @abstractmethod
    def select(
        self, scores: Sequence[Fraction | int], epsilon: Fraction, sensitivity: Fraction, *, replacement: bool = False
    ) -> int:
        """The number of a candidate with a high score, for scores that one record moves all in the same direction.

        Permute-and-flip; with `replacement` the exponential mechanism, P(i) proportional to
        exp(epsilon * score / sensitivity). Both cost epsilon.
        """

    @abstractmethod
    def select_each(self, scores: Int64s, offsets: Int64s, epsilon: Fraction, sensitivity: int) -> Int64s:
        """Permute-and-flip in each list `scores[offsets[i]:offsets[i + 1]]` of whole scores: the place in the list.

        Scores are as for `select`; each list costs epsilon.
        """

    @abstractmethod
    def points(self, blocks: Blocks, epsilon: Fraction, sensitivity: int) -> Int64s:
        """A point of each list with a high score, which is ascribed to points in blocks; each list costs epsilon."""
