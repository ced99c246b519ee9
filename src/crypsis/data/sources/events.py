"""A recorded stream from a file: one row per event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.declared_times import with_times
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.sound_events import sound_rows
from crypsis.data.sources.data_source import DataFile, DataSource, Label
from crypsis.data.sources.shared_options import MOVEMENT, Exit, Id, Location, PlaceTable, Sensitive, Time, TimeFormat
from crypsis.data.stream import Events
from crypsis.data.ways_of_reading import Way
from crypsis.errors import OptionWithoutEffect

ROW_PER_EVENT = Way("a table with one row per event")


@dataclass(frozen=True, kw_only=True)
class EventSource(DataSource):
    """How events are read, in the order of the file; `sensitive` names the columns with sensitive values."""

    kind, label, plural = "events", "Stream of visits", "events"
    family = MOVEMENT

    id: Id = "id"
    location: Location = "location"
    t: Time = "t"
    exit: Exit = None
    sensitive: Sensitive = ()
    locations: PlaceTable = None
    time_unit: Annotated[
        str | None, Label("Unit of times"), "Unit of a numeric time, such as s or ms (default: s)."
    ] = None
    time_format: TimeFormat = None
    drop_malformed: Annotated[bool, Label("Skip malformed rows"), "Skip malformed rows; for private methods."] = False

    def way(self, file: DataFile) -> Way:
        return ROW_PER_EVENT

    def load(self, file: DataFile, declared: Declarations) -> Events:
        """With `drop_malformed` times are timestamps if a unit is given, else whole numbers.

        For a private method each line is read by itself, and what is no event is left out, whatever is wrong with it.
        """
        names = {"id": self.id or "id", "location": self.location or "location", "t": self.t or "t"}
        columns = [*names.values(), *([] if self.exit is None else [self.exit]), *self.sensitive]
        locations = None if self.locations is None else self.locations.load()
        left_out, source = ByRecord(), None
        if declared.by_record and self.exit is not None:
            raise OptionWithoutEffect(
                "`exit` has no effect with a private method, which looks at places and times alone; leave it out.",
                option="exit",
            )
        if declared.by_record:
            frame, left_out = file.rows(columns)
        else:
            frame, source = file.frame(columns)
        sound, lenient = frame, declared.by_record or self.drop_malformed
        if self.time_format is not None and len(frame):
            whose = f"{names['t']}={self.time_format}"
            frame = with_times(frame, whose, (), source, lenient=lenient)
            moments = [names["t"]]
            if self.exit is not None:
                frame = with_times(frame, f"{self.exit}={self.time_format}", (), source, lenient=lenient)
                moments.append(self.exit)
            sound = frame.with_columns(pl.col(moments).cast(pl.Datetime("us")))
        if lenient:
            timestamps = self.time_unit is not None or self.time_format is not None
            sound = sound_rows(sound, **names, timestamps=timestamps, source=source)
        if declared.by_record and locations is not None:
            sound = sound.filter(pl.Series(locations.vocabulary.encode(sound[names["location"]]) >= 0))
        unit = self.time_unit or "s"
        events = Events.from_frame(
            sound,
            **names,
            sensitive=self.sensitive,
            locations=locations,
            unit=unit,
            source=source,
            exit=self.exit,
        )
        if not declared.by_record:
            return events
        return replace(events, by_record=ByRecord(left_out.left_out + len(frame) - len(sound)))

    def understood(self, data: Any) -> dict[str, str]:
        """Which column names the person, the place and the time, and in which unit times count."""
        columns = {"person": self.id or "id", "location": self.location or "location", "time": self.t or "t"}
        sensitive = {"sensitive": ", ".join(attribute.name for attribute in data.sensitive)} if data.sensitive else {}
        left_out = {"rows that are no events": "left out"} if self.drop_malformed else {}
        if self.exit is not None:
            columns["end of a visit"] = self.exit
        return columns | {"unit": self.time_unit or "s (numbers as written)"} | sensitive | left_out
