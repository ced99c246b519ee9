"""Make two visits of each trip: one where it began, one where it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.steps.step import Step, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Ends(Step):
    """Two rows in place of each trip, its start and then its end, with a number for the trip; the rest is repeated."""

    name, label = "ends", "Make two visits of each trip"

    starts: Annotated[tuple[str, ...], "Columns of the start: its time, place, latitude ..."]
    ends: Annotated[tuple[str, ...], "Columns of the end, in the same order."]
    to: Annotated[tuple[str, ...], "Names of the columns of a visit, in the same order."]
    number: Annotated[str, "Name of the column with the number of the trip."] = "trip"

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        if not len(self.starts) == len(self.ends) == len(self.to):
            raise BadParameter(
                f"A visit has as many columns at the start as at the end; got {len(self.starts)} for the start, "
                f"{len(self.ends)} for the end and {len(self.to)} names.",
                parameter="ends",
            )
        gone = {*self.starts, *self.ends}
        kept = [name for name in frame.columns if name not in gone]
        names = [self.number, *self.to]
        taken = [name for name in names if name in kept or names.count(name) > 1]
        if taken:
            raise BadParameter(f"There is a column {taken[0]!r} already; choose another name.", parameter="to")
        numbers = pl.Series(self.number, range(1, frame.height + 1), dtype=pl.Int64)
        visits = [
            frame.select(numbers, *(known_column(frame, one).alias(name) for one, name in columns), *kept)
            for columns in (zip(self.starts, self.to, strict=True), zip(self.ends, self.to, strict=True))
        ]
        return pl.concat(visits, how="vertical_relaxed").sort(self.number, maintain_order=True)
