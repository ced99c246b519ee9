"""When visits began and ended, as collected: whole seconds, since 1970 or on a clock of the data's own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from crypsis.arrays import EqualByContent, FrozenArrays, Int64s
from crypsis.errors import InputError

MICROSECONDS = 1_000_000
_COLUMNS = ("enter", "exit", "enter_until", "exit_until")


@dataclass(frozen=True, eq=False)
class VisitTimes(FrozenArrays, EqualByContent):
    """Per visit the second in which it began and the one in which it ended; `exit` is None where nobody knows ends.

    Where beginnings or ends are known up to bounds, these are the earliest seconds, and `enter_until` and `exit_until`
    the latest; None where the second is known. `clock` says that seconds are counted from 1970 (UTC), so that days and
    weeks have a meaning.
    """

    enter: Int64s
    exit: Int64s | None = None
    clock: bool = True
    enter_until: Int64s | None = None
    exit_until: Int64s | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in _COLUMNS[1:]:
            column = getattr(self, name)
            if column is not None and len(column) != len(self.enter):
                raise InputError(f"There are {len(column)} times in {name} for {len(self.enter)} visits.")
        if self.exit is None and self.exit_until is not None:
            raise InputError("The latest ends of visits need the earliest, too.")

    def __len__(self) -> int:
        return len(self.enter)

    def take(self, visits: Int64s) -> VisitTimes:
        """The times of the chosen visits."""
        return VisitTimes(clock=self.clock, **{name: column[visits] for name, column in self.columns})

    def without_ends(self) -> VisitTimes:
        """Beginnings alone."""
        return replace(self, exit=None, exit_until=None)

    @property
    def columns(self) -> list[tuple[str, Int64s]]:
        """What is known, by name."""
        return [(name, getattr(self, name)) for name in _COLUMNS if getattr(self, name) is not None]

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.clock, self.enter, self.exit, self.enter_until, self.exit_until)


def whole_seconds(moments: pl.Series) -> tuple[Int64s, bool]:
    """Timestamps or numbers as whole seconds, rounded down; and whether they are timestamps."""
    if moments.dtype == pl.Datetime:
        return (moments.to_physical() // MICROSECONDS).to_numpy().astype(np.int64), True
    return np.floor(moments.to_numpy()).astype(np.int64), False
