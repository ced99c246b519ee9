"""Disclosure: direct identifiers by their pattern, in any published column, item or place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.arrays import Bools
from crypsis.data.cells import CellKind
from crypsis.data.identifier_patterns import LABEL_PATTERNS, PATTERNS, identifying
from crypsis.data.relational import PublishedColumn
from crypsis.review.check import Check
from crypsis.review.confirmation import finding_to_confirm
from crypsis.review.lights import Finding
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class DirectIdentifiersCheck(Check):
    """Names, e-mail addresses, numbers of telephones, bank accounts, insurances and licences, and IP addresses."""

    code = "direct-identifier"
    light = "disclosure"
    label = "Direct identifiers"
    refuses = True

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        if subject.private:  # what is published comes from declared domains
            return
        if subject.table is not None:
            for column in subject.table.columns:
                yield from self._in_column(subject, column)
        yield from self._in_labels(subject)

    def _in_column(self, subject: Subject, column: PublishedColumn) -> Iterator[Finding]:
        for pattern, hits in identifying(PATTERNS, column.name, column.cells.values):
            # a set of two addresses tells them as well as a single one
            slots = np.repeat(np.arange(len(column.cells)), np.diff(column.cells.offsets))
            valued = np.isin(column.cells.kinds[slots], (CellKind.VALUE, CellKind.SET))
            cells = np.zeros(len(column.cells), np.bool_)
            cells[slots[valued][hits[column.cells.members[valued]]]] = True
            rows = subject.shown & cells[column.codes]
            if rows.any():
                yield self._finding(subject, pattern.words, column.name, rows, f"'{column.name}'")

    def _in_labels(self, subject: Subject) -> Iterator[Finding]:
        held = subject.rows_of_symbols
        if held is None or not len(held.codes):
            return
        labels = held.symbols.vocabulary.series
        name = held.words[1]
        for pattern, hits in identifying(LABEL_PATTERNS, name, labels):
            owner = np.repeat(np.arange(len(held.symbols)), held.symbols.sizes)
            symbols = np.zeros(len(held.symbols), np.bool_)
            symbols[owner[hits[held.symbols.members]]] = True
            rows = np.zeros(len(held.offsets) - 1, np.bool_)
            rows[np.repeat(np.arange(len(rows)), np.diff(held.offsets))[symbols[held.codes]]] = True
            if rows.any():
                yield self._finding(subject, pattern.words, name, rows, f"The labels of {name}")

    def _finding(self, subject: Subject, what: str, column: str, rows: Bools, where: str) -> Finding:
        total = subject.people(subject.shown) if subject.table is not None else subject.people()
        number = subject.people(rows)
        words = f"{where} {'hold' if where.startswith('The') else 'holds'} {what} of {subject.of(number, total)}."
        remedy = "Leave it out (role identifier)"
        return finding_to_confirm(self.code, subject, column, words, (number, total), remedy)
