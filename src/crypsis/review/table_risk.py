"""Disclosure: how surely people can be picked out by their quasi-identifiers, before and after."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import count_rows, rank_rows
from crypsis.review.check import Check, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, percent
from crypsis.review.thresholds import ReviewThresholds


class TableRiskCheck(Check):
    """Sizes of classes as risks. A prosecutor knows that the victim is in the table, a journalist takes the table for
    the population, and both are right with 1 / size; a marketer links everybody and counts hits.
    """

    code = "reidentification-risk"
    light = "disclosure"
    label = "Risk of being re-identified by quasi-identifiers"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        table = subject.table
        if table is None or not table.quasi or not subject.shown.any():
            return
        sizes = table.class_sizes if subject.person is None else _people(subject, subject.person)
        total = int(sizes.sum())
        number = int(sizes[1.0 / sizes > limits.risk_limit * (1 + 1e-9)].sum())
        marketer = len(sizes) / total
        smallest, links = int(sizes.min()), percent(marketer)
        before = _before(subject)
        if before is None:
            words = (
                f"Prosecutor and journalist find a person by the quasi-identifiers with a probability of at most "
                f"1 in {smallest:,}; a marketer's links hit {links} of people."
            )
        else:
            least, hit = int(before.min()), percent(len(before) / int(before.sum()))
            words = (
                f"Prosecutor and journalist find a person by the quasi-identifiers with a probability of at most "
                f"1 in {smallest:,} (before: 1 in {least:,}); a marketer's links hit {links} of people (before: {hit})."
            )
        colour = colour_of(number / total, limits.unique_amber, 2.0)
        if int(sizes.min()) == 1:
            alone = int(np.count_nonzero(sizes == 1))
            colour = max(colour, colour_of(alone / total, limits.unique_amber, limits.unique_red))
        if number:
            words += f" For {subject.of(number, total)} it exceeds {limits.risk_limit:.0%}."
        wanted = int(np.ceil(1 / limits.risk_limit - 1e-9)) if limits.risk_limit > 0 else 0
        remedy = None
        if colour != Colour.GREEN:
            remedy = Remedy("Make classes larger", "k", wanted) if "k" in subject.settings else Remedy("Raise k")
        yield Finding(self.code, colour, words, number, total, number / total, remedy)


def _people(subject: Subject, person: Int64s) -> Int64s:
    """People in each class of the published table."""
    rows = np.flatnonzero(subject.shown)
    return _sizes(subject.classes[rows], person[rows])


def _before(subject: Subject) -> Int64s | None:
    original = subject.original_table
    if original is None or not original.quasi:
        return None
    codes = [column.codes for column in original.with_role("quasi")]
    person = subject.person if subject.aligned else None
    if person is None or len(person) != len(original):
        return count_rows(codes, len(original))
    return _sizes(rank_rows(codes, len(original)), person)


def _sizes(keys: Int64s, person: Int64s | None) -> Int64s:
    """People in each class that has any."""
    if person is not None and len(person) == len(keys):
        width = int(person.max(initial=0)) + 1
        keys = np.unique(keys * width + person) // width
    counts = np.bincount(keys)
    return counts[counts > 0].astype(np.int64)
