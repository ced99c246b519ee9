"""Disclosure: dates and times at full precision in columns that the guarantee does not cover."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.review.check import TableCheck
from crypsis.review.confirmation import finding_to_confirm
from crypsis.review.lights import Finding
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class ExactDatesCheck(TableCheck):
    """Days or moments in a column that is not a quasi-identifier. Months and years do not count."""

    code = "exact-dates"
    label = "Dates at full precision"
    refuses = True

    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        for column in table.columns:
            if column.role == "quasi" or column.type not in ("date", "timestamp") or not _precise(column):
                continue
            exact = subject.shown & column.is_kind(CellKind.VALUE)
            number, total = subject.people(exact), subject.people(subject.shown)
            if not number:
                continue
            precision = "the time" if column.type == "timestamp" else "the day"
            words = f"'{column.name}' tells {precision} exactly for {subject.of(number, total)}."
            remedy = "Publish the month or the year, or leave the column out"
            yield finding_to_confirm(self.code, subject, column.name, words, (number, total), remedy)


def _precise(column: PublishedColumn) -> bool:
    """Some value is not the first of a month."""
    values = column.cells.values.drop_nulls()
    if not len(values):
        return False
    whole = values.cast(pl.Datetime("us"))
    return bool((whole != whole.dt.truncate("1mo")).any())
