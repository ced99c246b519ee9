"""Recount t-closeness of a published table: the distance of every class from the whole original column."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.compilation import njit
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NotApplicable, OriginalRequired
from crypsis.guarantees import TCloseness, Verdict, Witness
from crypsis.verifiers.counted_people import EACH_RECORD, refuse_uncounted
from crypsis.verifiers.k_anonymity import classes_to_judge
from crypsis.verifiers.sensitive_counts import SensitiveCounts
from crypsis.verifiers.table_classes import TableClasses, cells_of

COUNTED = "the distance of every class from the whole table was measured"
COUNTED_PEOPLE = f"{COUNTED}, every person counting as one"
NEAR = 1e-9


def verify_t_closeness(
    published: PublishedTable, promised: TCloseness, original: Table | None = None, classes: TableClasses | None = None
) -> Verdict:
    """The class farthest from the whole column decides. Where records are suppressed the original is needed."""
    if not published.sensitive:
        raise NotApplicable("t-closeness looks at sensitive columns, and the table has none; name them.")
    classes, broken = classes_to_judge(published, promised, promised.t, original, classes)
    if broken is not None:
        return broken
    by_person = promised.unit == "person"
    counted = COUNTED_PEOPLE if by_person else f"{COUNTED}{EACH_RECORD}"
    if by_person and classes.people is None and len(classes.sizes):
        refuse_uncounted(None)
    if classes.n_suppressed and original is None:
        raise OriginalRequired(
            "t-closeness compares with the whole original column, and the values of suppressed records are not "
            "published; give the original (original=DATA)."
        )
    farthest = 0.0
    for column in published.with_role("sensitive"):
        counts = SensitiveCounts.of(column, classes, None if original is None else original.column(column.name))
        shares, fails = judge_classes(counts, promised)
        farthest = max(farthest, float(shares.max(initial=0.0)))
        if fails.any():
            one = int(np.argmax(np.where(fails, shares, -1.0)))
            witness = Witness(
                cells_of(published, int(classes.first[one])), int(classes.sizes[one]), int(np.count_nonzero(fails))
            )
            problem = (
                f"class {witness} is {shares[one]:.6g} away from the whole column '{column.name}', "
                f"{promised.t:g} is allowed."
            )
            return Verdict(promised, False, float(shares[one]), promised.t, counted, witness, problem, classes.figures)
    return Verdict(promised, True, farthest, promised.t, counted, figures=classes.figures)


def judge_classes(counts: SensitiveCounts, promised: TCloseness) -> tuple[Float64s, Bools]:
    """The distance of every class, and which are too far. Shares of people are compared up to `NEAR`."""
    ordered = promised.distance == "ordered"
    if counts.shares is not None:
        distance = distances_of_people(counts, ordered)
        return distance, distance > promised.t + NEAR
    numerators, denominators = distances(counts, ordered)
    shares: Float64s = numerators / np.maximum(denominators, 1)
    fails = shares > promised.t + NEAR
    limit = Fraction(repr(float(promised.t)))
    for one in np.flatnonzero(np.abs(shares - promised.t) <= NEAR).tolist():  # decided exactly
        fails[one] = Fraction(int(numerators[one]), max(int(denominators[one]), 1)) > limit
    return shares, fails


def distances_of_people(counts: SensitiveCounts, ordered: bool) -> Float64s:
    """Each class's distance, every person counting as one; 0 for a class without values."""
    assert counts.shares is not None
    assert counts.table_shares is not None
    occurring = np.flatnonzero(counts.table)
    rank = np.zeros(len(counts.table) + 1, np.int64)
    rank[occurring] = np.arange(len(occurring))
    whole: Float64s = counts.table_shares[occurring] / max(float(counts.table_shares.sum()), 1e-300)
    distance: Float64s = _distances_of_shares(counts.start, rank[counts.values], counts.shares, whole, ordered)
    return distance


@njit
def _distances_of_shares(start: Int64s, values: Int64s, shares: Float64s, whole: Float64s, ordered: bool) -> Float64s:
    """The distance of each class by the shares of its values; 0 for a class without values."""
    distance = np.zeros(len(start) - 1)
    for index in range(len(distance)):
        held = values[start[index] : start[index + 1]]
        parts = shares[start[index] : start[index + 1]]
        if parts.sum() > 0:
            distance[index] = _ordered_distance(held, parts, whole) if ordered else _equal_distance(held, parts, whole)
    return distance


@njit
def _equal_distance(values: Int64s, shares: Float64s, whole: Float64s) -> float:
    """Half the sum over all values of |share in class - share in table|."""
    total = shares.sum()
    difference = 1.0  # what values that do not occur in the class add, all of them at first
    for index in range(len(values)):
        expected = whole[values[index]]
        difference += abs(shares[index] / total - expected) - expected
    return max(difference, 0.0) / 2


@njit
def _ordered_distance(values: Int64s, shares: Float64s, whole: Float64s) -> float:
    """The sum over all values of the difference of what came up to them, over one less than there are values."""
    total = shares.sum()
    index, gap, difference = 0, 0.0, 0.0
    for value in range(len(whole)):
        gap -= whole[value]
        if index < len(values) and values[index] == value:
            gap += shares[index] / total
            index += 1
        difference += abs(gap)
    return difference / max(len(whole) - 1, 1)


def distances(counts: SensitiveCounts, ordered: bool) -> tuple[Int64s, Int64s]:
    """Numerator and denominator of each class's distance; 0 for a class without values."""
    totals = counts.totals
    whole = int(counts.table.sum())
    occurring = np.flatnonzero(counts.table)
    rank = np.zeros(len(counts.table) + 1, np.int64)
    rank[occurring] = np.arange(len(occurring))
    table = counts.table[occurring]
    if not ordered:
        return _equal(counts.start, rank[counts.values], counts.counts, table, totals, whole), 2 * totals * whole
    numerators = _ordered(counts.start, rank[counts.values], counts.counts, table, totals, whole)
    return numerators, (len(occurring) - 1) * totals * whole


@njit
def _equal(start: Int64s, values: Int64s, counts: Int64s, table: Int64s, totals: Int64s, whole: int) -> Int64s:
    """Sum over all values of |count in class x whole table - count in table x class|."""
    sums = np.zeros(len(totals), np.int64)
    for one in range(len(totals)):
        if totals[one] == 0:
            continue
        total = totals[one] * whole  # what values that do not occur in the class add, all of them at first
        for index in range(start[one], start[one + 1]):
            expected = table[values[index]] * totals[one]
            total += abs(counts[index] * whole - expected) - expected
        sums[one] = total
    return sums


@njit
def _ordered(start: Int64s, values: Int64s, counts: Int64s, table: Int64s, totals: Int64s, whole: int) -> Int64s:
    """Sum over all values of the difference of what came up to them, in class and table."""
    sums = np.zeros(len(totals), np.int64)
    for index in range(len(totals)):
        if totals[index] == 0:
            continue
        slot, in_class, in_table, total = start[index], 0, 0, 0
        for value in range(len(table)):
            in_table += table[value]
            if slot < start[index + 1] and values[slot] == value:
                in_class += counts[slot]
                slot += 1
            total += abs(in_class * whole - in_table * totals[index])
        sums[index] = total
    return sums
