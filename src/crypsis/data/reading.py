"""From files to data: one function per kind. The format is told by the suffix, or named with `format`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats import by_record, format_for, format_of, spaced
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.compression import existing_file
from crypsis.data.formats.long import trajectories_from_long
from crypsis.data.formats.tabular import header_of, read_rows, read_sets, read_table_file
from crypsis.data.mixed import Mixed
from crypsis.data.person_codes import refuse_both, refuse_uniting
from crypsis.data.person_detection import refuse_undecided_names
from crypsis.data.relational import Table
from crypsis.data.sound_events import sound_rows
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.data.ways_of_reading import refuse_unused, the_person, way_of
from crypsis.errors import BadParameter, CrypsisError, OptionWithoutEffect

TABLE_OR_SEQUENCE = frozenset({"table", "sequence"})
TABLE_OR_TRACK = frozenset({"table", "track"})


def read_locations(path: str | Path, *, format: str | None = None, **options: Any) -> Locations:
    """The location table of a file with the columns location, x, y and optionally sensitive."""
    frame, source = read_table_file(path, format=format, **options)
    return Locations.from_frame(frame, source)


def read_trajectories(
    path: str | Path,
    *,
    locations: Mapping[str, Any] | Locations | Any | None = None,
    id: str = "trajectory_id",
    position: str | None = "position",
    location: str = "location",
    person: str | None = None,
    each_row_is_a_person: bool = False,
    owner: str | None = None,
    sort: bool = False,
    time_format: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Trajectories:
    """Trajectories of a long table (CSV, Parquet, JSON objects), of JSON arrays, or of FIMI or SPMF text.

    In a long table the rows of an id need not be adjacent, but their positions (numbers or ISO timestamps) must rise
    strictly in file order, or after sorting by them with `sort`; `position=None` takes the file order as it is.
    `locations` is a location table, or the path of one; without it locations have no coordinates. `person` (or `owner`)
    names the column that says whose a trajectory is; with `each_row_is_a_person` no person has several.
    """
    table = _location_table(locations)
    file = existing_file(path)
    given = {"person": person, "each_row_is_a_person": each_row_is_a_person, "owner": owner, "sort": sort}
    given |= {"time_format": time_format}
    given |= {"id": _unless(id, "trajectory_id"), "position": _unless(position, "position")}
    refuse_unused(way_of("trajectories", file, format), given | {"location": _unless(location, "location")} | options)
    chosen = format_for(file, format, holding=TABLE_OR_SEQUENCE, **options)
    if not chosen.is_table(file):
        listed = chosen.read_sequences(file)
        spaced.refuse_itemsets(listed)
        return Trajectories.from_columns(listed.offsets, listed.labels, table, source=listed.source)
    frame, source = read_table_file(file, format=format, **options)
    return trajectories_from_long(
        frame,
        id=id,
        position=position,
        location=location,
        person=the_person(person, each_row_is_a_person, owner=owner),
        each_row_is_a_person=each_row_is_a_person,
        locations=table,
        source=source,
        sort=sort,
        time_format=time_format,
    )


def read_table(
    path: str | Path,
    roles: Mapping[str, str],
    types: Mapping[str, str] | None = None,
    *,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: Sequence[str] = ("?",),
    unparsable: str = "error",
    format: str | None = None,
    for_method: Any | None = None,
    **options: Any,
) -> Table:
    """A table with a role for every column; `person` names the column that says whose row it is.

    See `Table.from_frame`.

    `for_method` is the method that the data are read for: types that its domains and hierarchies declare come first,
    and for a private method each record is read by itself, so that a line that is no record is left out.
    """
    declared = Declarations.of(for_method)
    if declared.by_record:
        _refuse_without_effect(unparsable, missing_tokens)
        known = header_of(path, format=format, **options)
        columns = [*roles, *([] if person is None or person in roles else [person])]
        rows, mark = read_rows(path, known or columns, format=format, **options)
        return Table.from_records(
            rows,
            roles,
            declared.first(types, rows.columns),
            mark,
            person=person,
            each_row_is_a_person=each_row_is_a_person,
        )
    frame, source = read_table_file(path, format=format, **options)
    return Table.from_frame(
        frame,
        roles,
        declared.first(types, frame.columns),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        missing_tokens=missing_tokens,
        unparsable=unparsable,
        source=source,
    )


def read_transactions(
    path: str | Path,
    *,
    id: str | None = None,
    item: str | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    unite: str | None = None,
    sensitive: Collection[str] = (),
    format: str | None = None,
    for_method: Any | None = None,
    **options: Any,
) -> Transactions:
    """Sets of items of a long table, of JSON arrays, or of FIMI or SPMF text (whose itemsets are united).

    In a long table `id` names the record of a row (without it, 'id'), `item` the item ('item'), and `person` whose
    record it is, where one person has several. With `unite="person"` all records of a person become one.

    For a private method (`for_method`) each record is read by itself, and a line that is none is left out.
    """
    file = existing_file(path)
    if Declarations.of(for_method).by_record:
        how = _Whose(id, item, person, each_row_is_a_person, unite)
        return _transactions_by_record(file, how, sensitive, format, options)
    chosen = format_for(file, format, holding=TABLE_OR_SEQUENCE, **options)
    refuse_uniting(unite, person)
    given = {"id": id, "item": item, "person": person, "each_row_is_a_person": each_row_is_a_person, "unite": unite}
    refuse_unused(way_of("transactions", file, format), given | options)
    if not chosen.is_table(file):
        listed = chosen.read_sequences(file)
        return Transactions.from_columns(listed.offsets, listed.labels, sensitive, source=listed.source)
    frame, where = read_table_file(file, format=format, **options)
    made = Transactions.from_frame(
        frame,
        id=id or "id",
        item=item or "item",
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        sensitive=sensitive,
        source=where,
    )
    return made.unite_by_person() if unite else made


def read_mixed(
    path: str | Path,
    roles: Mapping[str, str],
    items: Mapping[str, str | None],
    types: Mapping[str, str] | None = None,
    *,
    sensitive: Mapping[str, Collection[str]] | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: tuple[str, ...] = ("?",),
    unparsable: str = "error",
    format: str | None = None,
    for_method: Any | None = None,
    **options: Any,
) -> Mixed:
    """A table with set-valued columns; `items` maps each of them to the separator of its items.

    `for_method` as for `read_table`.
    """
    declared = Declarations.of(for_method)
    if declared.by_record:
        _refuse_without_effect(unparsable, missing_tokens)
        known = header_of(path, format=format, **options)
        lists = [name for name, between in items.items() if between is None]
        columns = known or [*roles, *([person] if person else []), *items]
        rows, mark = read_rows(path, columns, lists=lists, format=format, **options)
        return Mixed.from_records(
            rows,
            roles,
            items,
            declared.first(types, roles),
            mark,
            person=person,
            each_row_is_a_person=each_row_is_a_person,
        )
    frame, source = read_table_file(path, format=format, **options)
    return Mixed.from_frame(
        frame,
        roles,
        items,
        declared.first(types, roles),
        sensitive=sensitive,
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        missing_tokens=missing_tokens,
        unparsable=unparsable,
        source=source,
    )


def read_tracks(
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
    owner: str | None = None,
    crs: str | int | None = None,
    sort: bool = False,
    repeated: str = "error",
    time_format: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Tracks:
    """GPS tracks of a table, of GPX, GeoJSON or PLT; several files (GeoLife has one per track) give one list.

    `person` (or `owner`) names the column that says whose a track is; with `each_row_is_a_person` nobody has several.
    """
    named: dict[str, Any] = {
        "id": id, "x": x, "y": y, "t": t, "lat": lat, "lng": lng, "person": person, "owner": owner, "crs": crs,
        "each_row_is_a_person": each_row_is_a_person, "sort": sort, "repeated": repeated, "time_format": time_format,
    }  # fmt: skip
    paths = [path] if isinstance(path, (str, Path)) else list(path)
    if not paths:
        raise BadParameter("Give at least one file of tracks.", parameter="path")
    given = {"lon" if name == "lng" else name: value for name, value in named.items() if value != "error"}
    for part in paths:
        refuse_unused(way_of("tracks", part, format), given | options)
    parts = [_points(Path(part), format, options) for part in paths]
    if len(parts) == 1:
        return Tracks.from_frame(parts[0][0], source=parts[0][1], **named)
    try:
        return Tracks.from_frame(pl.concat([frame for frame, _ in parts], how="diagonal_relaxed"), **named)
    except CrypsisError:
        for frame, source in parts:  # say in which of the files
            Tracks.from_frame(frame, source=source, **named)
        raise


def read_events(
    path: str | Path,
    *,
    id: str = "id",
    location: str = "location",
    t: str = "t",
    sensitive: Sequence[str] = (),
    locations: Mapping[str, Any] | Locations | Any | None = None,
    unit: str | None = None,
    malformed: str = "error",
    format: str | None = None,
    for_method: Any | None = None,
    **options: Any,
) -> Events:
    """The events of a log with one row per event.

    With `malformed="drop"` rows that are no events are left out: times are then timestamps if a unit is given, else
    whole numbers. For a private method (`for_method`) each line is read by itself, and what is no event is left out,
    whatever is wrong with it.
    """
    if malformed not in ("error", "drop"):
        raise BadParameter(f"malformed must be 'error' or 'drop', got {malformed!r}.", parameter="malformed")
    if Declarations.of(for_method).by_record:
        return _events_by_record(
            path, [id, location, t, *sensitive], sensitive, _location_table(locations), unit, format, options
        )
    frame, source = read_table_file(path, format=format, columns=[id, location, t, *sensitive], **options)
    if malformed == "drop":
        frame = sound_rows(frame, id=id, location=location, t=t, timestamps=unit is not None, source=source)
    return Events.from_frame(
        frame,
        id=id,
        location=location,
        t=t,
        sensitive=sensitive,
        locations=_location_table(locations),
        unit=unit or "s",
        source=source,
    )


@dataclass(frozen=True)
class _Whose:
    """What was said about the columns of a long table of items."""

    id: str | None
    item: str | None
    person: str | None
    each_row_is_a_person: bool
    unite: str | None


def _transactions_by_record(
    file: Path, told: _Whose, sensitive: Collection[str], format: str | None, options: Mapping[str, Any]
) -> Transactions:
    if sensitive:
        raise OptionWithoutEffect(
            "Private methods treat all items alike, so sensitive items have no effect; leave them out.",
            parameter="sensitive",
        )
    refuse_both(told.person, told.each_row_is_a_person)
    refuse_uniting(told.unite, told.person)
    chosen = format_of(file, format, holding=TABLE_OR_SEQUENCE)
    named = {"person": told.person, "id": told.id, "item": told.item}
    listed = "table" not in chosen.holds
    if listed or ("sequence" in chosen.holds and told.id is None and told.item is None):
        for option, name in named.items():
            if name is not None:
                raise OptionWithoutEffect(
                    f"Each line of this {chosen.name} file is a record, and {option} {name!r} names nothing. Leave "
                    f"{option} out, or give a long table with a row for each item.",
                    where=str(file),
                    parameter=option,
                )
        sets = read_sets(file, format=format, **options)
        return replace(Transactions.from_columns(sets.offsets, sets.labels), by_record=sets.by_record)
    id, item = told.id or "id", told.item or "item"
    if told.person is None and not told.each_row_is_a_person:
        header = header_of(file, format=format, **options)
        refuse_undecided_names([name for name in header or () if name not in (id, item)], "records")
    wanted = [id, item, *([] if told.person is None else [told.person])]
    rows, mark = read_rows(file, wanted, format=format, **options)
    sound = rows.filter(~pl.any_horizontal([is_empty(rows[name]) for name in wanted])) if len(rows) else rows
    mark = by_record.ByRecord(mark.left_out + len(rows) - len(sound), told.person is not None)
    if told.person is None:
        made = Transactions.from_frame(sound, id=id, item=item, each_row_is_a_person=True)
        return replace(made, by_record=mark)
    # A record is what one person has under one id, so that no row can contradict another.
    record = pl.struct(told.person, id).struct.json_encode().alias("record of a person")
    joined = sound.select(record, pl.col(item), pl.col(told.person))
    made = Transactions.from_frame(joined, id="record of a person", item=item, person=told.person)
    made = replace(made, by_record=mark)
    return made.unite_by_person() if told.unite else made


def _events_by_record(
    path: str | Path,
    columns: Sequence[str],
    sensitive: Sequence[str],
    locations: Locations | None,
    unit: str | None,
    format: str | None,
    options: Mapping[str, Any],
) -> Events:
    id, location, t, *_ = columns
    rows, mark = read_rows(path, columns, format=format, **options)
    sound = sound_rows(rows, id=id, location=location, t=t, timestamps=unit is not None)
    if locations is not None:
        sound = sound.filter(pl.Series(locations.vocabulary.encode(sound[location]) >= 0))
    events = Events.from_frame(
        sound, id=id, location=location, t=t, sensitive=sensitive, locations=locations, unit=unit or "s"
    )
    return replace(events, by_record=by_record.ByRecord(mark.left_out + len(rows) - len(sound)))


def _refuse_without_effect(unparsable: str, missing_tokens: Sequence[str]) -> None:
    """What would have to look at records, or changes nothing: a cell outside its domain leaves its record out."""
    if unparsable != "error" or tuple(missing_tokens) != ("?",):
        raise BadParameter(
            "Under differential privacy a record with a value outside its domain is left out, so texts that mean a "
            "missing value have no effect; leave them out.",
            parameter="missing_tokens",
        )


def _location_table(locations: Any | None) -> Locations | None:
    if locations is None:
        return None
    return read_locations(locations) if isinstance(locations, (str, Path)) else Locations.of(locations)


def _unless(value: str | None, usual: str) -> str | None:
    """What was said, where it is not what is said anyway."""
    return None if value == usual else value


def _points(path: Path, format: str | None, options: Mapping[str, Any]) -> tuple[pl.DataFrame, str]:
    file = existing_file(path)
    chosen = format_for(file, format, holding=TABLE_OR_TRACK, **options)
    return chosen.read_points(file) if "track" in chosen.holds else chosen.read_frame(file)
