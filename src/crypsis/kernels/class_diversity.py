"""Is a class diverse enough? Constraints on the counts of sensitive values in it, decided in whole numbers.

A constraint q looks at sensitive column `column[q]`; `counts` holds how often each of its values occurs in the class
(missing ones not counted). All decisions but that on entropy are exact.

    DISTINCT   at least l values               ENTROPY    exp(entropy) >= l
    RECURSIVE  f1 < c (fl + ... + fq)          EQUAL, ORDERED   distance to the whole column at most t

Where a person has several records, people are counted: a class needs k of them, `counts` holds how many have each
value, and for the distance a row counts its share of the records of its person. Rows of a person then follow one
another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crypsis.arrays import Bools, Float64s, Int8s, Int32s, Int64s
from crypsis.compilation import njit
from crypsis.kernels.grouping import grouped
from crypsis.kernels.selection import sorted_at

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED = 0, 1, 2, 3, 4
TOLERANCE = 1e-9
TOLERANCE_OF_SHARES = 1e-10  # of distances between shares; the verifier allows ten times as much


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


class People(NamedTuple):
    """The person of every row, and the share that its records are of all records of that person.

    The whole column of constraint q has the shares `table[table_start[q]:table_start[q + 1]]`. All empty where each
    record is a person.
    """

    person: Int64s
    share: Float64s
    table: Float64s


NOT_COUNTED = People(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


@njit
def _scaled(number: int, numerator: int, denominator: int) -> int:
    """floor(number * numerator / denominator) without a product that overflows."""
    return (number // denominator) * numerator + (number % denominator) * numerator // denominator


@njit
def largest_count(counts: Int64s) -> int:
    """The largest of some counts."""
    most = 0
    for count in counts:
        most = max(most, count)
    return most


@njit
def tail_of_counts(counts: Int64s, n_frequent: int, total: int) -> int:
    """What is left of the sum without so many of the largest counts."""
    if n_frequent <= 0:
        return total
    if n_frequent >= len(counts):
        return 0
    # the counts above the last that is left out, and that one as often as there is room for it
    last = sorted_at(counts, len(counts) - n_frequent, 0, total)
    above, n_above = 0, 0
    for count in counts:
        if count > last:
            above += count
            n_above += 1
    return total - above - (n_frequent - n_above) * last


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
        most, tail = largest_count(counts), tail_of_counts(counts, constraints.bound[which] - 1, total)
        return bool(most * constraints.denominator[which] < constraints.numerator[which] * tail)
    start, stop = constraints.table_start[which], constraints.table_start[which + 1]
    whole = 0
    for index in range(start, stop):
        whole += constraints.table[index]
    difference = 0
    if kind == EQUAL:
        for index in range(start, stop):
            difference += abs(counts[index - start] * whole - constraints.table[index] * total)
        limit = _scaled(2 * total * whole, constraints.numerator[which], constraints.denominator[which])
        return bool(difference <= limit)
    in_class, in_table = 0, 0
    values = 0
    for index in range(start, stop):
        if constraints.table[index] > 0:
            in_class += counts[index - start]
            in_table += constraints.table[index]
            values += 1
            difference += abs(in_class * whole - in_table * total)
    limit = _scaled((values - 1) * total * whole, constraints.numerator[which], constraints.denominator[which])
    return bool(difference <= limit)


@njit
def is_close(constraints: Constraints, which: int, shares: Float64s, people: People) -> bool:
    """Whether the shares of one class are near enough to those of the whole column (EQUAL, ORDERED)."""
    start, stop = constraints.table_start[which], constraints.table_start[which + 1]
    total, whole = 0.0, 0.0
    for index in range(start, stop):
        total += shares[index - start]
        whole += people.table[index]
    if total <= 0.0:
        return True
    distance = 0.0
    if constraints.kind[which] == EQUAL:
        for index in range(start, stop):
            distance += abs(shares[index - start] / total - people.table[index] / whole) / 2
    else:
        in_class, in_table, values = 0.0, 0.0, 0
        for index in range(start, stop):
            if constraints.table[index] > 0:
                in_class += shares[index - start] / total
                in_table += people.table[index] / whole
                values += 1
                distance += abs(in_class - in_table)
        distance /= max(values - 1, 1)
    limit = constraints.numerator[which] / constraints.denominator[which]
    return bool(distance <= limit + TOLERANCE_OF_SHARES)


@njit
def bad_parts_of_people(
    order: Int64s, start: int, stop: int, part_of: Int64s, n_parts: int, sensitive: Int32s, k: int,
    constraints: Constraints, people: People,
) -> Bools:  # fmt: skip
    """Which parts of the run `start` to `stop` of `order` have fewer than k people or fail a constraint."""
    last = np.full(n_parts, -1, np.int64)  # the person counted last
    sizes = np.zeros(n_parts, np.int64)
    for index in range(start, stop):
        part, person = part_of[index], people.person[order[index]]
        if last[part] != person:
            last[part] = person
            sizes[part] += 1
    bad = sizes < k
    for which in range(len(constraints.kind)):
        width = constraints.table_start[which + 1] - constraints.table_start[which]
        counts, last_with = np.zeros((n_parts, width), np.int64), np.full((n_parts, width), -1, np.int64)
        shares = np.zeros((n_parts, width))
        for index in range(start, stop):
            row, part = order[index], part_of[index]
            code = sensitive[row, constraints.column[which]]
            if code >= 0:
                shares[part, code] += people.share[row]
                if last_with[part, code] != people.person[row]:
                    last_with[part, code] = people.person[row]
                    counts[part, code] += 1
        for part in range(n_parts):
            if bad[part]:
                continue
            if constraints.kind[which] == EQUAL or constraints.kind[which] == ORDERED:
                bad[part] = not is_close(constraints, which, shares[part], people)
            else:
                bad[part] = not is_diverse(constraints, which, counts[part])
    return bad


@njit
def _bad_classes_of_people(
    class_of: Int64s, n_classes: int, sensitive: Int32s, k: int, constraints: Constraints, people: People
) -> Bools:
    """The same of classes, one after another: so wide a table of counts as for parts would not fit."""
    last = np.full(n_classes, -1, np.int64)
    sizes = np.zeros(n_classes, np.int64)
    for row in range(len(class_of)):
        if last[class_of[row]] != people.person[row]:
            last[class_of[row]] = people.person[row]
            sizes[class_of[row]] += 1
    bad = sizes < k
    if len(constraints.kind) == 0:
        return bad
    order, starts = grouped(class_of, n_classes)
    for which in range(len(constraints.kind)):
        column = constraints.column[which]
        width = constraints.table_start[which + 1] - constraints.table_start[which]
        counts, last_with = np.zeros(width, np.int64), np.full(width, -1, np.int64)
        shares = np.zeros(width)
        for one in range(n_classes):
            if bad[one]:
                continue
            for index in range(starts[one], starts[one + 1]):
                row = order[index]
                code = sensitive[row, column]
                if code >= 0:
                    shares[code] += people.share[row]
                    if last_with[code] != people.person[row]:
                        last_with[code] = people.person[row]
                        counts[code] += 1
            if constraints.kind[which] == EQUAL or constraints.kind[which] == ORDERED:
                bad[one] = not is_close(constraints, which, shares, people)
            else:
                bad[one] = not is_diverse(constraints, which, counts)
            for index in range(starts[one], starts[one + 1]):
                code = sensitive[order[index], column]
                if code >= 0:
                    counts[code], last_with[code], shares[code] = 0, -1, 0.0
    return bad


@njit
def bad_classes(
    class_of: Int64s, n_classes: int, weights: Int64s, sensitive: Int32s, k: int, constraints: Constraints,
    people: People,
) -> Bools:  # fmt: skip
    """Which classes are smaller than k or fail a constraint; row r counts `weights[r]` records of its class."""
    if len(people.person) > 0:
        return _bad_classes_of_people(class_of, n_classes, sensitive, k, constraints, people)
    sizes = np.zeros(n_classes, np.int64)
    for row in range(len(class_of)):
        sizes[class_of[row]] += weights[row]
    bad = sizes < k
    if len(constraints.kind) == 0:
        return bad
    order, starts = grouped(class_of, n_classes)
    for which in range(len(constraints.kind)):
        column = constraints.column[which]
        counts = np.zeros(constraints.table_start[which + 1] - constraints.table_start[which], np.int64)
        for one in range(n_classes):
            if bad[one]:
                continue
            for index in range(starts[one], starts[one + 1]):
                code = sensitive[order[index], column]
                if code >= 0:
                    counts[code] += weights[order[index]]
            bad[one] = not is_diverse(constraints, which, counts)
            for index in range(starts[one], starts[one + 1]):
                code = sensitive[order[index], column]
                if code >= 0:
                    counts[code] = 0
    return bad
