"""Is a class diverse enough? Constraints on the counts of sensitive values in it, decided in whole numbers.

A constraint q looks at sensitive column `column[q]`; `counts` holds how often each of its values occurs in the class
(missing ones not counted). All decisions but that on entropy are exact.

    DISTINCT   at least l values               ENTROPY    exp(entropy) >= l
    RECURSIVE  f1 < c (fl + ... + fq)          EQUAL, ORDERED   distance to the whole column at most t
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.compilation import njit
from crypsis.data.arrays import Bools, Int8s, Int32s, Int64s

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = 0, 1, 2, 3, 4
TOLERANCE = 1e-9


class Constraints(NamedTuple):
    """`bound` is l; for c and t the fraction `numerator / denominator`, the denominator below 2^31.

    The whole column of constraint q has the counts `table[table_start[q]:table_start[q + 1]]`.
    """

    kind: Int8s
    column: Int64s
    bound: Int64s
    numerator: Int64s
    denominator: Int64s
    table: Int64s
    table_start: Int64s


@njit
def _scaled(number: int, numerator: int, denominator: int) -> int:
    """floor(number * numerator / denominator) without a product that overflows."""
    return (number // denominator) * numerator + (number % denominator) * numerator // denominator


@njit
def is_diverse(constraints: Constraints, which: int, counts: Int64s) -> bool:
    """Whether the counts of one class satisfy constraint `which`; a class without any value does."""
    total, distinct = 0, 0
    for count in counts:
        total += count
        distinct += count > 0
    if total == 0:
        return True
    kind = constraints.kind[which]
    if kind == DISTINCT:
        return bool(distinct >= constraints.bound[which])
    if kind == ENTROPY:
        if distinct < constraints.bound[which]:
            return False
        weighted = 0.0
        for count in counts:
            if count > 0:
                weighted += count * np.log(count)
        return bool(np.exp(np.log(total) - weighted / total) >= constraints.bound[which] - TOLERANCE)
    if kind == RECURSIVE:
        ordered = np.sort(counts)[::-1]
        tail = 0
        for place in range(constraints.bound[which] - 1, len(ordered)):
            tail += ordered[place]
        return bool(ordered[0] * constraints.denominator[which] < constraints.numerator[which] * tail)
    start, stop = constraints.table_start[which], constraints.table_start[which + 1]
    whole = 0
    for place in range(start, stop):
        whole += constraints.table[place]
    difference = 0
    if kind == EQUAL:
        for place in range(start, stop):
            difference += abs(counts[place - start] * whole - constraints.table[place] * total)
        limit = _scaled(2 * total * whole, constraints.numerator[which], constraints.denominator[which])
        return bool(difference <= limit)
    in_class, in_table = 0, 0
    values = 0
    for place in range(start, stop):
        if constraints.table[place] > 0:
            in_class += counts[place - start]
            in_table += constraints.table[place]
            values += 1
            difference += abs(in_class * whole - in_table * total)
    limit = _scaled((values - 1) * total * whole, constraints.numerator[which], constraints.denominator[which])
    return bool(difference <= limit)


@njit
def bad_classes(
    class_of: Int64s, n_classes: int, weights: Int64s, sensitive: Int32s, k: int, constraints: Constraints
) -> Bools:
    """Which classes are smaller than k or fail a constraint; row r counts `weights[r]` records of its class."""
    sizes = np.zeros(n_classes, np.int64)
    for row in range(len(class_of)):
        sizes[class_of[row]] += weights[row]
    bad = sizes < k
    if len(constraints.kind) == 0:
        return bad
    starts = np.zeros(n_classes + 1, np.int64)
    for row in range(len(class_of)):
        starts[class_of[row] + 1] += 1
    for one in range(n_classes):
        starts[one + 1] += starts[one]
    filled = starts[:-1].copy()
    order = np.empty(len(class_of), np.int64)
    for row in range(len(class_of)):
        order[filled[class_of[row]]] = row
        filled[class_of[row]] += 1
    for which in range(len(constraints.kind)):
        column = constraints.column[which]
        counts = np.zeros(constraints.table_start[which + 1] - constraints.table_start[which], np.int64)
        for one in range(n_classes):
            if bad[one]:
                continue
            for place in range(starts[one], starts[one + 1]):
                code = sensitive[order[place], column]
                if code >= 0:
                    counts[code] += weights[order[place]]
            bad[one] = not is_diverse(constraints, which, counts)
            for place in range(starts[one], starts[one + 1]):
                code = sensitive[order[place], column]
                if code >= 0:
                    counts[code] = 0
    return bad
