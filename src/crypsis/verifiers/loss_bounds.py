"""Recompute what published mixed data lost, and compare it with the bounds that were promised, in exact fractions.

NCP of a cell is the share of its column that it spans: a range its width, a node its leaves, a set its values; a single
or missing value 0, `any` and suppressed records 1. UL of a record is the share of the item sets that it may stand for
which generalization added: (2^|g| - 1) for each symbol g of several items, over 2^s - 1, s the sum of all sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.cells import CellKind
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, Table

_DECIDED = 1e-6  # farther from the bound than this a sum of floats decides, of far fewer terms than would blur it


def bound_problem(
    published: PublishedMixed, ncp: float | None, ul: float | None, sensitive: tuple[str, ...], original: Mixed | None
) -> str | None:
    """Which bound is exceeded, or None. The columns' domains are known with the original alone."""
    if ul is not None:
        problem = exceeded("UL", item_loss(published, sensitive, Fraction(repr(float(ul)))), ul)
        if problem is not None:
            return problem
    if ncp is not None and original is not None:
        return exceeded("NCP", table_loss(published, original), ncp)
    return None


def exceeded(name: str, loss: Fraction, bound: float) -> str | None:
    """What is wrong with a loss above its bound."""
    if loss <= Fraction(repr(float(bound))):
        return None
    return f"bound: {name} is {float(loss):.6g}, at most {bound:g} was promised"


def table_loss(published: PublishedMixed, original: Mixed) -> Fraction:
    """NCP(D), all quasi-identifiers alike."""
    columns = [published.table.column(name) for name in original.table.quasi]
    counted = [(column, np.bincount(column.codes, minlength=len(column.cells))) for column in columns]
    return loss_of_counts(counted, original.table, len(published))


def loss_of_counts(columns: Sequence[tuple[PublishedColumn, Int64s]], original: Table, n_records: int) -> Fraction:
    """The same by the quasi-identifiers, and how many records show each of their cells."""
    total = Fraction(0)
    for column, counts in columns:
        for index, count in enumerate(counts.tolist()):
            if count:
                total += count * _cell_loss(column, index, original.column(column.name))
    return total / (max(n_records, 1) * len(columns))


def _cell_loss(column: PublishedColumn, place: int, original: Column) -> Fraction:
    cell = column.cells[place]
    if cell.kind in (CellKind.VALUE, CellKind.MISSING):
        return Fraction(0)
    if cell.kind == CellKind.RANGE:
        width = _number(original.domain[-1]) - _number(original.domain[0])
        low, high = map(_number, cell.members)
        return Fraction(high - low) / width if width else Fraction(0)
    if cell.kind == CellKind.SET:
        total = len(original.domain) if column.hierarchy is None else column.hierarchy.total
        return Fraction(len(cell.members), total)
    if cell.kind == CellKind.NODE and column.hierarchy is not None:
        leaves = len(column.hierarchy.leaves[str(cell.members[0])])
        return Fraction(leaves if leaves > 1 else 0, column.hierarchy.total)
    return Fraction(1)


def _number(value: Any) -> Fraction:
    if isinstance(value, datetime):
        gap = value - datetime(1970, 1, 1)
        return Fraction((gap.days * 86_400 + gap.seconds) * 1_000_000 + gap.microseconds)
    if isinstance(value, date):
        return Fraction(value.toordinal())
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def item_loss(published: PublishedMixed, sensitive: tuple[str, ...], bound: Fraction | None = None) -> Fraction:
    """UL(D) of the items that are not sensitive; in floats where these decide which side of the bound it is on."""
    suppressed = int(np.count_nonzero(published.table.suppressed))
    return loss_of_sizes(sizes_shown(published, sensitive), suppressed, len(published), bound)


def sizes_shown(published: PublishedMixed, sensitive: tuple[str, ...]) -> Counter[tuple[int, ...]]:
    """How many records that are not suppressed show symbols of these sizes."""
    secret = set(sensitive)
    lists = published.transactions.symbols.label_lists
    sizes = [0 if labels[0] in secret else len(set(labels)) for labels in lists]
    codes = published.transactions.codes.tolist()
    suppressed = published.table.suppressed.tolist()
    shown: Counter[tuple[int, ...]] = Counter()
    for row, (start, end) in enumerate(pairwise(published.transactions.offsets.tolist())):
        if not suppressed[row]:
            shown[tuple(sorted(sizes[code] for code in set(codes[start:end]) if sizes[code]))] += 1
    return shown


def loss_of_sizes(
    shown: Mapping[tuple[int, ...], int], suppressed: int, n_records: int, bound: Fraction | None = None
) -> Fraction:
    """UL(D) of records by the sizes of their symbols, whichever way they come."""
    n_records = max(n_records, 1)
    ordered = sorted(shown.items())  # so that a sum of floats is always the same
    if bound is not None:
        rough = sum(count * _rough_loss(one) for one, count in ordered) + suppressed
        if abs(rough / n_records - float(bound)) > _DECIDED:
            return Fraction(rough / n_records)
    exact = Fraction(suppressed)
    for one, count in ordered:
        charged = sum((1 << size) - 1 for size in one if size > 1)
        if charged:
            exact += Fraction(count * charged, (1 << sum(one)) - 1)
    return exact / n_records


def _rough_loss(sizes: tuple[int, ...]) -> float:
    total = sum(sizes)
    return sum(2.0 ** (size - total) * (1 - 2.0**-size) / (1 - 2.0**-total) for size in sizes if size > 1)
