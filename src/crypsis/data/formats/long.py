"""Long tables: one row per visit or item, the rows of a record named by an id and not necessarily adjacent.

A record without any row cannot be written in a long table; JSON Lines keeps empty records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.formats.columns import (
    column,
    first_empty,
    is_empty,
    labels,
    moments,
    ordered_values,
    parse_timestamps,
    seconds_of_day,
)
from crypsis.data.formats.source import place
from crypsis.data.formats.timestamps import looks_like_dates
from crypsis.data.formats.wide_rows import unfold_trips
from crypsis.data.visit_times import VisitTimes, whole_seconds
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadRow, CrypsisError

if TYPE_CHECKING:
    from crypsis.data.trajectory import Locations, Trajectories


@dataclass(frozen=True)
class Grouping:
    """Rows gathered by record, records in the order in which their ids first appear.

    The rows of record r are `order[offsets[r]:offsets[r + 1]]`; `order` is None where rows already stand so.
    """

    offsets: Int64s
    order: Int64s | None
    ids: pl.Series

    def arranged(self, values: Any) -> Any:
        """An array or column of the table in the order of the records."""
        if self.order is None:
            return values
        return values.gather(self.order) if isinstance(values, pl.Series) else values[self.order]

    def row(self, index: int) -> int:
        """The row of the table that stands at an index of the arranged rows."""
        return index if self.order is None else int(self.order[index])

    @property
    def record_of_index(self) -> Int64s:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def reordered(self, keys: np.ndarray[Any, Any]) -> Grouping:
        """The rows of each record sorted by their keys (given per row of the table); equal keys stay in file order."""
        order = np.lexsort((self.arranged(keys), self.record_of_index))
        return Grouping(self.offsets, self.arranged(np.arange(len(keys)))[order], self.ids)

    def without_repeated(self, keys: np.ndarray[Any, Any]) -> Grouping:
        """Without the rows whose key equals the one before in the same record."""
        arranged = self.arranged(keys)
        kept = np.ones(len(arranged), np.bool_)
        kept[1:] = arranged[1:] != arranged[:-1]
        kept[self.offsets[:-1]] = True
        lengths = np.bincount(self.record_of_index[kept], minlength=len(self.offsets) - 1)
        return Grouping(offsets_of(lengths), self.arranged(np.arange(len(keys)))[kept], self.ids)


def group_rows(frame: pl.DataFrame, id: str, source: str | None) -> Grouping:
    """The rows of each id; `BadRow` where the id is empty."""
    ids = column(frame, id, source)
    if not len(ids):
        return Grouping(np.zeros(1, np.int64), None, ids)
    starts = (ids != ids.shift(1)).fill_null(True).arg_true().cast(pl.Int64)
    names = ids.gather(starts).unique(maintain_order=True)
    if is_empty(names).any():
        refuse_empty(ids, id, source)
    if len(names) == len(starts):
        return Grouping(np.append(starts.to_numpy(), len(ids)).astype(np.int64), None, names)
    numbers = names.to_frame("id").with_row_index("record")
    records = ids.to_frame("id").join(numbers, on="id", how="left", maintain_order="left")["record"].to_numpy()
    order = np.argsort(records, kind="stable").astype(np.int64)
    return Grouping(offsets_of(np.bincount(records, minlength=len(names))), order, names)


@dataclass(frozen=True, kw_only=True)
class VisitColumns:
    """The columns of a long table of visits. Trips with start and end in one row are named so: location='from..to',
    position='started..ended'. `enter` and `exit` say when visits began and ended; where that is known up to bounds they
    are the earliest times, and `enter_until` and `exit_until` the latest."""

    id: str = "trajectory_id"
    position: str | None = "position"
    location: str = "location"
    person: str | None = None
    enter: str | None = None
    exit: str | None = None
    enter_until: str | None = None
    exit_until: str | None = None

    def check_times(self) -> None:
        """Refuse a time whose partner is missing."""
        for name, needed in (("exit", "enter"), ("enter_until", "enter"), ("exit_until", "exit")):
            if getattr(self, name) is not None and getattr(self, needed) is None:
                raise BadParameter(f"{_TIMES_SAY[name]} ({needed}='COLUMN').", parameter=name)

    @property
    def times(self) -> dict[str, str]:
        """The columns that say when visits were, by role."""
        return {role: name for role in _TIMES if (name := getattr(self, role)) is not None}


_TIMES = ("enter", "enter_until", "exit", "exit_until")
_TIMES_SAY = {
    "exit": "exit says when visits ended; say also when they began",
    "enter_until": "enter_until says when visits began at the latest; say also when at the earliest",
    "exit_until": "exit_until says when visits ended at the latest; say also when at the earliest",
}


def trajectories_from_long(
    frame: pl.DataFrame,
    columns: VisitColumns,
    *,
    each_row_is_a_person: bool = False,
    locations: Locations | None = None,
    source: str | None = None,
    sort: bool = False,
    time_format: str | None = None,
) -> Trajectories:
    """Trajectories of a long table. Positions (numbers or timestamps) must rise strictly along each id, in file
    order or, with `sort`, after sorting; without a position column the file order is the order, or the beginnings of
    visits where these are known."""
    from crypsis.data.person_of_records import person_like_of_records
    from crypsis.data.trajectory import Locations, Trajectories

    id, position, location = columns.id, columns.position, columns.location
    person, enter = columns.person, columns.enter
    columns.check_times()
    if enter is not None and position == "position" and position not in frame.columns:
        position = enter
    told = {"location": location, "position": position, **columns.times}
    frame, _, source = unfold_trips(frame, told, source)
    visited = labels(frame, location, source)
    rows = group_rows(frame, id, source)
    if position is not None:
        rows = check_positions(frame, position, rows, source, sort=sort, error=BadRow, time_format=time_format)
    times = visit_times(frame, columns.times, rows, source, time_format) if columns.times else None
    if locations is None:
        locations = Locations(Vocabulary.of(visited))
    codes = locations.codes_of(visited, lambda row: place(source, row, location))
    owners = like = None
    if person is not None:
        owners = owners_of(frame, person, rows, source)
    elif not each_row_is_a_person:
        like = person_like_of_records(frame, rows, (id, position, location), "trajectories")
    roles = {"person": person, "id": id, "position": position, "location": location, **columns.times}
    return Trajectories(
        rows.offsets,
        rows.arranged(codes),
        locations,
        owners,
        rows.ids,
        like,
        tuple((role, name) for role, name in roles.items() if name is not None),
        times,
        position is not None and _is_time(frame, position),
    )


def visit_times(
    frame: pl.DataFrame, names: Mapping[str, str], rows: Grouping, source: str | None, time_format: str | None
) -> VisitTimes:
    """When visits began and ended, exactly or within bounds, by the columns that say so.

    A person begins visits one after another, so the bounds of a beginning also bound those after and before it.
    `BadRow` where a visit ends before it begins, or begins before the one before it.
    """
    known: dict[str, Int64s] = {}
    clocks: dict[str, bool] = {}
    for role, name in names.items():
        known[role], clocks[role] = whole_seconds(moments(frame, name, source, time_format)[0])
        if clocks[role] != clocks["enter"]:
            first = names["enter"]
            raise BadRow(f"Columns '{first}' and '{name}' must both hold timestamps, or both numbers.", where=source)
    for early, late, said in (
        ("enter", "enter_until", "A visit began at the latest before it began at the earliest"),
        ("exit", "exit_until", "A visit ended at the latest before it ended at the earliest"),
        ("enter", "exit_until" if "exit_until" in known else "exit", "A visit ends before it begins"),
    ):
        wrong = (known[late] < known[early]) if late in known else np.zeros(0, np.bool_)
        if wrong.any():
            row = int(wrong.argmax())
            raise BadRow(
                f"{said}: {column(frame, names[late], source)[row]!s} is before "
                f"{column(frame, names[early], source)[row]!s}; correct the row.",
                **place(source, row, names[late]),
            )
    known = {role: rows.arranged(seconds) for role, seconds in known.items()}
    if "enter_until" not in known:
        bad = _falls(known["enter"], rows)
        if len(bad):
            raise BadRow(
                f"Column '{names['enter']}' must not fall along an id, and it does; the order of the visits would "
                "contradict their times. Order the rows by it, or read with sort=True.",
                **place(source, rows.row(int(bad[0]) + 1), names["enter"]),
            )
    else:
        known |= _narrowed(known, rows)
        bad = np.flatnonzero(known["enter_until"] < known["enter"])
        if len(bad):
            raise BadRow(
                f"Columns '{names['enter']}' and '{names['enter_until']}' contradict the order of the visits: this one "
                "would have begun before one that comes before it. Order the rows, or read with sort=True.",
                **place(source, rows.row(int(bad[0])), names["enter"]),
            )
    if "exit" in known:
        known["exit"] = np.maximum(known["exit"], known["enter"])
    return VisitTimes(clock=clocks["enter"], **known)


def _falls(values: Int64s, rows: Grouping) -> Int64s:
    """Where a value is followed by a smaller one of the same record."""
    falls = values[1:] < values[:-1]
    falls[rows.offsets[1:-1] - 1] = False
    return np.flatnonzero(falls)


def _narrowed(known: Mapping[str, Int64s], rows: Grouping) -> dict[str, Int64s]:
    """Bounds of beginnings that rise along each record: no visit began before the one before it, nor after its end."""
    earliest, latest = known["enter"].copy(), known["enter_until"].copy()
    last = known.get("exit_until", known.get("exit"))
    if last is not None:
        latest = np.minimum(latest, last)
    for start, end in pairwise(rows.offsets.tolist()):
        earliest[start:end] = np.maximum.accumulate(earliest[start:end])
        latest[start:end] = np.minimum.accumulate(latest[start:end][::-1])[::-1]
    return {"enter": earliest, "enter_until": latest}


def _is_time(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column holds dates or timestamps, by its type or its first cell."""
    values = frame[name].head(1)
    if values.dtype == pl.String:
        text = values.str.strip_chars()
        iso = parse_timestamps(text)
        other = looks_like_dates(text) or seconds_of_day(text) is not None
        return bool(len(text)) and (iso[0] is not None or other)
    return values.dtype in (pl.Date, pl.Datetime)


def check_positions(
    frame: pl.DataFrame,
    position: str,
    rows: Grouping,
    source: str | None,
    *,
    sort: bool,
    error: type[CrypsisError],
    repeated: bool = False,
    time_format: str | None = None,
) -> Grouping:
    """The grouping, sorted if asked; an error at the first row whose position does not exceed the one before.

    Where positions may be repeated, only the first row of each is kept.
    """
    values = column(frame, position, source)
    refuse_empty(values, position, source)
    wanted = "a number or an ISO timestamp"
    ordered = seconds_of_day(values) if time_format is None else None
    if ordered is None:
        ordered = ordered_values(values, position, source, wanted, time_format)
    keys = ordered.to_physical().to_numpy()
    if sort:
        rows = rows.reordered(keys)
    if repeated:
        rows = rows.without_repeated(keys)
    arranged = rows.arranged(keys)
    falls = arranged[1:] <= arranged[:-1]
    falls[rows.offsets[1:-1] - 1] = False  # between two ids nothing needs to rise
    bad = np.flatnonzero(falls) + 1
    if len(bad):
        index = min(bad.tolist(), key=rows.row)
        row = rows.row(index)
        twice = arranged[index] == arranged[index - 1]
        raise error(
            f"Column '{position}' must rise strictly along each id: {values[row]!s} "
            + (
                "occurs twice in one id; keep one of the rows."
                if twice
                else f"follows {values[rows.row(index - 1)]!s}; order the rows or read with sort=True."
            ),
            **place(source, row, position),
        )
    return rows


def owners_of(frame: pl.DataFrame, owner: str, rows: Grouping, source: str | None, *, sets: bool = False) -> Int32s:
    """The owner of each record as a number; `BadRow` where one record has two. `sets`: records are no trajectories."""
    names = labels(frame, owner, source)
    codes = rows.arranged(Vocabulary.of(names).encode(names))
    first = codes[rows.offsets[:-1]]
    other = np.flatnonzero(codes != np.repeat(first, np.diff(rows.offsets)))
    if len(other):
        raise (two_persons if sets else two_owners)(owner, place(source, rows.row(int(other[0])), owner))
    return np.asarray(first, np.int32)


def two_owners(owner: str, where: Mapping[str, Any]) -> BadRow:
    """The error where one trajectory has two owners."""
    return BadRow(f"Column '{owner}' names two owners for one id; each id belongs to one person.", **where)


def two_persons(person: str, where: Mapping[str, Any]) -> BadRow:
    """The error where one record has two persons."""
    return BadRow(
        f"Column '{person}' names two persons for one id; each record belongs to one person. Name the column that "
        "tells records apart (id='COLUMN'), or leave the person out.",
        **where,
    )


def refuse_empty(values: pl.Series, name: str, source: str | None) -> None:
    """`BadRow` at the first cell that holds nothing."""
    row = first_empty(values)
    if row is not None:
        raise BadRow(f"Column '{name}' is empty; fill in every row.", **place(source, row, name))
