"""How often each sensitive value occurs in each class: the counts that l-diversity and t-closeness look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import Column, PublishedColumn
from crypsis.verifiers.table_classes import TableClasses


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Class c has the values `values[start[c]:start[c + 1]]`, ascending, `counts` times each, without missing ones.

    Values are numbered by size; `table[v]` counts value v in the whole table. Where people are counted, `counts` are
    those who have a value, and `shares` and `table_shares` add up 1 / (records of the person) for each record.
    """

    start: Int64s
    values: Int64s
    counts: Int64s
    table: Int64s
    shares: Float64s | None = None
    table_shares: Float64s | None = None

    @classmethod
    def of(cls, column: PublishedColumn, classes: TableClasses, original: Column | None) -> SensitiveCounts:
        cells = column.cells
        is_value = cells.kinds == CellKind.VALUE
        position = np.full(len(cells), -1, np.int64)
        values = cells.values.unique().sort()
        place_of = {value: index for index, value in enumerate(values.to_list())}
        by_size = np.array([place_of[value] for value in cells.values.to_list()], np.int64)
        position[is_value] = by_size[cells.members[cells.offsets[:-1][is_value]]]
        shown = position[column.codes]
        n_values = len(values)
        table = np.bincount(shown[shown >= 0], minlength=n_values)
        if original is not None:
            place = {value: code for code, value in enumerate(original.domain.to_list())}
            renumber = np.array([place.get(value, -1) for value in values.to_list()] or [-1], np.int64)
            shown = np.where(shown < 0, -1, renumber[shown])
            table = np.bincount(original.codes[original.codes >= 0], minlength=len(original.domain))
            n_values = len(original.domain)
        counted = (classes.class_of >= 0) & (shown >= 0)
        pairs = classes.class_of[counted] * max(n_values, 1) + shown[counted]
        if len(classes.sizes) * max(n_values, 1) <= 4 * len(pairs) + 1024:
            dense = np.bincount(pairs, minlength=len(classes.sizes) * max(n_values, 1))
            found = np.flatnonzero(dense)
            counts = dense[found]
        else:
            found, counts = np.unique(pairs, return_counts=True)
        owner = found // max(n_values, 1)
        start = np.searchsorted(owner, np.arange(len(classes.sizes) + 1))
        if classes.person is not None:
            person, whole = classes.person, shown if original is None else original.codes
            share = 1 / np.bincount(person)[person]
            entry = np.searchsorted(found, pairs)
            having = np.unique(np.stack([entry, person[counted]], axis=1), axis=0)[:, 0]
            return cls(
                start.astype(np.int64),
                (found % max(n_values, 1)).astype(np.int64),
                np.bincount(having, minlength=len(found)).astype(np.int64),
                table.astype(np.int64),
                np.bincount(entry, weights=share[counted], minlength=len(found)).astype(np.float64),
                np.bincount(whole[whole >= 0], weights=share[whole >= 0], minlength=n_values).astype(np.float64),
            )
        return cls(
            start.astype(np.int64),
            (found % max(n_values, 1)).astype(np.int64),
            counts.astype(np.int64),
            table.astype(np.int64),
        )

    @property
    def totals(self) -> Int64s:
        """Records with a value, or pairs of a person and a value, class by class."""
        reached = np.concatenate([[0], np.cumsum(self.counts)])
        totals: Int64s = (reached[self.start[1:]] - reached[self.start[:-1]]).astype(np.int64)
        return totals
