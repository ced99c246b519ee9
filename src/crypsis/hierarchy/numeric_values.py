"""What the builders for ordered columns start from: the distinct values, how often each occurs, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from crypsis.data.relational import Column
from crypsis.errors import NotApplicable

DEFAULT_BINS = 64
DEFAULT_FANOUT = 4


@dataclass(frozen=True)
class OrderedValues:
    """Distinct values ascending, their numbers (days or microseconds for dates) and counts of records."""

    series: pl.Series
    numbers: tuple[Fraction, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(cls, column: Column) -> OrderedValues:
        if column.type == "category":
            raise NotApplicable(
                f"Column '{column.name}' holds categories, which have no order; ranges need numbers or dates.",
                column=column.name,
            )
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain))
        present = np.flatnonzero(counts)
        return cls(
            column.domain.gather(present),
            tuple(Fraction(number) for number in column.keys[present].tolist()),
            tuple(counts[present].tolist()),
        )

    def bins(self, wanted: int | None) -> int:
        return min(DEFAULT_BINS, max(len(self.numbers), 1)) if wanted is None else wanted


def named(recipe: str, bins: int | None) -> str:
    """What a hierarchy was made by: the number of bins only where it was given, never one found in the data."""
    return recipe if bins is None else f"{recipe}:{bins}"
