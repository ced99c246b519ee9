"""Blocks: scores of very many candidates that are numbers in a row, said in few numbers.

List i is made of the blocks `offsets[i]` to `offsets[i + 1] - 1`, which follow one another without gaps. Block j holds
the points `first[j]` to `last[j]`; the first has the score `score[j]`, each following one `slope[j]` more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s


@dataclass(frozen=True, eq=False)
class Blocks:
    """Lists of blocks; every list has at least one point."""

    offsets: Int64s
    first: Int64s
    last: Int64s
    score: Int64s
    slope: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def scores(self, number: int) -> tuple[int, Int64s]:
        """The first point of a list, and the scores of all its points."""
        part = slice(int(self.offsets[number]), int(self.offsets[number + 1]))
        sizes = self.last[part] - self.first[part] + 1
        steps = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return int(self.first[part][0]), np.repeat(self.score[part], sizes) + np.repeat(self.slope[part], sizes) * steps
