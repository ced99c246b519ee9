"""Usefulness: how far off counts are that are estimated from the release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind, Cells
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

    code = "count-errors"
    light = "usefulness"
    label = "Error of counts"

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
    cells = published.cells
    times = published.cell_counts
    estimate = _of_spans(column, cells, times)
    listed = np.flatnonzero((times > 0) & np.isin(cells.kinds, (CellKind.NODE, CellKind.SET)))
    if len(listed):
        values = column.domain.to_list()
        index = {value: at for at, value in enumerate(values)}
        named = {write_value(value): at for at, value in enumerate(values)}
    for number in listed.tolist():
        cell = cells[number]
        if cell.kind == CellKind.NODE:
            leaves = () if published.hierarchy is None else published.hierarchy.leaves.get(str(cell.members[0]), ())
            found = [named[leaf] for leaf in leaves if leaf in named]
        else:
            found = [index[member] for member in cell.members if member in index]
        if found:
            estimate[found] += times[number] / len(found)
    return _relative(estimate, counts)


def _of_spans(column: Column, cells: Cells, times: Int64s) -> Float64s:
    """What cells over values that follow each other (one value, a range, any) add to each: all at once, by where the
    spans begin and end."""
    size = len(column.domain)
    estimate = np.zeros(size)
    used = times > 0
    changes = np.zeros(size + 1)
    changes[0] = times[used & (cells.kinds == CellKind.ANY)].sum() / max(size, 1)
    single = np.flatnonzero(used & (cells.kinds == CellKind.VALUE))
    ranges = np.flatnonzero(used & (cells.kinds == CellKind.RANGE))
    if size and len(cells.values) and cells.values.dtype == column.domain.dtype:
        low, high = (
            np.asarray(column.domain.search_sorted(cells.values, side).to_numpy(), np.int64)
            for side in ("left", "right")
        )
        member = cells.members[cells.offsets[single]]
        occurs = low[member] < high[member]
        np.add.at(estimate, low[member][occurs], times[single][occurs])
        start, stop = low[cells.members[cells.offsets[ranges]]], high[cells.members[cells.offsets[ranges] + 1]]
        share = times[ranges] / np.maximum(stop - start, 1)
        held = stop > start
        np.add.at(changes, start[held], share[held])
        np.subtract.at(changes, stop[held], share[held])
    return estimate + np.cumsum(changes)[:-1]


def _relative(estimate: Float64s, counts: Any) -> Float64s:
    known = counts > 0
    errors: Float64s = np.abs(estimate[known] - counts[known]) / counts[known]
    return errors
