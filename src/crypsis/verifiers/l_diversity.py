"""Recount l-diversity of a published table: the sensitive values of every class, column by column.

Where people are counted, a person counts once for each value.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from crypsis.arrays import Bools, Float64s, Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NotApplicable
from crypsis.guarantees import LDiversity, Verdict, Witness
from crypsis.verifiers.counted_people import EACH_RECORD, refuse_uncounted
from crypsis.verifiers.k_anonymity import classes_to_judge
from crypsis.verifiers.sensitive_counts import SensitiveCounts
from crypsis.verifiers.table_classes import TableClasses, cells_of

COUNTED = "the sensitive values of every class were counted"
TOLERANCE = 1e-9


def verify_l_diversity(
    published: PublishedTable, promised: LDiversity, original: Table | None = None, classes: TableClasses | None = None
) -> Verdict:
    """The class with the least diversity decides; a class without any sensitive value passes."""
    if not published.sensitive:
        raise NotApplicable("l-diversity looks at sensitive columns, and the table has none; name them.")
    classes, broken = classes_to_judge(published, promised, promised.l, original, classes)
    if broken is not None:
        return broken
    by_person = promised.unit == "person"
    counted = COUNTED if by_person else f"{COUNTED}{EACH_RECORD}"
    if by_person and classes.people is None and promised.form != "distinct" and len(classes.sizes):
        refuse_uncounted(None)  # how many people have a value; that there is a value the records show
    worst: Verdict | None = None
    lowest: float | None = None
    for column in published.with_role("sensitive"):
        counts = SensitiveCounts.of(column, classes, None)
        fails, levels = judge_classes(counts, promised)
        valued = counts.totals > 0
        fails &= valued
        if valued.any():
            reached = float(levels[valued].min())
            lowest = reached if lowest is None else min(lowest, reached)
        if fails.any() and worst is None:
            one = int(np.flatnonzero(fails)[np.argmin(levels[fails])])
            witness = Witness(
                cells_of(published, int(classes.first[one])), int(classes.sizes[one]), int(np.count_nonzero(fails))
            )
            problem = f"class {witness} has {level_in_words(promised, float(levels[one]))} in column '{column.name}'."
            worst = Verdict(
                promised, False, plain_level(levels[one]), promised.l, counted, witness, problem, classes.figures
            )
    if worst is not None:
        return worst
    return Verdict(
        promised, True, None if lowest is None else plain_level(lowest), promised.l, counted, figures=classes.figures
    )


def judge_classes(counts: SensitiveCounts, promised: LDiversity) -> tuple[Bools, Float64s]:
    """Which classes are not diverse enough, and how diverse each is."""
    if promised.form == "recursive":
        return _recursive(counts, promised)
    levels = distinct_values(counts) if promised.form == "distinct" else entropy_values(counts)
    return levels < promised.l - (TOLERANCE if promised.form == "entropy" else 0), levels


def distinct_values(counts: SensitiveCounts) -> Float64s:
    """Different values in each class."""
    return np.diff(counts.start).astype(np.float64)


def entropy_values(counts: SensitiveCounts) -> Float64s:
    """exp(entropy) of each class: how many equally frequent values would be as diverse."""
    totals = np.maximum(counts.totals, 1)
    owner = np.repeat(np.arange(len(totals)), np.diff(counts.start))
    shares = counts.counts / totals[owner]
    entropy = np.zeros(len(totals))
    np.add.at(entropy, owner, -shares * np.log(shares))
    return np.exp(entropy)


def _recursive(
    counts: SensitiveCounts, promised: LDiversity
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Float64s]:
    """Which classes fail f1 < c (fl + ... + fq), and the values that each has."""
    assert promised.c is not None
    c = Fraction(repr(float(promised.c)))
    owner = np.repeat(np.arange(len(counts.start) - 1), np.diff(counts.start))
    order = np.lexsort((-counts.counts, owner))
    ordered = counts.counts[order]
    rank = np.arange(len(ordered)) - counts.start[owner]
    most, tail = _sums(ordered, owner, rank == 0, counts), _sums(ordered, owner, rank >= promised.l - 1, counts)
    pairs, inverse = np.unique(np.stack([most, tail], axis=1), axis=0, return_inverse=True)
    failing = np.array([first >= c * rest for first, rest in pairs.tolist()], np.bool_)
    return failing[inverse.ravel()], distinct_values(counts)


def _sums(
    ordered: Int64s, owner: Int64s, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], counts: SensitiveCounts
) -> Int64s:
    sums = np.zeros(len(counts.start) - 1, np.int64)
    np.add.at(sums, owner[chosen], ordered[chosen])
    return sums


def level_in_words(promised: LDiversity, level: float) -> str:
    """How diverse a class is that is not diverse enough."""
    if promised.form == "distinct":
        return f"{level:.0f} different value{'s' if level > 1 else ''}, {promised.l} are required,"
    if promised.form == "entropy":
        return f"values as diverse as {level:.3f} equally frequent ones, {promised.l} are required,"
    return f"one value that is too frequent for c={promised.c:g} and l={promised.l}"


def plain_level(level: float) -> float | int:
    """A whole number where it is one."""
    return int(level) if float(level).is_integer() else float(level)
