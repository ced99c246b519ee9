"""The tightest cell of every class in every attribute, what it costs, and what a union of two classes would cost.

`codes` and `attributes` as in `attribute_costs`. Class c spans the codes `low[c, a]` to `high[c, a]`; low is above high
where all are missing. `absent[c, a]` tells whether any is missing. For attributes of the kind VALUES bit v of
`bits[c, bit_start[a]:bit_start[a + 1]]` tells whether value v occurs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.attribute_costs import VALUES, Attributes, span_cost

UInt64s = NDArray[np.uint64]
NONE = 1 << 30  # above every code

_ONE = np.uint64(1)
_LOW_BITS = np.uint64(63)


class ClassCells(NamedTuple):
    """One row per class; rows may be absorbed into others."""

    low: Int32s
    high: Int32s
    absent: Bools
    bits: UInt64s
    bit_start: Int64s


@njit
def class_cells(codes: Int32s, class_of: Int64s, n_classes: int, bit_start: Int64s) -> ClassCells:
    """The cells of classes 0 to n_classes - 1; a record of class -1 is left out."""
    n_rows, n_attributes = codes.shape
    low = np.full((n_classes, n_attributes), NONE, np.int32)
    high = np.full((n_classes, n_attributes), -1, np.int32)
    absent = np.zeros((n_classes, n_attributes), np.bool_)
    bits = np.zeros((n_classes, bit_start[-1]), np.uint64)
    for row in range(n_rows):
        one = class_of[row]
        if one < 0:
            continue
        for attribute in range(n_attributes):
            code = codes[row, attribute]
            if code < 0:
                absent[one, attribute] = True
                continue
            low[one, attribute] = min(low[one, attribute], code)
            high[one, attribute] = max(high[one, attribute], code)
            start = bit_start[attribute]
            if bit_start[attribute + 1] > start:
                bits[one, start + (code >> 6)] |= _ONE << (np.uint64(code) & _LOW_BITS)
    return ClassCells(low, high, absent, bits, bit_start)


@njit
def _ones(word: np.uint64) -> int:
    """How many bits are set."""
    count = 0
    while word:
        word &= word - _ONE
        count += 1
    return count


@njit
def union_cost(attributes: Attributes, one: ClassCells, first: int, other: ClassCells, second: int) -> int:
    """What a record costs in the union of class `first` of `one` and class `second` of `other`."""
    return _union_cost_within(attributes, one, first, other, second, -1)


@njit
def _union_cost_within(
    attributes: Attributes, one: ClassCells, first: int, other: ClassCells, second: int, most: int
) -> int:
    """The same; -1 once it exceeds `most`, where that is not negative."""
    total = 0
    for attribute in range(len(attributes.kind)):
        low = min(one.low[first, attribute], other.low[second, attribute])
        high = max(one.high[first, attribute], other.high[second, attribute])
        if high < 0:
            continue
        if one.absent[first, attribute] or other.absent[second, attribute]:
            total += attributes.full[attribute]
        elif attributes.kind[attribute] == VALUES:
            distinct = 0
            for word in range(one.bit_start[attribute], one.bit_start[attribute + 1]):
                distinct += _ones(one.bits[first, word] | other.bits[second, word])
            if distinct > 1:
                total += attributes.unit[attribute] * distinct
        elif low < high:
            total += span_cost(attributes, attribute, low, high)
        if total > most >= 0:
            return -1
    return total


@njit
def class_costs(attributes: Attributes, cells: ClassCells) -> Int64s:
    """What a record of each class costs."""
    costs = np.empty(len(cells.low), np.int64)
    for index in range(len(costs)):
        costs[index] = union_cost(attributes, cells, index, cells, index)
    return costs


@njit
def absorb(cells: ClassCells, one: int, other: ClassCells, second: int) -> None:
    """Class `one` becomes its union with class `second` of `other`."""
    for attribute in range(cells.low.shape[1]):
        cells.low[one, attribute] = min(cells.low[one, attribute], other.low[second, attribute])
        cells.high[one, attribute] = max(cells.high[one, attribute], other.high[second, attribute])
        cells.absent[one, attribute] |= other.absent[second, attribute]
    for word in range(cells.bits.shape[1]):
        cells.bits[one, word] |= other.bits[second, word]


@njit
def nearest_class(attributes: Attributes, cells: ClassCells, record: ClassCells, row: int) -> int:
    """The first class whose union with a record costs that record least."""
    best, best_cost = -1, 0
    for index in range(len(cells.low)):
        cost = union_cost(attributes, cells, index, record, row)
        if best < 0 or cost < best_cost:
            best, best_cost = index, cost
    return best


@njit
def cheapest_partner(
    attributes: Attributes, cells: ClassCells, costs: Int64s, sizes: Int64s, lowest: Int64s, one: int
) -> int:
    """The class whose union with class `one` raises the cost of all records least; of equal ones the lowest record.

    Classes of size 0 are gone. A union costs a record at least what the dearer class does, and at least what the
    attributes looked at so far do; what is too dear by that is left.
    """
    best, best_rise = -1, 0
    for other in range(len(costs)):
        if other == one or sizes[other] == 0:
            continue
        both = sizes[one] + sizes[other]
        apart = sizes[one] * costs[one] + sizes[other] * costs[other]
        if best >= 0 and both * max(costs[one], costs[other]) - apart > best_rise:
            continue
        most = (best_rise + apart) // both if best >= 0 else -1
        united = _union_cost_within(attributes, cells, one, cells, other, most)
        if united < 0:
            continue
        rise = both * united - apart
        if best < 0 or rise < best_rise or (rise == best_rise and lowest[other] < lowest[best]):
            best, best_rise = other, rise
    return best
