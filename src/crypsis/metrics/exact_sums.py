"""Sums that do not depend on the order of what is added: the digits of a figure must not tell the input's order."""

from __future__ import annotations

from fractions import Fraction
from math import fsum

import numpy as np

from crypsis.arrays import Float64s, Int64s

_EXACT = 2.0**52  # whole numbers below it, and their sums below it, are exact in any order
_HALF = 1 << 26  # a number with half of the digits, times one below it, is exact
_LARGE = 2.0**900  # below it nothing overflows
_MANY, _FEW = 400, 64  # numbers from which, and down to which, they are added in pairs
_REMAINDER_ERROR = 2.0**-90  # of the sizes of what is added, below 2^30 numbers
DIGITS = 12  # significant digits of a figure


def total(values: Float64s) -> float:
    """The sum, rounded once, whatever the order."""
    flat = np.asarray(values, np.float64).ravel()
    added = flat[flat != 0]
    largest = float(np.abs(added).sum()) if len(added) else 0.0
    if largest < _EXACT and bool((np.trunc(added) == added).all()):
        return float(added.sum())
    if len(added) >= _MANY:
        sure = _certain_total(added, largest)
        if sure is not None:
            return sure
    return fsum(added.tolist())


def _certain_total(values: Float64s, sizes: float) -> float | None:
    """The sum, rounded once, where what is known of the error of adding in pairs tells it; `sizes` sums the sizes.

    Every addition leaves a remainder, which is known exactly (Knuth: TwoSum). The remainders are added as they are.
    """
    if not sizes < _LARGE:
        return None
    remainder = 0.0
    while len(values) > _FEW:
        half = len(values) // 2
        one, other = values[:half], values[half : 2 * half]
        added = one + other
        virtual = added - one
        remainder += float(((one - (added - virtual)) + (other - virtual)).sum())
        values = np.append(added, values[2 * half :])
    sums, error = [*values.tolist(), remainder], _REMAINDER_ERROR * sizes
    low, high = fsum([*sums, -error]), fsum([*sums, error])
    return low if low == high else None


def exact_total(values: Float64s) -> Fraction:
    """The sum as it is, to be added to others; as a float it is `total` of all values."""
    distinct, counts = np.unique(values, return_counts=True)
    pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
    return sum((Fraction(value) * count for value, count in pairs), Fraction(0))


def weighted_total(values: Float64s, counts: Int64s) -> float:
    """`total` of every value so many times as it counts: what is multiplied has too few digits to be rounded."""
    times = counts.astype(np.float64)
    if int(counts.max(initial=0)) >= _HALF or not np.abs(values).max(initial=0.0) < _LARGE:
        return total(np.repeat(values, counts))
    large = values * (_HALF + 1.0)
    upper = large - (large - values)  # the first half of the digits (Dekker 1971)
    return total(np.concatenate([upper * times, (values - upper) * times]))


def weighted_mean(values: Float64s, counts: Int64s) -> float:
    """`mean` of every value so many times as it counts."""
    return weighted_total(values, counts) / int(counts.sum()) if counts.any() else 0.0


def mean(values: Float64s) -> float:
    """The mean, rounded once after the sum, whatever the order; 0 of nothing."""
    return total(values) / len(values) if len(values) else 0.0


def rounded(value: float) -> float:
    """A figure with as many digits as may be told."""
    return float(f"{value:.{DIGITS}g}")
