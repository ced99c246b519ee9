"""Between what bounds a count of original records lies, as a truthful release tells it.

A published record satisfies a query for certain where everything that it may stand for does, and possibly where
something does. Records that are marked as suppressed may satisfy any query. Where items may be missing without a mark
(`complete` is false), any record may hold any item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Int64s
from crypsis.data.count_conditions import Asked, CellMeanings
from crypsis.data.count_query import CountQuery
from crypsis.data.relational import PublishedTable
from crypsis.data.transaction import PublishedTransactions


@dataclass(frozen=True)
class CountBounds:
    """At least `definite` original records; at most `possible`, and `suppressed` more of which nothing is told."""

    definite: int
    possible: int
    suppressed: int = 0

    @property
    def at_most(self) -> int:
        return self.possible + self.suppressed

    def holds(self, actual: int) -> bool:
        """Whether a count lies between the bounds."""
        return self.definite <= actual <= self.at_most


def bound_records(
    table: PublishedTable | None,
    sets: PublishedTransactions | None,
    queries: Sequence[CountQuery],
    *,
    items_column: str | None = None,
    complete: bool = True,
) -> list[CountBounds]:
    """The bounds of each query on records of generalized cells, of generalized items, or of both."""
    n_records = len(table) if table is not None else len(sets) if sets is not None else 0
    hidden = table.suppressed if table is not None else np.zeros(n_records, np.bool_)
    meanings: dict[str, CellMeanings] = {}
    shown = None if sets is None else _ShownItems(sets)
    bounds = []
    for query in queries:
        asked = Asked.of(query, table, items_column)
        certain, possible = ~hidden, ~hidden
        for name, condition in asked.conditions.items():
            assert table is not None
            column = table.column(name)
            if name not in meanings:
                meanings[name] = CellMeanings.of(column)
            every, some = meanings[name].answers(condition)
            certain, possible = certain & every[column.codes], possible & some[column.codes]
        suppressed = int(np.count_nonzero(hidden))
        if asked.items and shown is not None:
            holds, may_hold = shown.answers(asked.items)
            if not complete:
                suppressed += int(np.count_nonzero(possible & ~may_hold))
            certain, possible = certain & holds, possible & may_hold
        bounds.append(CountBounds(int(np.count_nonzero(certain)), int(np.count_nonzero(possible)), suppressed))
    return bounds


class _ShownItems:
    """Which records show an item: alone, or as one of several."""

    def __init__(self, sets: PublishedTransactions) -> None:
        self.sets = sets
        symbols = sets.symbols
        self.holder = np.repeat(np.arange(len(symbols)), symbols.sizes)
        self.row = np.repeat(np.arange(len(sets)), sets.lengths)
        order = np.argsort(sets.codes, kind="stable")
        self.rows_by_symbol: Int64s = self.row[order]
        self.starts = np.searchsorted(sets.codes[order], np.arange(len(symbols) + 1))

    def answers(self, items: Sequence[str]) -> tuple[Bools, Bools]:
        """Whether each record holds all the items for certain, and whether it may hold them all."""
        symbols, n_records = self.sets.symbols, len(self.sets)
        certain, possible = np.ones(n_records, np.bool_), np.ones(n_records, np.bool_)
        for code in symbols.vocabulary.encode(pl.Series(items, dtype=pl.String)).tolist():
            holders = self.holder[symbols.members == code] if code >= 0 else self.holder[:0]
            certain &= self._with(holders[symbols.sizes[holders] == 1])
            possible &= self._with(holders)
        return certain, possible

    def _with(self, symbols: Int64s) -> Bools:
        shown = np.zeros(len(self.sets), np.bool_)
        for symbol in symbols.tolist():
            shown[self.rows_by_symbol[self.starts[symbol] : self.starts[symbol + 1]]] = True
        return shown
