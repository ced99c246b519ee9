"""The one shape of set- and sequence-valued data: rows of different lengths, written one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from crypsis.arrays import Int64s, frozen

Values = TypeVar("Values", bound=Sequence[object])


class Ragged:
    """Row r holds the values offsets[r] to offsets[r + 1] - 1 of every column of the data."""

    offsets: Int64s

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Int64s:
        """How many values each row holds."""
        return frozen(np.diff(self.offsets))

    def cut_into_rows(self, values: Values) -> list[Values]:
        """The values of each row."""
        return [values[start:end] for start, end in pairwise(self.offsets.tolist())]  # type: ignore[misc]
