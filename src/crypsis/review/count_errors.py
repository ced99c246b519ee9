"""Usefulness: how far off counts are that are estimated from the release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Float64s
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject, SymbolRows
from crypsis.review.thresholds import ReviewThresholds


class CountErrorsCheck(Check):
    """Median relative error of how often each place or item occurs; a generalized one is each of its members alike."""

    code: ClassVar[str] = "count-errors"
    light: ClassVar[str] = "usefulness"
    label: ClassVar[str] = "Error of counts"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        rows = subject.rows_of_symbols
        original: Any = getattr(subject.original, "transactions", subject.original)
        if rows is None or subject.private or not isinstance(original, (Trajectories, Transactions)):
            return
        errors = _errors(rows, original)
        if not len(errors):
            return
        median = float(np.median(errors))
        if median <= limits.count_error:
            return
        words = (
            f"Counts of {rows.words[1]} are off by {median:.2g} times the count in the median "
            f"({len(errors):,} {rows.words[1]})."
        )
        remedy = Remedy("Lower k or m, give a hierarchy, or use a coarser map or another method")
        yield Finding(self.code, Colour.AMBER, words, len(errors), None, median, remedy)


def _errors(rows: SymbolRows, original: Trajectories | Transactions) -> Float64s:
    """|before - expected| / before for every place or item that occurs."""
    if isinstance(original, Trajectories):
        vocabulary, counts = (
            original.locations.vocabulary,
            np.bincount(original.codes, minlength=len(original.locations)),
        )
    else:
        vocabulary, counts = original.vocabulary, original.supports
    symbols = rows.symbols
    occurrences = np.bincount(rows.codes, minlength=len(symbols)) / np.maximum(symbols.sizes, 1)
    expected = np.bincount(symbols.members, np.repeat(occurrences, symbols.sizes), len(symbols.vocabulary))
    code = symbols.vocabulary.encode(vocabulary.series)
    estimate = np.zeros(len(code))
    estimate[code >= 0] = expected[code[code >= 0]]
    known = counts > 0
    errors: Float64s = np.abs(estimate[known] - counts[known]) / counts[known]
    return errors
