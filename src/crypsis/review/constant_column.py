"""Usefulness: a column that is one value throughout."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crypsis.data.cells import CellKind
from crypsis.data.counted_regions import CountedRegions
from crypsis.data.relational import PublishedColumn
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class ConstantColumnCheck(Check):
    """A quasi-identifier that was generalized to one cell in every record; red where all of them were.

    A column that was one exact value before says as much as it did, and is no finding.
    """

    code = "constant-column"
    light = "usefulness"
    label = "Columns that are one value throughout"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        if isinstance(subject.published, CountedRegions):
            if len(subject.published) == 1 and subject.published.names:
                remedy = Remedy("Allow more specializations, or spend a larger epsilon")
                yield Finding(
                    self.code, Colour.RED, "One region covers everything: only a total is left.", remedy=remedy
                )
            return
        if subject.table is not None and subject.shown.any():
            columns = subject.table.with_role("quasi")
            constant = [column.name for column in columns if _is_constant(column, subject)]
            if constant:
                colour = Colour.RED if len(constant) == len(columns) else Colour.AMBER
                names = ", ".join(f"'{name}'" for name in constant)
                words = f"{names} {'is' if len(constant) == 1 else 'are'} one value throughout: nothing of it is left."
                remedy = Remedy("Lower k, give a hierarchy with more levels, or choose another method")
                share = len(constant) / len(columns)
                column = constant[0] if len(constant) == 1 else None
                yield Finding(self.code, colour, words, len(constant), len(columns), share, remedy, column)
        rows = subject.rows_of_symbols
        if rows is not None and len(rows.codes) and len(np.unique(rows.codes)) == 1:
            size = int(rows.symbols.sizes[rows.codes[0]])
            if size > 1:
                words = f"All {rows.words[1]} are one: it stands for any of {size:,}."
                remedy = Remedy("Lower k or m, or choose another method")
                yield Finding(self.code, Colour.RED, words, 1, 1, 1.0, remedy)


def _is_constant(column: PublishedColumn, subject: Subject) -> bool:
    first = int(column.codes[np.argmax(subject.shown)])
    exact = column.cells.kinds[first] in (CellKind.VALUE, CellKind.MISSING)
    return not exact and bool((column.codes[subject.shown] == first).all())
