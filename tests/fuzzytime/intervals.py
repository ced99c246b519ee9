"""Random fuzzy intervals of every kind, and their realizations."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import strategies as st

from crypsis.fuzzytime import FuzzyArray, FuzzyInterval

SMALL = range(5)
EVERY_SMALL = [
    FuzzyInterval(*bounds)
    for bounds in product(SMALL, repeat=4)
    if bounds[0] <= bounds[1] <= bounds[3] and bounds[0] <= bounds[2] <= bounds[3]
]  # proper ones, instants and those without a core


@st.composite
def intervals(draw: st.DrawFn, limit: int = 9) -> FuzzyInterval:
    outer_start, one, other, outer_end = sorted(draw(st.tuples(*[st.integers(0, limit)] * 4)))
    inner_start, inner_end = (one, other) if draw(st.booleans()) else (other, one)
    return FuzzyInterval(outer_start, inner_start, inner_end, outer_end)


def random_array(seed: int, size: int, *, limit: int = 12, floats: bool = False, infinite: float = 0.1) -> FuzzyArray:
    """Intervals of all kinds, some of them open."""
    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.integers(0, limit, (size, 4)), axis=1)
    swap = rng.random(size) < 0.4
    bounds[swap, 1], bounds[swap, 2] = bounds[swap, 2], bounds[swap, 1].copy()
    columns = [bounds[:, index].astype(np.float64) / 4 if floats else bounds[:, index].copy() for index in range(4)]
    least, greatest = (-np.inf, np.inf) if floats else (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
    columns[0][rng.random(size) < infinite] = least
    columns[3][rng.random(size) < infinite] = greatest
    return FuzzyArray(*columns)


def realizations(interval: FuzzyInterval, step: int = 2) -> list[tuple[float, float]]:
    """Beginnings and ends in steps of a half: fine enough for the order of the endpoints of two intervals."""
    os, is_, ie, oe = interval.bounds
    starts = [value / step for value in range(int(os * step), int(is_ * step) + 1)]
    ends = [value / step for value in range(int(ie * step), int(oe * step) + 1)]
    return [(start, end) for start in starts for end in ends if start <= end]
