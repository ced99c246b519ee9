"""One trajectory per person and day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl

from crypsis.data.formats.columns import moments
from crypsis.data.steps.step import Step, added, known_column
from crypsis.errors import BadParameter


@dataclass(frozen=True, kw_only=True)
class PerDay(Step):
    """A column that names the trajectory of a person on a day: `anna 2008-06-08`."""

    name, label = "per_day", "One trajectory per person and day"

    person: Annotated[str, "Column that names the person."]
    time: Annotated[str, "Column with the time."]
    to: Annotated[str, "Name of the column that names the trajectory."] = "trajectory_id"
    time_format: Annotated[str | None, "How times are written; detected if empty."] = None

    def apply(self, frame: pl.DataFrame) -> pl.DataFrame:
        people = known_column(frame, self.person).cast(pl.String)
        instants, _ = moments(frame, self.time, None, self.time_format)
        if instants.dtype != pl.Datetime:
            raise BadParameter(f"Column {self.time!r} holds no dates, so it tells no day.", parameter="time")
        return added(frame, people + " " + instants.dt.strftime("%Y-%m-%d"), self.to)
