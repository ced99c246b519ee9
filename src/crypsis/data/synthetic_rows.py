"""Distinct rows with the noisy number of their copies: what private releases of records publish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from crypsis.arrays import FrozenArrays, Int64s
from crypsis.data.microdata import PublishedData, json_column
from crypsis.data.ragged import Ragged


class SyntheticRows(FrozenArrays, Ragged, PublishedData):
    """Row r is published `copies[r]` times."""

    row_columns = ("copies",)

    copies: Int64s

    @property
    def published_rows(self) -> int:
        """Rows, each counted as often as it has copies."""
        return int(self.copies.sum())

    @property
    def contents(self) -> int:
        return int((self.lengths * self.copies).sum())

    @property
    def noisy_counts(self) -> Int64s:
        return self.copies

    def to_lists(self) -> list[tuple[int, list[Any]]]:
        """Copies and values of each row."""
        raise NotImplementedError

    def texts_in(self, column: str) -> pl.DataFrame:
        """The copies as text, and in `column` the values of each row as JSON writes them."""
        copies = pl.DataFrame({"copies": pl.Series(self.copies).cast(pl.String)})
        values: Sequence[Any] = [values for _, values in self.to_lists()]
        return copies.hstack(json_column(column, values))

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.to_lists(),)
