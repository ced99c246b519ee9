"""Event streams: who was where when, with sensitive attributes of the person; the input of windowed methods.

Event e: person `persons[e]` was at location `locations[e]` at the integer time `t[e]`. Events keep the order in which
they arrived; a stream may be late and may repeat itself, which its method judges. Where ends are known an event is a
visit that began at `t[e]` and ended at `exits[e]`, or is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import EqualByContent, FrozenArrays, Int32s, Int64s, frozen
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.formats.columns import column, is_empty, labels, times
from crypsis.data.formats.columns import unknown_column as unknown
from crypsis.data.formats.frames import as_frame
from crypsis.data.formats.source import place
from crypsis.data.microdata import Microdata
from crypsis.data.missing import MISSING_CODE
from crypsis.data.trajectory import Locations
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadTimestamps, InputError

OPEN = int(np.iinfo(np.int64).max)  # instead of the end of a visit that goes on, or whose end is not known
UNITS = {"s": 1, "min": 60, "h": 3600, "day": 86400}  # seconds that one step of t takes


@dataclass(frozen=True, eq=False)
class Attribute(FrozenArrays, EqualByContent):
    """A sensitive attribute: a code per event into its vocabulary, -1 where the event does not tell."""

    name: str
    codes: Int32s
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.codes) and not (
            int(self.codes.min()) >= MISSING_CODE and int(self.codes.max()) < len(self.vocabulary)
        ):
            raise InputError("A sensitive attribute holds a code outside its vocabulary.")

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.name, self.codes, self.vocabulary)


@dataclass(frozen=True, eq=False)
class Events(FrozenArrays, Microdata):
    """A log of events. `people` names the persons and never leaves the publisher.

    `by_record` marks events of which each was read by itself, as private methods need it.
    """

    description = "a stream of visits"

    persons: Int32s
    location_codes: Int32s
    t: Int64s
    people: Vocabulary = field(repr=False)
    locations: Locations
    sensitive: tuple[Attribute, ...] = ()
    by_record: ByRecord | None = field(default=None, repr=False)
    exits: Int64s | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths = {len(self.persons), len(self.location_codes), len(self.t)}
        lengths |= set() if self.exits is None else {len(self.exits)}
        lengths |= {len(attribute.codes) for attribute in self.sensitive}
        if len(lengths) > 1:
            raise InputError(f"The columns of a stream have different lengths: {sorted(lengths)}.")
        for codes, known, what in (
            (self.persons, len(self.people), "person"),
            (self.location_codes, len(self.locations), "location"),
        ):
            if len(codes) and not (0 <= int(codes.min()) and int(codes.max()) < known):
                raise InputError(f"An event holds a {what} code outside the vocabulary.")

    @classmethod
    def from_lists(
        cls,
        events: Sequence[tuple[Any, str, int]],
        sensitive: Mapping[str, Sequence[str | None]] | None = None,
        locations: Mapping[str, Any] | Locations | Any | None = None,
    ) -> Events:
        """From triples (person, location, t); `sensitive` gives a value per event."""
        columns: dict[str, Any] = {
            "id": pl.Series([str(event[0]) for event in events], dtype=pl.String),
            "location": pl.Series([event[1] for event in events], dtype=pl.String),
            "t": pl.Series([event[2] for event in events], dtype=pl.Int64),
        }
        extra = {name: pl.Series(list(values), dtype=pl.String) for name, values in (sensitive or {}).items()}
        return cls.from_frame(pl.DataFrame(columns | extra), sensitive=list(extra), locations=locations)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str = "id",
        location: str = "location",
        t: str = "t",
        sensitive: Sequence[str] = (),
        locations: Mapping[str, Any] | Locations | Any | None = None,
        unit: str = "s",
        source: str | None = None,
        exit: str | None = None,
    ) -> Events:
        """From a table with one row per event. Times are integers, or ISO timestamps that count whole units
        (s, min, h, day) since 1970. An empty sensitive cell is an event that does not tell the value. `exit` names the
        column that says when visits ended; an empty cell is a visit that is still open."""
        if unit not in UNITS:
            raise BadParameter(f"unit must be one of {', '.join(UNITS)}, got {unit!r}.", parameter="unit")
        table = as_frame(frame)
        for name in sensitive:
            if name not in table.columns:
                raise unknown(name, table.columns, source)
        people = labels(table, id, source)
        visited = labels(table, location, source)
        places = Locations(Vocabulary.of(visited)) if locations is None else Locations.of(locations)
        location_codes = places.codes_of(visited, lambda row: place(source, row, location))
        known = Vocabulary.of(people)
        began = _whole_times(table, t, UNITS[unit], source)
        return cls(
            known.encode(people),
            location_codes,
            began,
            known,
            places,
            tuple(_attribute(column(table, name, source)) for name in sensitive),
            exits=None if exit is None else _ends(table, exit, began, UNITS[unit], source),
        )

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def is_ordered(self) -> bool:
        """No event is earlier than one that came before it."""
        return bool((np.diff(self.t) >= 0).all())

    @cached_property
    def order(self) -> Int64s:
        """The events by time, then by location code; equal ones in the order of arrival."""
        return frozen(np.lexsort((self.location_codes, self.t)).astype(np.int64))

    def attribute(self, name: str) -> Attribute:
        """The sensitive attribute of that name."""
        for part in self.sensitive:
            if part.name == name:
                return part
        raise unknown(name, [part.name for part in self.sensitive])

    def take(self, rows: Int64s) -> Events:
        """The chosen events, in the order given."""
        return Events(
            self.persons[rows],
            self.location_codes[rows],
            self.t[rows],
            self.people,
            self.locations,
            tuple(replace(part, codes=part.codes[rows]) for part in self.sensitive),
            self.by_record,
            None if self.exits is None else self.exits[rows],
        )

    def to_frame(self) -> pl.DataFrame:
        """Columns id, location, t and one per sensitive attribute."""
        return pl.DataFrame(
            {
                "id": self.people.decode(self.persons),
                "location": self.locations.vocabulary.decode(self.location_codes),
                "t": self.t,
            }
            | {part.name: part.vocabulary.decode(part.codes) for part in self.sensitive}
        )

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.persons, self.location_codes, self.t, self.people, self.locations, self.sensitive, self.exits)

    def __repr__(self) -> str:
        return (
            f"Events({len(self)} events, {len(self.people)} people, {len(self.locations)} locations, "
            f"{len(self.sensitive)} sensitive attributes)"
        )


def _attribute(cells: pl.Series) -> Attribute:
    text = cells.cast(pl.String)
    text = text.set(is_empty(text), None)
    vocabulary = Vocabulary.of(text)
    return Attribute(cells.name, vocabulary.encode(text), vocabulary)


def _ends(table: pl.DataFrame, name: str, began: Int64s, seconds: int, source: str | None) -> Int64s:
    """When visits ended; OPEN where a cell is empty."""
    cells = column(table, name, source)
    empty = cells.is_null() if cells.dtype != pl.String else is_empty(cells)
    known = (~empty).arg_true().to_numpy()
    ends = np.full(len(table), OPEN, np.int64)
    if len(known):
        ends[known] = _whole_times(table[known], name, seconds, source)
    wrong = np.flatnonzero(ends < began)
    if len(wrong):
        row = int(wrong[0])
        raise BadTimestamps(
            f"A visit ends at {ends[row]}, before it begins at {began[row]}; correct the row or leave its end empty.",
            **place(source, row, name),
        )
    return ends


def _whole_times(table: pl.DataFrame, name: str, seconds: int, source: str | None) -> Int64s:
    moments = times(table, name, source)
    if moments.dtype == pl.Datetime:
        return np.asarray(moments.to_physical().to_numpy(), np.int64) // (seconds * 1_000_000)
    if moments.dtype.is_integer() and moments.dtype not in (pl.UInt64, pl.Int128):
        return moments.cast(pl.Int64).to_numpy().astype(np.int64)
    whole = moments.cast(pl.Int64, strict=False)
    bad = whole.is_null() | (whole.cast(moments.dtype) != moments)
    if bad.any():
        row = int(bad.arg_true()[0])
        raise BadTimestamps(
            f"Column '{name}' must hold 64-bit integers or ISO timestamps, got {moments[row]!r}.",
            **place(source, row, name),
        )
    return whole.to_numpy().astype(np.int64)
