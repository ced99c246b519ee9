"""Mondrian: split the records at the median, or at the children of a node, while every part keeps k of them.

`codes`, `attributes` as in `attribute_costs`, with the constraints of `class_diversity` on `sensitive`. The rows are
kept in one array in which every part is a run, so that a part is read straight through. Where people are counted, the
rows of a person follow one another, in the input and so in every part.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.attribute_costs import NUMBERS, TREE, VALUES, Attributes, common_node, span_cost
from crypsis.kernels.class_diversity import Constraints, People, bad_parts_of_people, is_diverse
from crypsis.kernels.selection import sorted_at

_BITS = 63  # codes below are marked in one number
_FEW = 32  # values are sorted one by one


@njit
def mondrian_parts(
    codes: Int32s,
    attributes: Attributes,
    k: int,
    sensitive: Int32s,
    constraints: Constraints,
    people: People,
    n_values: int,
    in_halves: bool,
) -> tuple[Int64s, Int64s]:
    """Rows by part, and where each part starts. `n_values` exceeds every code and node of any attribute.

    Attributes of values without a tree are split at every value, or `in_halves` that are as equal as can be.
    """
    n_rows, n_attributes = codes.shape
    kind, unit, full = attributes.kind, attributes.unit, attributes.full
    key_start, keys = attributes.key_start, attributes.keys
    rows = np.arange(n_rows)
    table = codes.copy()
    scratch_rows, scratch_table = np.empty_like(rows), np.empty_like(table)
    part_of = np.empty(n_rows, np.int64)
    seen = np.full(n_values + 1, -1, np.int64)
    histogram = np.zeros(n_values + 1, np.int64)
    number_of = np.zeros(n_values + 1, np.int64)
    values = np.empty(n_rows, np.int32)
    costs = np.empty(n_attributes, np.int64)
    low, high = np.empty(n_attributes, np.int64), np.empty(n_attributes, np.int64)
    missing = np.empty(n_attributes, np.int64)
    tried = np.empty(n_attributes, np.bool_)
    sizes, places = np.zeros(n_values + 2, np.int64), np.empty(n_values + 2, np.int64)  # of the parts of one part
    waiting_start, waiting_stop = [0], [n_rows]
    starts = [0][:0]
    stamp = 0
    while len(waiting_start) > 0:
        start, stop = int(waiting_start.pop()), int(waiting_stop.pop())
        size = stop - start
        split = False
        if size >= 2 * k:
            for attribute in range(n_attributes):
                smallest, largest, absent = _span(table, start, stop, attribute)
                low[attribute], high[attribute], missing[attribute] = smallest, largest, absent
                tried[attribute] = False
                if absent > 0:
                    costs[attribute] = full[attribute] if largest >= 0 else 0
                elif smallest == largest:
                    costs[attribute] = 0
                elif kind[attribute] == NUMBERS:
                    first = key_start[attribute]
                    costs[attribute] = unit[attribute] * (keys[first + largest] - keys[first + smallest])
                elif kind[attribute] == VALUES:
                    stamp += 1
                    distinct = _distinct(table, start, stop, attribute, largest, seen, stamp)
                    costs[attribute] = unit[attribute] * distinct
                else:
                    costs[attribute] = span_cost(attributes, attribute, smallest, largest)
            for _ in range(n_attributes):
                best = -1
                for attribute in range(n_attributes):
                    if not tried[attribute] and (best < 0 or costs[attribute] > costs[best]):
                        best = attribute
                tried[best] = True
                if kind[best] == NUMBERS and low[best] < high[best]:
                    present = size - missing[best]
                    cut = _lower_median(table, start, stop, best, low[best], high[best], present, values, histogram)
                    n_parts = _cut(table, start, stop, best, cut, high[best], missing[best], part_of)
                else:
                    n_parts = _divide(
                        table, start, stop, attributes, best, low[best], high[best], missing[best],
                        part_of, histogram, number_of, in_halves,
                    )  # fmt: skip
                if n_parts < 2:
                    continue
                for part in range(n_parts):
                    sizes[part] = 0
                for index in range(start, stop):
                    sizes[part_of[index]] += 1
                smallest = size
                for part in range(n_parts):
                    smallest = min(smallest, sizes[part])
                if smallest < k:
                    continue
                if len(people.person):
                    if bad_parts_of_people(
                        rows, start, stop, part_of, n_parts, sensitive, k, constraints, people
                    ).any():
                        continue
                elif len(constraints.kind) and not _all_diverse(
                    rows, start, stop, part_of, n_parts, sensitive, constraints
                ):
                    continue
                split = True
                reached = start
                for part in range(n_parts):
                    places[part] = reached
                    reached += int(sizes[part])
                for part in range(n_parts - 1, -1, -1):  # the first part is taken up first
                    waiting_start.append(int(places[part]))
                    waiting_stop.append(int(places[part] + sizes[part]))
                for index in range(start, stop):
                    target = places[part_of[index]]
                    places[part_of[index]] += 1
                    scratch_rows[target] = rows[index]
                    for attribute in range(n_attributes):
                        scratch_table[target, attribute] = table[index, attribute]
                for index in range(start, stop):
                    rows[index] = scratch_rows[index]
                    for attribute in range(n_attributes):
                        table[index, attribute] = scratch_table[index, attribute]
                break
        if not split:
            starts.append(start)
    bounds = np.empty(len(starts) + 1, np.int64)
    for part in range(len(starts)):
        bounds[part] = starts[part]
    bounds[len(starts)] = n_rows
    return rows, bounds


@njit
def _span(table: Int32s, start: int, stop: int, attribute: int) -> tuple[int, int, int]:
    """The part's lowest and highest code in one attribute, and how many codes are missing."""
    smallest = largest = table[start, attribute]
    for index in range(start + 1, stop):
        code = table[index, attribute]
        smallest, largest = min(smallest, code), max(largest, code)
    absent = 0
    if smallest < 0:
        smallest = largest
        for index in range(start, stop):
            code = table[index, attribute]
            if code < 0:
                absent += 1
            else:
                smallest = min(smallest, code)
    return int(smallest), int(largest), absent


@njit
def _distinct(table: Int32s, start: int, stop: int, attribute: int, largest: int, seen: Int64s, stamp: int) -> int:
    """How many codes the part has in one attribute; none is missing."""
    distinct = 0
    if largest < _BITS:
        found = 0
        for index in range(start, stop):
            found |= 1 << table[index, attribute]
        while found:
            found &= found - 1
            distinct += 1
    else:
        for index in range(start, stop):
            code = table[index, attribute]
            if seen[code] != stamp:
                seen[code] = stamp
                distinct += 1
    return distinct


@njit
def _divide(
    table: Int32s, start: int, stop: int, attributes: Attributes, attribute: int, low: int, high: int, missing: int,
    part_of: Int64s, histogram: Int64s, number_of: Int64s, in_halves: bool,
) -> int:  # fmt: skip
    """Write the part of each row into `part_of` and return how many parts there are; missing values are the last.

    Numbers are cut at their median elsewhere, unless there is one value.
    """
    present = stop - start - missing
    if present == 0:
        return 1
    n_parts = 0
    kind = attributes.kind[attribute]
    if low == high:
        for index in range(start, stop):
            part_of[index] = 0 if table[index, attribute] >= 0 else 1
        return 2 if missing else 1
    if kind == VALUES and in_halves:
        cut = _even_cut(table, start, stop, attribute, low, high, present, histogram)
        return _cut(table, start, stop, attribute, cut, high, missing, part_of)
    if kind == TREE:
        first = attributes.node_start[attribute]
        node = common_node(attributes, attribute, low, high)
        for index in range(start, stop):  # the children in order: a leaf marks the child that it lies below
            code = table[index, attribute]
            if code >= 0:
                histogram[code] = 1
        child = node + 1
        while child < attributes.end[first + node]:
            filled = False
            for leaf in range(child, attributes.end[first + child]):
                if histogram[leaf]:
                    histogram[leaf] = 0
                    number_of[leaf] = n_parts
                    filled = True
            n_parts += filled
            child = attributes.end[first + child]
        for index in range(start, stop):
            code = table[index, attribute]
            part_of[index] = n_parts if code < 0 else number_of[code]
    else:
        for index in range(start, stop):
            code = table[index, attribute]
            if code >= 0:
                histogram[code] = 1
        for code in range(low, high + 1):
            if histogram[code]:
                histogram[code] = 0
                number_of[code] = n_parts
                n_parts += 1
        for index in range(start, stop):
            code = table[index, attribute]
            part_of[index] = n_parts if code < 0 else number_of[code]
    return n_parts + (missing > 0)


@njit
def _cut(
    table: Int32s, start: int, stop: int, attribute: int, cut: int, high: int, missing: int, part_of: Int64s
) -> int:
    """Write the part of each row: up to the cut, above it, missing; return how many there are."""
    n_parts = 2 if cut < high else 1
    for index in range(start, stop):
        code = table[index, attribute]
        part_of[index] = n_parts if code < 0 else int(code > cut)
    return n_parts + (missing > 0)


@njit
def _lower_median(
    table: Int32s, start: int, stop: int, attribute: int, low: int, high: int, present: int,
    values: Int32s, histogram: Int64s,
) -> int:  # fmt: skip
    """The value in the middle, the lower one of two."""
    wanted = (present - 1) // 2
    if high - low < 4 * present:
        for index in range(start, stop):
            code = table[index, attribute]
            if code >= 0:
                histogram[code] += 1
        median, reached = -1, 0
        for code in range(low, high + 1):
            reached += histogram[code]
            histogram[code] = 0
            if median < 0 and reached > wanted:
                median = code
        return median
    count = 0
    for index in range(start, stop):
        code = table[index, attribute]
        if code >= 0:
            values[count] = code
            count += 1
    if count <= _FEW:
        for slot in range(1, count):
            value = values[slot]
            while slot > 0 and values[slot - 1] > value:
                values[slot] = values[slot - 1]
                slot -= 1
            values[slot] = value
        return int(values[wanted])
    return sorted_at(values[:count], wanted, low, high)


@njit
def _even_cut(
    table: Int32s, start: int, stop: int, attribute: int, low: int, high: int, present: int, histogram: Int64s
) -> int:
    """The code below `high` after which a cut leaves two sides that differ least; the first of several."""
    for index in range(start, stop):
        code = table[index, attribute]
        if code >= 0:
            histogram[code] += 1
    cut, reached, smallest = low, 0, present + 1
    for code in range(low, high):
        reached += histogram[code]
        difference = abs(present - 2 * reached)
        if histogram[code] and difference < smallest:
            cut, smallest = code, difference
        histogram[code] = 0
    histogram[high] = 0
    return cut


@njit
def _all_diverse(
    rows: Int64s, start: int, stop: int, part_of: Int64s, n_parts: int, sensitive: Int32s, constraints: Constraints
) -> bool:
    """Whether every part satisfies every constraint."""
    for which in range(len(constraints.kind)):
        width = constraints.table_start[which + 1] - constraints.table_start[which]
        counts = np.zeros((n_parts, width), np.int64)
        for index in range(start, stop):
            code = sensitive[rows[index], constraints.column[which]]
            if code >= 0:
                counts[part_of[index], code] += 1
        for part in range(n_parts):
            if not is_diverse(constraints, which, counts[part]):
                return False
    return True
