"""BTD: how different two transactions are, and how wide a cluster of them is.

BTD(a, b) = (|a xor b| + 1) / (|a and b| + 1); with `operator="or"`, |a or b| in place of the exclusive or (the printed
formula lost its sign; both give the paper's figures). Of a cluster it is the greatest over its pairs, of one record
1 / (|a| + 1). Record r is items[offsets[r]:offsets[r + 1]], ascending and distinct.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
ECML PKDD 2013, 353-369: bidirectional transaction distance.
"""

from __future__ import annotations

from dataclasses import MISSING
from fractions import Fraction

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Int32s, Int64s
from crypsis.parameters import OneOf, Parameter

_OPERATOR = Parameter("operator", str, False, (OneOf("xor", "or"),), "What differs, or all there is.", MISSING)


def record_distance(offsets: Int64s, items: Int32s, one: int, other: int, operator: str = "xor") -> Fraction:
    """BTD of two records, exactly."""
    either = _OPERATOR.check(operator, "record_distance") == "or"
    return Fraction(*map(int, pair_distance(offsets, items, one, other, either)))


def cluster_distance(offsets: Int64s, items: Int32s, records: Int64s, operator: str = "xor") -> Fraction:
    """The greatest BTD of two records of a cluster, exactly."""
    either = _OPERATOR.check(operator, "cluster_distance") == "or"
    return Fraction(*map(int, widest_pair(offsets, items, np.asarray(records, np.int64), either)))


def cross_distance(offsets: Int64s, items: Int32s, first: Int64s, second: Int64s, operator: str = "xor") -> Fraction:
    """The greatest BTD between a record of one cluster and a record of another, exactly."""
    either = _OPERATOR.check(operator, "cross_distance") == "or"
    ends = np.asarray(first, np.int64), np.asarray(second, np.int64)
    return Fraction(*map(int, widest_cross_pair(offsets, items, *ends, either)))


@njit
def pair_distance(offsets: Int64s, items: Int32s, one: int, other: int, either: bool) -> tuple[int, int]:
    """Numerator and denominator of BTD."""
    place, end = offsets[one], offsets[one + 1]
    place_other, end_other = offsets[other], offsets[other + 1]
    size = end - place + end_other - place_other
    common = 0
    while place < end and place_other < end_other:
        difference = np.int64(items[place]) - np.int64(items[place_other])
        common += difference == 0
        place += difference <= 0
        place_other += difference >= 0
    return size - (1 if either else 2) * common + 1, common + 1


@njit
def widest_pair(offsets: Int64s, items: Int32s, records: Int64s, either: bool) -> tuple[int, int]:
    """Of all pairs of records; longest first, because no pair further on can then be wider than its two lengths."""
    if len(records) == 1:
        size = offsets[records[0] + 1] - offsets[records[0]]
        return (size + 1, size + 1) if either else (1, size + 1)
    ordered = _longest_first(offsets, records)
    top, bottom = 0, 1
    for place in range(len(ordered)):
        size = offsets[ordered[place] + 1] - offsets[ordered[place]]
        for partner in range(place + 1, len(ordered)):
            both = size + offsets[ordered[partner] + 1] - offsets[ordered[partner]]
            if (both + 1) * bottom <= top:  # even without a common item it would not be wider
                break
            upper, lower = pair_distance(offsets, items, ordered[place], ordered[partner], either)
            if upper * bottom > top * lower:
                top, bottom = upper, lower
    return top, bottom


@njit
def widest_cross_pair(offsets: Int64s, items: Int32s, first: Int64s, second: Int64s, either: bool) -> tuple[int, int]:
    """Of all pairs of a record here and a record there, in the same order of search."""
    here, there = _longest_first(offsets, first), _longest_first(offsets, second)
    top, bottom = 0, 1
    for one in here:
        size = offsets[one + 1] - offsets[one]
        for other in there:
            both = size + offsets[other + 1] - offsets[other]
            if (both + 1) * bottom <= top:
                break
            upper, lower = pair_distance(offsets, items, one, other, either)
            if upper * bottom > top * lower:
                top, bottom = upper, lower
    return top, bottom


@njit
def _longest_first(offsets: Int64s, records: Int64s) -> Int64s:
    lengths = np.empty(len(records), np.int64)
    for place in range(len(records)):
        lengths[place] = offsets[records[place]] - offsets[records[place] + 1]
    ordered: Int64s = records[np.argsort(lengths)]
    return ordered
