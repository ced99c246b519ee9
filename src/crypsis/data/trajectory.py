"""Symbolic trajectories, as collected and as published.

Trajectory t visits `codes[offsets[t]:offsets[t + 1]]` in order; offsets int64, codes int32. The code of a
location is its position in the location table. Repetitions and empty trajectories are lawful.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, FrozenArrays, Int32s, Int64s, frozen, offsets_of
from crypsis.data.attached_times import AttachedTimes, attach_times
from crypsis.data.frame_types import InMemory
from crypsis.data.grid import Grid
from crypsis.data.microdata import LOCATIONS, VISITS, Microdata, PublishedData, json_column
from crypsis.data.owned_rows import OwnedRows, RowsOfIndividuals
from crypsis.data.person_detection import PersonLike
from crypsis.data.ragged import chosen_entries
from crypsis.data.symbols import SymbolRows, Symbols, SymbolText
from crypsis.data.timed_places import TimedPlaces, bind_times
from crypsis.data.visit_times import VisitTimes
from crypsis.data.vocabulary import Vocabulary, encode_lists
from crypsis.data.written_places import WrittenPlaces
from crypsis.errors import BadCoordinate, BadLabel, BadRelease, BadRow, DuplicateLocation, InputError, UnknownLocation

if TYPE_CHECKING:
    from crypsis.data.cell_blocks import CellBlocks


@dataclass(frozen=True, eq=False)
class Locations(FrozenArrays, InMemory):
    """The location table: distinct labels, planar coordinates in one unit, and which of them are sensitive.

    Coordinates are absent for plain item sequences. `source` names the file, for messages; `crs` is the projection of
    the coordinates where it is known; `written` says how files show places that a method made for publication;
    `grid` is the one whose cells the locations are, where they are cells of one. `times` says that locations are places
    with times, of the places in `base`; `height` is then their third coordinate.
    """

    vocabulary: Vocabulary
    x: Float64s | None = None
    y: Float64s | None = None
    sensitive: Bools | None = None
    source: str | None = None
    crs: str | None = None
    written: WrittenPlaces | None = field(default=None, repr=False)
    grid: Grid | None = None
    times: TimedPlaces | None = field(default=None, repr=False)
    base: Locations | None = field(default=None, repr=False)
    height: Float64s | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._check_labels()
        if (self.x is None) != (self.y is None):
            raise BadCoordinate("Locations need both coordinates or none.", where=self.source)
        for name, values in (("x", self.x), ("y", self.y)):
            if values is None:
                continue
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                label = self.vocabulary[int(bad[0])]
                raise BadCoordinate(
                    f"Location {label!r} has no finite {name} coordinate; give planar numbers for every location.",
                    **self._place(int(bad[0]), name),
                    location=label,
                )
        super().__post_init__()

    def _check_labels(self) -> None:
        labels = self.vocabulary.series
        empty = labels.is_null() | (labels.str.strip_chars() == "")
        if empty.any():
            row = int(empty.arg_true()[0])
            raise BadLabel("A location has an empty label; name every location.", **self._place(row, "location"))
        twice = labels.is_duplicated()
        if twice.any():
            row = int((twice & ~labels.is_first_distinct()).arg_true()[0])
            raise DuplicateLocation(
                f"Location {labels[row]!r} is listed twice; each location has one row.",
                **self._place(row, "location"),
                location=labels[row],
            )

    def _place(self, row: int, column: str) -> dict[str, Any]:
        from crypsis.data.formats.source import place

        return place(self.source or "location table", row, column)

    def codes_of(self, visited: pl.Series, place: Callable[[int], dict[str, Any]]) -> Int32s:
        """The code of each visited location; `place` tells an error where the visit stands."""
        codes = self.vocabulary.encode(visited)
        unknown = np.flatnonzero(codes < 0)
        if len(unknown):
            visit = int(unknown[0])
            raise UnknownLocation(
                f"Location {visited[visit]!r} is not in the location table, which lists {len(self)} locations"
                f"{f' ({self.source})' if self.source else ''}; add it there or correct the row.",
                **place(visit),
                location=visited[visit],
            )
        return codes

    @classmethod
    def of(cls, table: Mapping[str, Any] | Locations | pl.DataFrame | Any) -> Locations:
        """From `{label: (x, y)}`, or a frame or list of dicts with location, x, y and optionally sensitive."""
        if isinstance(table, Locations):
            return table
        if isinstance(table, Sequence) and not len(table):
            table = {}
        if isinstance(table, Mapping):
            pairs = [_coordinate_pair(label, point) for label, point in table.items()]
            x = np.array([pair[0] for pair in pairs], np.float64)
            y = np.array([pair[1] for pair in pairs], np.float64)
            return cls(Vocabulary(map(_checked_label, table)), x, y)
        from crypsis.data.formats.frames import as_frame

        return cls.from_frame(as_frame(table))

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, source: str | None = None) -> Locations:
        """From columns location, x, y (or latitude and longitude, which are projected) and optionally sensitive."""
        from crypsis.data.formats.columns import column, flags, numbers
        from crypsis.data.projection import LARGEST_DEGREES, project
        from crypsis.data.usual_columns import LATITUDE_NAMES, LONGITUDE_NAMES, usual_column

        labels = column(frame, "location", source)
        if labels.dtype.is_float() or labels.dtype.is_nested():
            raise BadLabel(
                f"Column 'location' must hold labels (text or whole numbers), it holds {labels.dtype}.", where=source
            )
        labels = labels.cast(pl.String)
        x = y = sensitive = None
        if ("x" in frame.columns) != ("y" in frame.columns):
            raise BadCoordinate("A location table needs both columns x and y, or none.", where=source)
        if "x" in frame.columns:
            x = numbers(frame, "x", source, missing=np.nan)
            y = numbers(frame, "y", source, missing=np.nan)
        lat, lon = usual_column(frame.columns, LATITUDE_NAMES), usual_column(frame.columns, LONGITUDE_NAMES)
        if x is None and lat is not None and lon is not None:
            longitude = numbers(frame, lon, source, largest=LARGEST_DEGREES)
            latitude = numbers(frame, lat, source, largest=LARGEST_DEGREES)
            x, y, _ = project(longitude, latitude, source=source, columns=(lon, lat))
        if "sensitive" in frame.columns:
            sensitive = flags(frame, "sensitive", source)
        return cls(Vocabulary(labels), x, y, sensitive, source)

    @property
    def labels(self) -> tuple[str, ...]:
        return self.vocabulary.labels

    @property
    def has_coordinates(self) -> bool:
        return self.x is not None

    @cached_property
    def place_codes(self) -> Int32s:
        """The code of each location's place in `base`, where locations are places with times."""
        assert self.times is not None
        assert self.base is not None
        return frozen(self.base.vocabulary.encode(pl.Series(self.times.places, dtype=pl.String)))

    def marked(self, sensitive: Iterable[str]) -> Locations:
        """The same table with these locations sensitive and no other."""
        labels = list(sensitive)
        codes = self.vocabulary.encode(pl.Series(labels, dtype=pl.String))
        if (codes < 0).any():
            unknown = labels[int(np.flatnonzero(codes < 0)[0])]
            raise UnknownLocation(
                f"Location {unknown!r} is listed as sensitive but is not in the location table.", location=unknown
            )
        flags = np.zeros(len(self), np.bool_)
        flags[codes] = True
        return replace(self, sensitive=flags)

    def coordinates(self, needed_by: str) -> tuple[Float64s, Float64s]:
        """x and y, or an error that says who needs them and how to give them."""
        if self.x is None or self.y is None:
            raise BadCoordinate(
                f"{needed_by} needs coordinates, and these locations have none; "
                "give a location table with the columns location, x, y (locations='FILE')."
            )
        return self.x, self.y

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Locations) and self.to_frame().equals(other.to_frame())

    def __hash__(self) -> int:
        return hash(self.vocabulary)

    def __repr__(self) -> str:
        return f"Locations({len(self)} locations{'' if self.has_coordinates else ' without coordinates'})"

    def to_frame(self) -> pl.DataFrame:
        """Columns location, and x, y, sensitive where known."""
        columns: dict[str, Any] = {"location": self.vocabulary.series}
        for name in ("x", "y", "sensitive"):
            values = getattr(self, name)
            if values is not None:
                columns[name] = pl.Series(values)
        return pl.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class Trajectories(FrozenArrays, OwnedRows, Microdata):
    """A list of trajectories over one location table.

    `owners` gives each trajectory's individual as an integer where one person may have several;
    `ids` are the input's own names of the trajectories and never leave the publisher. `person_like` is a column that
    seems to name people with several trajectories, as long as nobody said whether it does; `understood` tells which
    column was taken for what. `times` says when each visit began and ended, where that is known; methods look at the
    order only, unless `bind_times` made the times part of the locations, or `attach_times` said that they are
    `attached` to the result. `ordered_by_time` says that the column which orders the visits holds times.
    """

    description = "visits to places"
    value_columns = ("codes", "times")
    row_columns = ("owners", "ids")
    separator = " → "

    offsets: Int64s
    codes: Int32s
    locations: Locations
    owners: Int32s | None = None
    ids: pl.Series | None = field(default=None, repr=False)
    person_like: PersonLike | None = field(default=None, repr=False)
    understood: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    times: VisitTimes | None = field(default=None, repr=False)
    ordered_by_time: bool = field(default=False, repr=False)
    attached: AttachedTimes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.times is not None and len(self.times) != len(self.codes):
            raise InputError(f"There are times for {len(self.times)} visits of {len(self.codes)}.")
        if len(self.codes) and not (0 <= int(self.codes.min()) and int(self.codes.max()) < len(self.locations)):
            raise UnknownLocation("A trajectory holds a code outside the location table.")
        if int(self.offsets[-1]) != len(self.codes):
            raise InputError("Trajectory offsets do not end at the last code.")
        if self.owners is not None and len(self.owners) != len(self):
            raise InputError(f"There are {len(self.owners)} owners for {len(self)} trajectories.")

    @classmethod
    def from_lists(
        cls,
        sequences: Sequence[Sequence[str]],
        locations: Mapping[str, Any] | Locations | Any | None = None,
        owners: Sequence[Any] | None = None,
    ) -> Trajectories:
        """From lists of labels; `locations={label: (x, y)}` fixes codes and coordinates.

        Without a table the locations are the labels that occur, in Unicode order, without coordinates.
        """
        for row, sequence in enumerate(sequences):
            if isinstance(sequence, str) or not all(isinstance(label, str) for label in sequence):
                raise BadLabel(
                    f"A trajectory must be a list of location labels (strings), got {sequence!r}.",
                    where=f"trajectory {row}",
                )
        table = None if locations is None else Locations.of(locations)
        lengths, flat = encode_lists(sequences)
        return cls.from_columns(offsets_of(lengths), flat, table, owners=_owner_codes(owners))

    @classmethod
    def from_columns(
        cls,
        offsets: Int64s,
        labels: pl.Series,
        locations: Locations | None = None,
        *,
        owners: Int32s | None = None,
        ids: pl.Series | None = None,
        source: str | None = None,
    ) -> Trajectories:
        """From offsets and one column with the visited labels of all trajectories."""
        empty = labels.is_null() | (labels == "")
        if empty.any():
            visit = int(empty.arg_true()[0])
            raise BadLabel(
                "A visit has an empty location label; name every location.", **_visit_place(offsets, visit, source)
            )
        if locations is None:
            locations = Locations(Vocabulary.of(labels))
        codes = locations.codes_of(labels, lambda visit: _visit_place(offsets, visit, source))
        return cls(offsets, codes, locations, owners, ids)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str = "trajectory_id",
        position: str | None = "position",
        location: str = "location",
        person: str | None = None,
        each_row_is_a_person: bool = False,
        owner: str | None = None,
        locations: Mapping[str, Any] | Locations | Any | None = None,
        sort: bool = False,
        time_format: str | None = None,
        enter: str | None = None,
        exit: str | None = None,
        enter_until: str | None = None,
        exit_until: str | None = None,
        source: str | None = None,
    ) -> Trajectories:
        """From a long pandas, polars or arrow table: one row per visit, positions (numbers or timestamps) strictly
        increasing per id, as the rows stand or, if `sort`, after sorting by them.

        `person` (or `owner`) names the column that says whose a trajectory is. Where a column seems to name people
        with several trajectories, methods ask for it, or for `each_row_is_a_person`: no person has several.
        `enter` and `exit` name the columns that say when visits began and ended; where that is known up to bounds, the
        earliest times, and `enter_until` and `exit_until` the latest."""
        from crypsis.data.formats.frames import as_frame
        from crypsis.data.formats.long import VisitColumns, trajectories_from_long
        from crypsis.data.ways_of_reading import the_person

        table = None if locations is None else Locations.of(locations)
        return trajectories_from_long(
            as_frame(frame),
            VisitColumns(
                id=id,
                position=position,
                location=location,
                person=the_person(person, each_row_is_a_person, owner=owner),
                enter=enter,
                exit=exit,
                enter_until=enter_until,
                exit_until=exit_until,
            ),
            each_row_is_a_person=each_row_is_a_person,
            locations=table,
            sort=sort,
            time_format=time_format,
            source=source,
        )

    @property
    def visits(self) -> int:
        return len(self.codes)

    @cached_property
    def occurring(self) -> Bools:
        """Which locations of the table occur in a trajectory."""
        present = np.zeros(len(self.locations), np.bool_)
        present[self.codes] = True
        return frozen(present)

    def truncated(self, longest: int) -> Trajectories:
        """Every trajectory cut to its first `longest` visits."""
        offsets, positions = truncated_positions(self.offsets, longest)
        values = {name: chosen_entries(getattr(self, name), positions) for name in self.value_columns}
        return replace(self, offsets=offsets, **values)

    def bind_times(self, *, width: int = 15, cycle: str = "none", weight: float | None = None) -> Trajectories:
        """The same over places with times: `width` minutes is the width of a bin, `cycle` counts from midnight (day) or
        Monday (week), `weight` says how many units of the map a second is worth."""
        return bind_times(self, width=width, cycle=cycle, weight=weight)

    def attach_times(self, way: str, *, widths: Sequence[int] | None = None, cycle: str = "none") -> Trajectories:
        """The same, with times that are attached to what a method makes of the places: in bins (`way="bin"`) or by
        cluster. `widths` in minutes are tried from the narrowest on, until the guarantee holds with times."""
        return attach_times(self, way, widths, cycle)

    @property
    def drops_times(self) -> bool:
        """The visits have times, and methods that look at the order do not publish them."""
        return self.times is not None or self.ordered_by_time

    def paths(self) -> Iterator[tuple[int, ...]]:
        """Each trajectory as a tuple of codes, for small data."""
        return map(tuple, self.cut_into_rows(self.codes.tolist()))

    def to_lists(self) -> list[list[str]]:
        """Labels of each trajectory."""
        labels = self.locations.labels
        return [[labels[code] for code in path] for path in self.paths()]

    def to_frame(self) -> pl.DataFrame:
        """Long table: trajectory_id, position, location."""
        rows = np.repeat(np.arange(len(self)), self.lengths)
        names = pl.Series(rows) if self.ids is None else self.ids.gather(rows)
        return pl.DataFrame(
            {
                "trajectory_id": names,
                "position": np.arange(self.visits) - self.offsets[:-1][rows],
                "location": self.locations.vocabulary.decode(self.codes),
            }
        )

    def to_texts(self) -> pl.DataFrame:
        return json_column(VISITS, self.to_lists())

    @property
    def crs(self) -> str | None:
        return self.locations.crs

    @property
    def label_vocabulary(self) -> Vocabulary:
        return self.locations.vocabulary

    @property
    def label_counts(self) -> Int64s:
        return np.bincount(self.codes, minlength=len(self.locations))

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return (LOCATIONS,)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.offsets, self.codes, self.locations, self.owners)

    def __repr__(self) -> str:
        return f"Trajectories({len(self)} trajectories, {self.visits} visits, {len(self.locations)} locations)"


@dataclass(frozen=True, eq=False)
class PublishedTrajectories(FrozenArrays, RowsOfIndividuals, PublishedData):
    """Trajectories of symbols: what a release says.

    `longest` declares that every trajectory was cut to that many visits before anything else, `suppressed` that all
    visits to these locations were left out: with the original every missing visit can be accounted for. Both are known
    to the publisher alone and never written; `suppressed` is None where they are not known. `sensitive`
    names the published locations that are sensitive, `lacks_sensitive` declares that some visits to sensitive ones may
    be missing. `places` are the points published for the symbols where a method made them (representatives of cells);
    it lists no other label.
    `timed` says what the locations stand for where they are places with times; `drops_times` that the original has
    times and the release has not. `place_tree` are the pairs child, parent of the taxonomy of places that the method
    was given; it is public and published whole, and its nodes name regions.
    `owners`, `generators`, `cell_blocks` and `input_rows` exist only in memory, on the publisher's side, and are never
    written. `generators` lists for every cell that tracks were generalized to, published or not, the point whose
    nearest fixes it holds, and `cell_blocks` which cells are of which tracks, where these were generalized in blocks;
    `input_rows` says which input each row was made of, where a private report told it.
    """

    value_columns = ("codes",)
    row_columns = ("owners", "input_rows")
    separator = " → "
    confirmable = ("places",)

    offsets: Int64s
    codes: Int32s
    symbols: Symbols
    longest: int | None = None
    owners: Int32s | None = field(default=None, repr=False)
    places: Locations | None = None
    generators: Locations | None = field(default=None, repr=False)
    cell_blocks: CellBlocks | None = field(default=None, repr=False)
    sensitive: tuple[str, ...] = ()
    lacks_sensitive: bool = False
    suppressed: tuple[str, ...] | None = ()
    input_rows: Int64s | None = field(default=None, repr=False)
    timed: TimedPlaces | None = field(default=None, repr=False)
    drops_times: bool = False
    place_tree: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @classmethod
    def from_lists(
        cls,
        rows: Sequence[Sequence[SymbolText]],
        longest: int | None = None,
        *,
        sensitive: Iterable[str] = (),
        suppressed: Iterable[str] = (),
    ) -> PublishedTrajectories:
        """From rows as JSON writes them: `[["d", ["a", "b"]], …]`."""
        symbols, offsets, codes = Symbols.parse(rows)
        return cls(
            offsets,
            codes,
            symbols,
            longest,
            sensitive=tuple(sorted(sensitive)),
            suppressed=tuple(sorted(suppressed)),
        )

    @property
    def visits(self) -> int:
        return len(self.codes)

    def with_original(self, original: Any) -> PublishedTrajectories:
        """The rows in the order of the input and with the owners of the original, where a private report told which
        row is whose; else as they are."""
        if self.input_rows is None:
            return self
        if int(self.input_rows.max(initial=-1)) >= len(original):
            raise BadRelease("The private report speaks of more input rows than the original has.")
        rows = self.take(np.argsort(self.input_rows, kind="stable"))
        assert rows.input_rows is not None
        owners = None if original.owners is None else original.owners[rows.input_rows]
        return replace(rows, owners=owners)

    def paths(self) -> Iterator[tuple[int, ...]]:
        """Each trajectory as a tuple of symbol numbers, for small data."""
        return map(tuple, self.cut_into_rows(self.codes.tolist()))

    def to_lists(self) -> list[list[SymbolText]]:
        """Symbols of each trajectory as JSON writes them: a label, or the sorted list of labels."""
        texts = self.symbols.texts
        return [[texts[code] for code in path] for path in self.paths()]

    def to_texts(self) -> pl.DataFrame:
        return json_column(VISITS, self.to_lists())

    @property
    def symbol_rows(self) -> SymbolRows:
        return SymbolRows(self.offsets, self.codes, self.symbols, ("place", "places"))

    @property
    def contents(self) -> int:
        return self.visits

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.to_lists(),)

    def __repr__(self) -> str:
        return f"PublishedTrajectories({len(self)} trajectories, {self.visits} visits, {len(self.symbols)} symbols)"


def truncated_positions(offsets: Int64s, longest: int) -> tuple[Int64s, Int64s]:
    """Offsets after cutting every record to `longest` values, and the positions that stay."""
    lengths = np.minimum(np.diff(offsets), longest)
    kept = offsets_of(lengths)
    return kept, np.arange(kept[-1]) + np.repeat(offsets[:-1] - kept[:-1], lengths)


def _visit_place(offsets: Int64s, visit: int, source: str | None) -> dict[str, Any]:
    from crypsis.data.formats.source import Source, place

    row = int(np.searchsorted(offsets, visit, side="right")) - 1
    position = f"position {visit - int(offsets[row])}"
    if isinstance(source, Source):
        found = place(source, row)
        return found | {"where": f"{found['where']}, {position}"}
    words = [source, f"trajectory {row}", position]
    return {"where": ", ".join(word for word in words if word), "row": row}


def _checked_label(label: object) -> str:
    if not isinstance(label, str):
        raise BadLabel(f"A location label must be a string, got {label!r}.")
    return label


def _coordinate_pair(label: str, point: Any) -> tuple[float, float]:
    try:
        x, y = point
        return (np.nan if x is None else float(x)), (np.nan if y is None else float(y))
    except (TypeError, ValueError) as error:
        raise BadCoordinate(f"Location {label!r} needs a pair (x, y) of numbers, got {point!r}.") from error


def _owner_codes(owners: Sequence[Any] | None) -> Int32s | None:
    if owners is None:
        return None
    if any(owner is None for owner in owners):
        raise BadRow("A trajectory has no owner; give one for every trajectory, or leave the owners out.")
    return np.unique(np.array([str(owner) for owner in owners]), return_inverse=True)[1].astype(np.int32)
