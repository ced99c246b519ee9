"""From files to data: one function per kind. The suffix determines the format unless `format` names it.

What can be said of a kind of data is described once, in `crypsis.data.sources`; every option that stands there can be
given here, too, and so can the options of the file's format.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from crypsis.data.formats.tabular import read_table_file
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Table
from crypsis.data.sources import SOURCES, read_as
from crypsis.data.sources.shared_options import LocationTable
from crypsis.data.stream import Events
from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter


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
    given = _given("trajectories", locals()) | {
        "locations": LocationTable.of(locations),
        "id": None if id == "trajectory_id" else id,
    }
    return cast(Trajectories, read_as("trajectories", path, given | {"position": position or ""}, options))


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
    given = _given("table", locals()) | {
        "columns": column_keys(roles, types),
        **cell_options(missing_tokens, unparsable),
    }
    return cast(Table, read_as("table", path, given, options, for_method))


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
    given = _given("transactions", locals()) | {"sensitive": tuple(sensitive)}
    return cast(Transactions, read_as("transactions", path, given, options, for_method))


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
    given = _given("mixed", locals()) | cell_options(missing_tokens, unparsable)
    columns = column_keys(roles, types) | set_keys(items, sensitive)
    return cast(Mixed, read_as("mixed", path, given | {"columns": columns}, options, for_method))


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
    return cast(Tracks, read_as("tracks", path, _given("tracks", locals()), options))


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
    given = _given("events", locals())
    given |= {"sensitive": tuple(sensitive), "locations": LocationTable.of(locations), "time_unit": unit}
    return cast(
        Events, read_as("events", path, given | {"drop_malformed": drops_malformed(malformed)}, options, for_method)
    )


def drops_malformed(malformed: str) -> bool:
    """Whether rows that are no events are left out."""
    if malformed not in ("error", "drop"):
        raise BadParameter(f"malformed must be 'error' or 'drop', got {malformed!r}.", parameter="malformed")
    return malformed == "drop"


def _given(kind: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those arguments of a function that are options of its kind of data under the same name, and the format."""
    return {name: value for name, value in arguments.items() if name in (*SOURCES[kind].names(), "format")}


def column_keys(roles: Mapping[str, str], types: Mapping[str, str] | None) -> dict[str, dict[str, str]]:
    """Role and type of columns, by name."""
    columns = {name: {"role": role} for name, role in roles.items()}
    for name, type in (types or {}).items():
        columns[name] = {**columns.get(name, {}), "type": type}
    return columns


def set_keys(
    items: Mapping[str, str | None], sensitive: Mapping[str, Collection[str]] | None
) -> dict[str, dict[str, Any]]:
    """Set-valued columns with what separates their items, and with their sensitive items, by name."""
    return {
        name: {"type": "items", "item_separator": separator, "sensitive": [*(sensitive or {}).get(name, ())]}
        for name, separator in items.items()
    }


def cell_options(missing_tokens: Sequence[str], unparsable: str) -> dict[str, Any]:
    """What cells without a value mean, as options of a source."""
    if unparsable not in ("error", "missing"):
        raise BadParameter(f"unparsable must be 'error' or 'missing', got {unparsable!r}.", parameter="unparsable")
    return {"missing": tuple(missing_tokens), "as_missing": unparsable == "missing"}
