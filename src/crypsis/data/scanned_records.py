"""Sets, trajectories, tracks and events in parts that are read one at a time, each file by the source that reads it in
memory.

Rows of one record, records of a person and events of one may lie in any part. Parts are taken in the order of their
names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.person_codes import refuse_uniting
from crypsis.data.place_of_part import Place, on_disk, stamp_of
from crypsis.data.scanned import Part, parts_of_file, refuse_large_file, source_and_file
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.transaction import Transactions

if TYPE_CHECKING:  # sources are imported when something is read
    from crypsis.data.sources import DataFile, DataSource, TrackSource

_KINDS: dict[str, type] = {
    "transactions": Transactions,
    "trajectories": Trajectories,
    "tracks": Tracks,
    "events": Events,
}
_SETTLED_AT_THE_END: dict[str, Any] = {
    "sensitive": (),
    "unite": None,
    "times": "drop",
    "time_width": None,
    "time_cycle": None,
    "time_weight": None,
}


@dataclass(frozen=True, eq=False)
class ScannedRecords:
    """Sets, trajectories, tracks or events in parts; `crypsis.scan_transactions` and the other functions make them.

    `track_column` names the track of each fix, where somebody looked at a part.

    >>> import crypsis, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.jsonl").write_text('["milk","beer"]\\n["milk","wine"]\\n')
    >>> _ = (folder / "b.jsonl").write_text('["milk","beer"]\\n["beer","wine"]\\n')
    >>> baskets = crypsis.scan_transactions(folder / "*.jsonl")
    >>> baskets
    ScannedRecords(2 files of transactions)
    >>> crypsis.anonymize(baskets, crypsis.Disassociation(k=2, refine="none")).verify().holds
    True
    """

    source: DataSource
    file: DataFile
    stamps: Mapping[Place, tuple[int, int]] = field(repr=False)
    track_column: str | None = None

    @classmethod
    def of(cls, source: DataSource, file: DataFile) -> ScannedRecords:
        """Look at the files; what would need all records at once is refused."""
        with on_disk(file.places[0]) as path:
            source.refuse_unused(replace(file, path=path))
        given = source.parameters()
        refuse_uniting(given.get("unite"), given.get("person"))
        return cls(source, file, {place: stamp_of(place) for place in file.places})

    @property
    def stands_for(self) -> type:
        """The class of the same data in memory."""
        return _KINDS[self.source.kind]

    def parts(self, memory: int, folder: Path | None = None, *, whole_files: bool = False) -> Iterator[Part]:
        """The files in order, or ranges of their rows, each small enough for a worker with so much memory; `folder` is
        where workers fetch. `whole_files` are not divided."""
        for file, stamp in self.stamps.items():
            part = Part(file, stamp, self.file.format, self.file.options, folder=folder)
            if whole_files:
                refuse_large_file(part, memory, self.source.plural)
                yield part
            else:
                ranges = list(parts_of_file(part, memory, self.source.holding))
                yield from ranges if len(ranges) > 1 else [part]

    def read_part(self, part: Part) -> Any:
        """The records of a part; which labels are sensitive is settled when all are known."""
        return part.read_by_record(self.unmarked_source, Declarations())

    def read_rows(self, part: Part) -> pl.DataFrame:
        """The rows of a part as its file has them."""
        if self.source.kind == "tracks":
            return part.read_with(cast("TrackSource", self.source).rows)
        return part.read()

    @property
    def unmarked_source(self) -> DataSource:
        """The source without a word on what is settled when all parts are known: which labels are sensitive, whether
        the records of a person are united, and what is done about times."""
        given = self.source.parameters()
        usual = {name: value for name, value in _SETTLED_AT_THE_END.items() if name in given and given[name] != value}
        if not self.keeps_times:  # then what is said about times has no effect, which reading tells
            usual = {name: value for name, value in usual.items() if not name.startswith("time")}
        return replace(self.source, **usual) if usual else self.source

    @property
    def keeps_times(self) -> bool:
        """Times of visits are merged with places, or attached to the result."""
        return bool(self.source.parameters().get("times", "drop") != "drop")

    @property
    def unites(self) -> bool:
        """All records of a person become one."""
        return self.source.parameters().get("unite") is not None

    @property
    def id_column(self) -> str:
        """The column of a long table that names the record of each row."""
        if self.track_column is not None:
            return self.track_column
        if self.on_grid:
            settings = self.source.parameters()
            return str(settings.get("id") or settings.get("person") or "user")
        usual = "id" if self.source.kind == "transactions" else "trajectory_id"
        return str(self.source.parameters().get("id") or usual)

    @property
    def person_column(self) -> str | None:
        """The column that names the person of each row, of sets and trajectories."""
        gathered = self.source.kind in ("transactions", "trajectories")
        settings = self.source.parameters()
        if self.on_grid and settings.get("id") is None:  # a trajectory is all of a person, or a day of it
            return self.id_column if self.by_day else None
        person = settings.get("person") if gathered else None
        return None if person is None else str(person)

    @property
    def on_grid(self) -> bool:
        """Trajectories are made of check-ins, which are snapped to the squares of a grid."""
        return self.source.parameters().get("grid") is not None

    @property
    def by_day(self) -> bool:
        """There is a trajectory for each day of a person."""
        return self.source.parameters().get("one_per") == "day"

    @property
    def is_wide(self) -> bool:
        """Each row is a record, whose set stands in columns."""
        return bool(self.source.parameters().get("columns"))

    @property
    def has_location_table(self) -> bool:
        """All parts have the locations of one table."""
        return self.source.parameters().get("locations") is not None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Labels that were declared to be sensitive."""
        return tuple(self.source.parameters().get("sensitive") or ())

    def __repr__(self) -> str:
        files = len(self.file.places)
        return f"ScannedRecords({files} file{'s' if files != 1 else ''} of {self.source.plural})"


def scan_transactions(
    path: str | Path | Sequence[str | Path],
    *,
    id: str | None = None,
    item: str | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    sensitive: Collection[str] = (),
    format: str | None = None,
    **options: Any,
) -> ScannedRecords:
    """Sets of items in parts: a path, a pattern such as `parts/*.jsonl`, a list or a folder. Nothing is read yet.

    Options as for `crypsis.read_transactions`; rows of one id, and records of one `person`, may lie in several parts.
    `unite="person"` makes one record of all records of a person.
    """
    keys: dict[str, Any] = {"id": id, "item": item, "person": person, "sensitive": tuple(sensitive)}
    keys |= {"each_row_is_a_person": each_row_is_a_person}
    return _scan("transactions", path, format, keys, options)


def scan_trajectories(
    path: str | Path | Sequence[str | Path],
    *,
    locations: Mapping[str, Any] | Locations | Any | None = None,
    id: str | None = None,
    position: str | None = "position",
    location: str = "location",
    person: str | None = None,
    each_row_is_a_person: bool = False,
    format: str | None = None,
    **options: Any,
) -> ScannedRecords:
    """Trajectories in parts: a path, a pattern such as `parts/*.parquet`, a list or a folder. Nothing is read yet.

    Options as for `crypsis.read_trajectories`; visits of one trajectory, and trajectories of one `person`, may lie in
    several parts.
    """
    from crypsis.data.sources.shared_options import LocationTable

    keys: dict[str, Any] = {"locations": LocationTable.of(locations), "id": id, "location": location}
    keys |= {"position": "" if position is None else position, "person": person}
    keys |= {"each_row_is_a_person": each_row_is_a_person}
    return _scan("trajectories", path, format, keys, options)


def scan_tracks(
    path: str | Path | Sequence[str | Path],
    *,
    id: str | None = None,
    x: str | None = None,
    y: str | None = None,
    t: str | None = None,
    lat: str | None = None,
    lng: str | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    crs: str | int | None = None,
    sort: bool = False,
    repeated: str = "error",
    time_format: str | None = None,
    format: str | None = None,
    **options: Any,
) -> ScannedRecords:
    """GPS tracks in parts: a path, a pattern such as `parts/*.parquet`, a list or a folder. Nothing is read yet.

    Options as for `crypsis.read_tracks`; fixes of one track may lie in several parts. Degrees without a `crs` are
    projected to the UTM zone of all fixes together. Tracks of one owner may lie in several parts, too.

    >>> import crypsis, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for part in (1, 2):
    ...     fixes = [(f"{part}{ride}", 500 * step + ride, ride, 60 * step) for ride in range(4) for step in range(3)]
    ...     rows = "".join(f"{track},{x},{y},{t}\\n" for track, x, y, t in fixes)
    ...     _ = (folder / f"{part}.csv").write_text("track_id,x,y,t\\n" + rows)
    >>> tracks = crypsis.scan_tracks(folder / "*.csv", each_row_is_a_person=True)
    >>> crypsis.anonymize(tracks, crypsis.PPSG(radius=200, k=4), block_rows=4).verify().holds
    True
    """
    keys: dict[str, Any] = {"id": id, "x": x, "y": y, "t": t, "lat": lat, "lng": lng, "person": person, "crs": crs}
    keys |= {"each_row_is_a_person": each_row_is_a_person, "sort": sort, "repeated": repeated}
    return _scan("tracks", path, format, {**keys, "time_format": time_format}, options)


def scan_events(
    path: str | Path | Sequence[str | Path],
    *,
    id: str = "id",
    location: str = "location",
    t: str = "t",
    sensitive: Sequence[str] = (),
    locations: Mapping[str, Any] | Locations | Any | None = None,
    unit: str | None = None,
    malformed: str = "error",
    format: str | None = None,
    **options: Any,
) -> ScannedRecords:
    """A log of events in parts: a path, a pattern such as `log/*.parquet`, a list or a folder. Nothing is read yet.

    Options as for `crypsis.read_events`. Events of a person may lie in any part; they are put together in the order of
    the parts.

    >>> import crypsis, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for hour, place in ((7, "home"), (9, "work")):
    ...     rows = "".join(f"{rider},{place},{hour}\\n" for rider in range(900))
    ...     _ = (folder / f"{hour}.csv").write_text("id,location,t\\n" + rows)
    >>> trips = crypsis.scan_events(folder / "*.csv")
    >>> release = crypsis.anonymize(trips, crypsis.SafePath(
    ...     epsilon=2, height=2, scheme="flat", location_domain=crypsis.LocationDomain(["home", "work", "park"]),
    ...     time_domain=crypsis.TimeDomain(0, 24)))
    >>> 700 < release.data.trajectories < 1100
    True
    """
    from crypsis.data.reading import drops_malformed
    from crypsis.data.sources.shared_options import LocationTable

    keys: dict[str, Any] = {"id": id, "location": location, "t": t, "sensitive": tuple(sensitive), "time_unit": unit}
    keys |= {"locations": LocationTable.of(locations), "drop_malformed": drops_malformed(malformed)}
    return _scan("events", path, format, keys, options)


def _scan(kind: str, path: Any, format: str | None, keys: dict[str, Any], options: dict[str, Any]) -> ScannedRecords:
    from crypsis.data.sources import SOURCES

    return ScannedRecords.of(*source_and_file(SOURCES[kind], path, format, keys, options))
