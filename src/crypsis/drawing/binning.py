"""Bins for counts of whole numbers: one per value where they fit, else equal widths, else each twice the one before."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.translation import _, language
from crypsis.translation.templates import localized

MOST_BINS = 30
_FEWEST_WIDE_BINS = 10
_LEAST_DOUBLINGS = 6


@dataclass(frozen=True, eq=False)
class Bins:
    """Bin b holds the values from edges[b] up to, but not including, edges[b + 1]."""

    edges: Int64s
    doubling: bool = False

    def __len__(self) -> int:
        return len(self.edges) - 1

    @property
    def single_values(self) -> bool:
        """Every bin holds one value."""
        return bool((np.diff(self.edges) == 1).all())

    def count(self, values: Int64s) -> Int64s:
        """How many values fall into each bin; all must lie within the edges."""
        bin_of_value = np.searchsorted(self.edges, values, side="right") - 1
        return np.bincount(bin_of_value, minlength=len(self)).astype(np.int64)

    def position(self, value: float) -> float:
        """Where a value lies when all bins are drawn equally wide: at b for edges[b]."""
        return float(np.interp(value, self.edges, np.arange(len(self.edges))))

    def range_text(self, bin: int) -> str:
        """The values of one bin."""
        first, last = int(self.edges[bin]), int(self.edges[bin + 1]) - 1
        return (
            localized(f"{first:,}", language()) if first == last else _("{first:,} to {last:,}", first=first, last=last)
        )


def bins_of(values: Int64s, including: int | None = None) -> Bins:
    """Bins that cover the values, and one more if given. They grow where most values are small beside the largest."""
    lowest, highest = int(values.min()), int(values.max())
    if including is not None:
        lowest, highest = min(lowest, including), max(highest, including)
    if highest - lowest < MOST_BINS:
        return Bins(np.arange(lowest, highest + 2))
    crowded = float(np.quantile(values, 0.75)) - lowest < (highest - lowest) / 20
    if crowded and highest >= max(lowest, 1) * 2**_LEAST_DOUBLINGS:
        return _doubling(lowest, highest)
    few = max(_FEWEST_WIDE_BINS, 3 * math.sqrt(len(values)))  # more would be mostly empty
    width = _round_width((highest - lowest + 1) / min(MOST_BINS, few))
    n_bins = -(-(highest - lowest + 1) // width)
    return Bins(lowest + width * np.arange(n_bins + 1))


def _doubling(lowest: int, highest: int) -> Bins:
    edges = [0, 1] if lowest == 0 else [lowest]
    while edges[-1] <= highest:
        edges.append(2 * edges[-1])
    return Bins(np.array(edges, np.int64), doubling=True)


def _round_width(least: float) -> int:
    """The smallest of 1, 2, 3, 4, 5, 10, 20, 30, … that is not below `least`."""
    power = 1
    while True:
        for digit in (1, 2, 3, 4, 5):
            if digit * power >= least:
                return digit * power
        power *= 10
