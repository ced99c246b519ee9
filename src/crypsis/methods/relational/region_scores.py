"""Scores of specializations as whole numbers with their sensitivity, so that no floating point decides a selection.

All are maximized, and one record more moves them all in the same direction, by at most 1:

    max             sum over the children of their largest class
    discernibility  minus the root of the sum of the squared sizes of the children
    ncp             minus the sum over the records of the width of their child, as a share of the domain
    ncp_gain        how much smaller that sum is than before the specialization
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from crypsis.arrays import Int64s
from crypsis.kernels.regions import DISCERNIBILITY, GRID, MAX, NCP, NCP_GAIN

KINDS = {"max": MAX, "discernibility": DISCERNIBILITY, "ncp": NCP, "ncp_gain": NCP_GAIN}


@dataclass(frozen=True)
class Score:
    """A score in whole units: `unit` of them are 1, and `sensitivity` of them are what one record can change."""

    kind: int
    unit: int
    sensitivity: int

    @classmethod
    def of(cls, name: str, width: Int64s) -> Score:
        kind = KINDS[name]
        if kind == MAX:
            return cls(kind, 1, 1)
        if kind == DISCERNIBILITY:
            return cls(kind, GRID, GRID + 1)
        common = lcm(*width.tolist()) if len(width) else 1
        if common <= GRID:
            return cls(kind, common, common)
        return cls(kind, GRID, GRID + 1)  # rounding down to a grid adds at most one step

    def sensitivity_of_points(self, width: int) -> int:
        """That of split points, whose NCP scores are in cells of their attribute and need no rounding."""
        return width if self.kind in (NCP, NCP_GAIN) else self.sensitivity
