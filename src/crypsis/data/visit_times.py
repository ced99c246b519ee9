"""When visits began and ended, as collected: whole seconds, since 1970 or on a clock of the data's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, freeze
from crypsis.errors import InputError

MICROSECONDS = 1_000_000


@dataclass(frozen=True, eq=False)
class VisitTimes:
    """Per visit the second in which it began and the one in which it ended; `exit` is None where nobody knows ends.

    `clock` says that seconds are counted from 1970 (UTC), so that days and weeks have a meaning.
    """

    enter: Int64s
    exit: Int64s | None = None
    clock: bool = True

    def __post_init__(self) -> None:
        freeze(self, "enter", "exit")
        if self.exit is not None and len(self.exit) != len(self.enter):
            raise InputError(f"There are {len(self.exit)} exits for {len(self.enter)} visits.")

    def __len__(self) -> int:
        return len(self.enter)

    def take(self, visits: Int64s) -> VisitTimes:
        """The times of the chosen visits."""
        return VisitTimes(self.enter[visits], None if self.exit is None else self.exit[visits], self.clock)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, VisitTimes)
            and self.clock == other.clock
            and np.array_equal(self.enter, other.enter)
            and (self.exit is None) == (other.exit is None)
            and (self.exit is None or other.exit is None or np.array_equal(self.exit, other.exit))
        )

    __hash__ = None  # type: ignore[assignment]


def whole_seconds(moments: pl.Series) -> tuple[Int64s, bool]:
    """Timestamps or numbers as whole seconds, rounded down; and whether they are timestamps."""
    if moments.dtype == pl.Datetime:
        return (moments.to_physical() // MICROSECONDS).to_numpy().astype(np.int64), True
    return np.floor(moments.to_numpy()).astype(np.int64), False
