"""Usefulness: how far off counts are that are estimated from the release."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.symbols import SymbolRows
from crypsis.data.values import write_value
from crypsis.data.vocabulary import Vocabulary
from crypsis.review.check import Check
from crypsis.review.lights import Colour, Finding, Remedy
from crypsis.review.subject import Subject
from crypsis.review.thresholds import ReviewThresholds


class CountErrorsCheck(Check):
    """Median relative error of how often each place, item or value of a quasi-identifier occurs.

    Whatever is generalized is each of its members alike, as many of the values of a range as occur in the original.
    """

    code: ClassVar[str] = "count-errors"
    light: ClassVar[str] = "usefulness"
    label: ClassVar[str] = "Error of counts"

    def findings(self, subject: Subject, limits: ReviewThresholds) -> Iterator[Finding]:
        for what, errors in _errors(subject):
            median = float(np.median(errors)) if len(errors) else 0.0
            if median <= limits.count_error:
                continue
            words = f"Counts of {what} are off by {median:.2g} times the count in the median ({len(errors):,} counts)."
            remedy = Remedy("Lower k or m, give a hierarchy, or use a coarser map or another method")
            yield Finding(self.code, Colour.AMBER, words, len(errors), None, median, remedy)


def _errors(subject: Subject) -> Iterator[tuple[str, Float64s]]:
    """What is counted, and the relative error of each count."""
    if subject.private:
        return
    rows = subject.rows_of_symbols
    original = subject.original
    if rows is not None and original is not None and original.label_counts is not None:
        yield rows.words[1], _of_symbols(rows, original.label_vocabulary, original.label_counts)
    if subject.table is not None and subject.original_table is not None:
        before = subject.original_table.with_role("quasi")
        columns = [
            (column, subject.table.column(column.name)) for column in before if column.name in subject.table.names
        ]
        if columns:
            yield "values", np.concatenate([_of_column(column, published) for column, published in columns])


def _of_symbols(rows: SymbolRows, vocabulary: Vocabulary, counts: Int64s) -> Float64s:
    symbols = rows.symbols
    occurrences = np.bincount(rows.codes, minlength=len(symbols)) / np.maximum(symbols.sizes, 1)
    expected = np.bincount(symbols.members, np.repeat(occurrences, symbols.sizes), len(symbols.vocabulary))
    code = symbols.vocabulary.encode(vocabulary.series)
    estimate = np.zeros(len(code))
    estimate[code >= 0] = expected[code[code >= 0]]
    return _relative(estimate, counts)


def _of_column(column: Column, published: PublishedColumn) -> Float64s:
    """Counts of the values of a column, from its published cells."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain))
    estimate = np.zeros(len(counts))
    values = column.domain.to_list()
    place = {value: at for at, value in enumerate(values)}
    named = {write_value(value): at for at, value in enumerate(values)}
    for cell, times in enumerate(np.bincount(published.codes, minlength=len(published.cells)).tolist()):
        kind = published.cells.kinds[cell]
        if not times or kind in (CellKind.MISSING, CellKind.SUPPRESSED):
            continue
        members: Any = published.cells[cell].members
        span: slice | list[int]
        if kind == CellKind.RANGE:
            span = slice(bisect_left(values, members[0]), bisect_right(values, members[1]))
        elif kind == CellKind.ANY:
            span = slice(0, len(values))
        elif kind == CellKind.NODE:
            leaves = () if published.hierarchy is None else published.hierarchy.leaves.get(str(members[0]), ())
            span = [named[leaf] for leaf in leaves if leaf in named]
        else:
            span = [place[member] for member in members if member in place]
        width = span.stop - span.start if isinstance(span, slice) else len(span)
        if width:
            estimate[span] += times / width
    return _relative(estimate, counts)


def _relative(estimate: Float64s, counts: Any) -> Float64s:
    known = counts > 0
    errors: Float64s = np.abs(estimate[known] - counts[known]) / counts[known]
    return errors
