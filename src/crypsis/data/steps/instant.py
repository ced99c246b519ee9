"""The instant of a day and a time of day that stand in two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.formats.columns import moments, seconds_of_day
from crypsis.data.steps.step import Step, added, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class Instant(Step):
    """One column with the instant in place of a column with the day and one with the time of day."""

    name, label = "instant", "Join a day and a time of day"

    day: Annotated[str, "Column with the day."]
    clock: Annotated[str, "Column with the time of day, 7:30 or 07:30:15."]
    to: Annotated[str, "Name of the column with the instant."]
    time_format: Annotated[str | None, "How days are written; detected if empty."] = None

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        known_column(frame, self.day)
        days, _ = moments(frame, self.day, None, self.time_format)
        if days.dtype != pl.Datetime:
            raise BadParameter(f"Column {self.day!r} holds no dates, so it tells no day.", parameter="day")
        seconds = seconds_of_day(known_column(frame, self.clock).cast(pl.String))
        if seconds is None:
            raise BadParameter(
                f"Column {self.clock!r} must hold times of day such as 7:30 or 07:30:15 in every row.",
                parameter="clock",
            )
        instants = days.dt.truncate("1d") + pl.Series(seconds * 1_000_000, dtype=pl.Int64).cast(pl.Duration("us"))
        return added(frame.drop(self.day, self.clock), instants, self.to)
