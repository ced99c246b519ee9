"""The one shape of set- and sequence-valued data: rows of different lengths, written one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, frozen, take_records
from crypsis.data.visit_times import VisitTimes

Values = TypeVar("Values", bound=Sequence[object])


class Ragged:
    """Row r holds the values offsets[r] to offsets[r + 1] - 1 of every column of the data.

    `value_columns` name the fields with an entry for each value, `row_columns` those with an entry for each row.
    """

    value_columns: ClassVar[tuple[str, ...]]
    row_columns: ClassVar[tuple[str, ...]] = ()

    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Int64s:
        """How many values each row holds."""
        return frozen(np.diff(self.offsets))

    def take(self, rows: Int64s) -> Self:
        """The chosen rows, in the order given."""
        offsets, positions = take_records(self.offsets, rows)
        values = {name: chosen_entries(getattr(self, name), positions) for name in self.value_columns}
        of_rows = {name: chosen_entries(getattr(self, name), rows) for name in self.row_columns}
        return replace(self, offsets=offsets, **values, **of_rows)  # type: ignore[type-var]

    def cut_into_rows(self, values: Values) -> list[Values]:
        """The values of each row."""
        return [values[start:end] for start, end in pairwise(self.offsets.tolist())]  # type: ignore[misc]


def chosen_entries(column: Any, chosen: Int64s) -> Any:
    """The chosen entries of a column, which need not be there."""
    if column is None:
        return None
    if isinstance(column, pl.Series):
        return column.gather(chosen)
    return column.take(chosen) if isinstance(column, VisitTimes) else column[chosen]
