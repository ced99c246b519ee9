"""Disclosure: free text, in which anything may be written about anybody."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.review.check import TableCheck
from crypsis.review.confirmation import finding_to_confirm
from crypsis.review.lights import Finding
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds

WORDS = 5  # from which a cell is a sentence
_MOSTLY = 0.5


class FreeTextCheck(TableCheck):
    """Columns of text in which most cells are sentences, and most sentences stand there once."""

    code = "free-text"
    label = "Free text"
    refuses = True

    def findings_in(self, table: PublishedTable, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        for column in table.columns:
            if column.type != "category":
                continue
            exact = subject.shown & column.is_kind(CellKind.VALUE)
            if not exact.any():
                continue
            written = _sentences(column)
            if not written.any():
                continue
            rows = exact.copy()
            rows[exact] = written[column.codes[exact]]
            if not _is_free(subject, column, exact, rows):
                continue
            number, total = subject.people(rows), subject.people(subject.shown)
            words = f"'{column.name}' holds free text of {subject.of(number, total)}; it may name anybody."
            remedy = "Leave the column out"
            yield finding_to_confirm(self.code, subject, column.name, words, (number, total), remedy)


def _sentences(column: PublishedColumn) -> np.ndarray:
    """By cell: whether it is a value of several words."""
    texts = column.cells.text_series
    long = texts.str.count_matches(r"\S+\s+").fill_null(0).to_numpy() >= WORDS - 1
    return np.asarray(long & (column.cells.kinds == CellKind.VALUE), np.bool_)


def _is_free(subject: Subject, column: PublishedColumn, exact: np.ndarray, rows: np.ndarray) -> bool:
    number = subject.records(rows)
    if number < 2 or number < _MOSTLY * subject.records(exact):
        return False
    return len(np.unique(column.codes[rows])) > _MOSTLY * number
