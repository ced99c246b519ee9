"""Disclosure: missing values, which are published as they are and say something about whoever lacks the value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedTable
from crypsis.review.check import TableCheck, colour_of
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class MissingValuesCheck(TableCheck):
    """People with a missing value in a published column. It does not refuse: hardly a table is without them."""

    code = "missing-values"
    label = "Missing values"

    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        total = subject.people(subject.shown)
        marks = {
            column.name: column.is_kind(CellKind.MISSING)
            for column in table.columns
            if column.name not in subject.confirmed
        }
        held = [name for name, mark in marks.items() if mark.any()]
        if not held:
            return
        number = subject.people(np.logical_or.reduce([marks[name] for name in held]))
        share = number / total
        names = ", ".join(f"'{name}'" for name in held)
        words = f"{subject.of(number, total)} have a missing value in {names}; that it is missing is published."
        colour = min(Colour.AMBER, colour_of(share, limits.missing_amber, 2.0))
        remedy = Remedy("Look at what it means that a value is missing, and confirm the column", "confirm", held[0])
        yield Finding(self.code, colour, words, number, total, share, remedy, held[0] if len(held) == 1 else None)
