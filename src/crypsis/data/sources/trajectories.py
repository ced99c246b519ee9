"""Trajectories from a file: a long table, lists of labels, or raw check-ins that are snapped to a grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from crypsis.arrays import Float64s
from crypsis.data.attached_times import ladder_from
from crypsis.data.checkins import trajectories_from_checkins
from crypsis.data.declarations import Declarations
from crypsis.data.formats.columns import coordinates
from crypsis.data.formats.format import SEQUENCE, TABLE
from crypsis.data.formats.long import VisitColumns, trajectories_from_long
from crypsis.data.formats.spaced import refuse_itemsets
from crypsis.data.projection import LARGEST_DEGREES
from crypsis.data.sources.data_source import AlsoCalled, DataFile, DataSource, Label, NamesColumn, OnlyIn
from crypsis.data.sources.shared_options import (
    MOVEMENT,
    EachRowIsAPerson,
    Exit,
    Id,
    Latitude,
    Location,
    Longitude,
    Person,
    PlaceTable,
    Projection,
    Sensitive,
    Sort,
    TimeFormat,
)
from crypsis.data.sources.transactions import refuse_changes
from crypsis.data.timed_places import MERGE, WAYS
from crypsis.data.trajectory import Trajectories
from crypsis.data.ways_of_reading import Way, the_person
from crypsis.errors import OptionWithoutEffect
from crypsis.parameters import Above, AtLeast, OneOf, Unit

VISITS = Way("a table with one row per visit")
LISTS = Way("one list of visits per line, a trajectory of one person each,")
CHECKINS = Way("check-ins on a grid")


@dataclass(frozen=True, kw_only=True)
class TrajectorySource(DataSource):
    """How trajectories are read, with their coordinates and sensitive locations where given."""

    kind, label, plural = "trajectories", "Visits to places", "trajectories"
    family = MOVEMENT
    holding = frozenset({TABLE, SEQUENCE})

    locations: Annotated[PlaceTable, OnlyIn(VISITS, LISTS)] = None
    sensitive: Sensitive = ()
    id: Annotated[Id, OnlyIn(VISITS, CHECKINS)] = None
    position: Annotated[
        str | None,
        NamesColumn("Order or time of the visits"),
        OnlyIn(VISITS),
        "Column that orders the visits: numbers or times (default: position).",
    ] = "position"
    location: Annotated[Location, OnlyIn(VISITS)] = "location"
    person: Annotated[Person, AlsoCalled("owner"), AlsoCalled("user", (CHECKINS,)), OnlyIn(VISITS, CHECKINS)] = None
    each_row_is_a_person: Annotated[EachRowIsAPerson, OnlyIn(VISITS, CHECKINS)] = False
    sort: Annotated[Sort, OnlyIn(VISITS)] = False
    time_format: Annotated[TimeFormat, OnlyIn(VISITS, CHECKINS)] = None
    grid: Annotated[
        float | None,
        Above(0),
        Unit("metres"),
        Label("Side of a square"),
        OnlyIn(CHECKINS),
        "Read raw check-ins with coordinates, snapped to squares of this many metres.",
    ] = None
    time: Annotated[
        str | None,
        NamesColumn("Time of the visit"),
        OnlyIn(CHECKINS),
        "With --grid: column with the time (default: time).",
    ] = "time"
    enter: Annotated[
        str | None,
        NamesColumn("When the visit began"),
        OnlyIn(VISITS),
        "Column with the time at which a visit began.",
    ] = None
    enter_until: Annotated[
        str | None,
        NamesColumn("When the visit began at the latest"),
        OnlyIn(VISITS),
        "Column with the latest time at which a visit may have begun, where --enter holds the earliest.",
    ] = None
    exit: Annotated[Exit, OnlyIn(VISITS)] = None
    exit_until: Annotated[
        str | None,
        NamesColumn("When the visit ended at the latest"),
        OnlyIn(VISITS),
        "Column with the latest time at which a visit may have ended, where --exit holds the earliest.",
    ] = None
    times: Annotated[
        str,
        OneOf(drop="publish the order only", **WAYS),
        Label("Times of visits"),
        OnlyIn(VISITS, CHECKINS),
        "Whether times are dropped, merged with the places, or added to the result in bins or by cluster.",
    ] = "drop"
    time_width: Annotated[
        int | None,
        AtLeast(1),
        Unit("minutes"),
        Label("Steps of time"),
        OnlyIn(VISITS, CHECKINS),
        "With --times: width of the bins of time in minutes (default: 15); for bin and cluster the narrowest tried.",
    ] = None
    time_cycle: Annotated[
        str | None,
        OneOf(none="dates and times", day="time of day", week="time of the week"),
        Label("Cycle of time"),
        OnlyIn(VISITS, CHECKINS),
        "With --times: count time from midnight (day) or Monday (week), without dates (default: none).",
    ] = None
    time_weight: Annotated[
        float | None,
        AtLeast(0),
        Label("Weight of a second"),
        OnlyIn(VISITS, CHECKINS),
        "With --times merge: units of the map that a second is worth; 0 keeps places, much keeps times.",
    ] = None
    lat: Annotated[Latitude, OnlyIn(CHECKINS)] = "lat"
    lon: Annotated[Longitude, AlsoCalled("lng"), OnlyIn(CHECKINS)] = "lon"
    crs: Annotated[Projection, OnlyIn(CHECKINS)] = None
    one_per: Annotated[
        str | None,
        OneOf(user="one trajectory per person", day="one per person and day"),
        OnlyIn(CHECKINS),
        Label("Trajectories"),
        "With --grid: one trajectory per 'user' (default), or per 'day' of each user.",
    ] = None
    collapse: Annotated[
        bool, OnlyIn(CHECKINS), Label("A stay is one visit"), "With --grid: whether staying in a square is one visit."
    ] = True

    def way(self, file: DataFile) -> Way:
        if self.grid is not None:
            return CHECKINS
        return VISITS if file.format_of(self.holding).is_table(file.first) else LISTS

    def load(self, file: DataFile, declared: Declarations) -> Trajectories:
        way = self.way(file)
        data = self._checkins(file) if way == CHECKINS else self._visits(file) if way == VISITS else self._lists(file)
        data = replace(data, locations=data.locations.marked(self.sensitive)) if self.sensitive else data
        return self.keep_times(data)

    def keep_times(self, data: Trajectories) -> Trajectories:
        """The same with what is done about the times of visits."""
        if self.times == "drop":
            for name in ("time_width", "time_cycle", "time_weight"):
                if getattr(self, name) is not None:
                    raise OptionWithoutEffect(
                        f"`{name}` has no effect where times are dropped; give times='merge' with it, or leave it out.",
                        option=name,
                    )
            return data
        if self.times != MERGE:
            if self.time_weight is not None:
                raise OptionWithoutEffect(
                    f"`time_weight` has no effect with times={self.times!r}, which merges places alone; leave it out, "
                    "or give times='merge'.",
                    option="time_weight",
                )
            return data.attach_times(self.times, widths=ladder_from(self.time_width), cycle=self.time_cycle or "none")
        return data.bind_times(
            width=15 if self.time_width is None else self.time_width,
            cycle=self.time_cycle or "none",
            weight=self.time_weight,
        )

    def _checkins(self, file: DataFile) -> Trajectories:
        frame, source = file.frame()
        names = ("person", "each_row_is_a_person", "id", "one_per", "collapse", "crs", "time_format")
        return trajectories_from_checkins(
            frame,
            **{name: getattr(self, name) for name in names},
            time=self.time or "time",
            lat=self.lat or "lat",
            lon=self.lon or "lon",
            cell=self.grid or 0.0,
            source=source,
        )

    def degrees(self, file: DataFile) -> tuple[Float64s, Float64s]:
        """Longitude and latitude of the check-ins of a file."""
        frame, source = file.frame()
        longitude, latitude = (
            coordinates(frame, name, source, LARGEST_DEGREES) for name in (self.lon or "lon", self.lat or "lat")
        )
        return longitude, latitude

    def _visits(self, file: DataFile) -> Trajectories:
        frame, source = file.frame()
        return trajectories_from_long(
            frame,
            VisitColumns(
                id=self.id or "trajectory_id",
                position=self.position or None,  # else as the rows stand
                location=self.location or "location",
                person=the_person(self.person, self.each_row_is_a_person),
                enter=self.enter,
                exit=self.exit,
                enter_until=self.enter_until,
                exit_until=self.exit_until,
            ),
            each_row_is_a_person=self.each_row_is_a_person,
            locations=None if self.locations is None else self.locations.load(),
            source=source,
            sort=self.sort,
            time_format=self.time_format,
        )

    def _lists(self, file: DataFile) -> Trajectories:
        refuse_changes(file)
        table = None if self.locations is None else self.locations.load()
        listed = file.sequences()
        refuse_itemsets(listed)
        return Trajectories.from_columns(listed.offsets, listed.labels, table, source=listed.source)

    @classmethod
    def describe(cls, data: Any) -> str:
        people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
        visits = f"{data.visits:,} visits to {int(data.occurring.sum()):,} locations"
        return f"{len(data):,} trajectories{people} with {visits}"
