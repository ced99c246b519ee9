"""From raw check-ins (who, when, where in degrees) to trajectories over the cells of a square grid.

Points are projected to a plane, the plane is cut into squares of `cell` metres, and a check-in visits the cell it
falls into. Cells are named by their column and row, counted from the origin of the projection, so that no name tells
where the data begin; the coordinates of a cell are those of its centre. Only cells that are visited become locations,
by column, then by row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.formats.columns import coordinates, labels, moments
from crypsis.data.formats.frames import as_frame
from crypsis.data.formats.long import group_rows, owners_of
from crypsis.data.grid import Grid
from crypsis.data.person_of_records import person_like_of_records
from crypsis.data.projection import LARGEST_DEGREES, project
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.data.visit_times import VisitTimes, whole_seconds
from crypsis.data.vocabulary import Vocabulary
from crypsis.data.ways_of_reading import option_without_effect, the_person
from crypsis.errors import BadParameter

MICROSECONDS_PER_DAY = 86_400_000_000


def read_checkins(
    path: str | Path,
    *,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    id: str | None = None,
    user: str | None = None,
    owner: str | None = None,
    time: str = "time",
    lat: str = "lat",
    lon: str = "lon",
    cell: float = 1000.0,
    one_per: str | None = None,
    collapse: bool = True,
    crs: str | int | None = None,
    time_format: str | None = None,
    format: str | None = None,
    **options: Any,
) -> Trajectories:
    """Trajectories of a file of check-ins, one per person (`one_per="user"`), or per person and day (UTC).

    `person` names the column that says whose a check-in is (`user` and `owner` are other words for it; default: user).
    With `id` there is one trajectory per value of that column, each of one person. Visits are ordered by time, equal
    times as they stand in the file. With `collapse` staying in a cell is one visit. `crs` is the projection, by default
    the UTM zone of the data.
    """
    from crypsis.data.sources import read_as

    _check_choices(cell, one_per)
    given: dict[str, Any] = {
        "person": person,
        "each_row_is_a_person": each_row_is_a_person,
        "id": id,
        "user": user,
        "owner": owner,
    }
    given |= {"time": time, "lat": lat, "lon": lon, "grid": cell, "one_per": one_per, "collapse": collapse, "crs": crs}
    data: Trajectories = read_as("trajectories", path, {**given, "time_format": time_format, "format": format}, options)
    return data


def trajectories_from_checkins(
    frame: object,
    *,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    id: str | None = None,
    user: str | None = None,
    owner: str | None = None,
    time: str = "time",
    lat: str = "lat",
    lon: str = "lon",
    cell: float = 1000.0,
    one_per: str | None = None,
    collapse: bool = True,
    crs: str | int | None = None,
    time_format: str | None = None,
    source: str | None = None,
) -> Trajectories:
    """The same from a table in memory."""
    _check_choices(cell, one_per)
    table = as_frame(frame)
    whose = the_person(person, each_row_is_a_person, user=user, owner=owner)
    if id is None and each_row_is_a_person:
        raise option_without_effect(
            "each_row_is_a_person", "check-ins without an id, which are put together by person", ("person", "id")
        )
    if id is not None and one_per is not None:
        raise option_without_effect("one_per", "check-ins with an id, of which each has one trajectory", ("id",))
    record = id or whose or "user"
    users = labels(table, record, source)
    instants, written = moments(table, time, source, time_format)
    latitude, longitude = (coordinates(table, name, source, LARGEST_DEGREES) for name in (lat, lon))
    x, y, projection = project(longitude, latitude, crs, source=source, columns=(lon, lat))
    locations, codes = snap_to_grid(x, y, cell, projection)

    people = Vocabulary(users.unique(maintain_order=True))
    recorded = people.encode(users)
    clock = instants.to_physical().to_numpy()
    if one_per == "day":
        if instants.dtype != pl.Datetime:
            raise BadParameter(
                f"one_per='day' needs timestamps, and column '{time}' holds numbers.", parameter="one_per"
            )
        day = clock // MICROSECONDS_PER_DAY
    else:
        day = np.zeros(len(clock), np.int64)
    order = np.lexsort((clock, day, recorded))
    recorded, day, codes = recorded[order], day[order], codes[order]
    seconds, has_clock = whole_seconds(instants)
    seconds = seconds[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (recorded[1:] != recorded[:-1]) | (day[1:] != day[:-1])
    kept = new.copy()
    kept[1:] |= (codes[1:] != codes[:-1]) | (not collapse)
    trajectory = (np.cumsum(new) - 1)[kept]
    last = np.append(kept[1:], True)  # of a stay in one square
    times = VisitTimes(seconds[kept], seconds[last[: len(seconds)]], has_clock)
    first = recorded[new]
    owners, like = None, None
    rows = group_rows(table, record, source)
    if one_per == "day":
        owners = first.astype(np.int32)
    elif id is not None and whose is not None:
        owners = owners_of(table, whose, rows, source)
    elif not each_row_is_a_person:
        like = person_like_of_records(table, rows, (record, time, lat, lon), "trajectories")
    roles = {"person": whose or (record if id is None else None), "id": id, "time": f"{time} ({written})"}
    roles |= {"longitude": lon, "latitude": lat, "projection": projection, "grid": f"squares of {cell:g} m"}
    return Trajectories(
        offsets_of(np.bincount(trajectory, minlength=len(first))),
        codes[kept],
        locations,
        owners,
        people.decode(first) if one_per != "day" else None,
        like,
        tuple((role, name) for role, name in roles.items() if name is not None),
        times,
    )


def snap_to_grid(x: Float64s, y: Float64s, cell: float, crs: str | None = None) -> tuple[Locations, Int32s]:
    """The visited cells as locations, and the cell of each point."""
    grid = Grid(float(cell), crs)
    if not len(x):
        return replace(Locations.of({}), crs=crs, grid=grid), np.zeros(0, np.int32)
    columns, rows = _cell_numbers(x, cell), _cell_numbers(y, cell)
    west, south = int(columns.min()), int(rows.min())
    height = int(rows.max()) - south + 1
    visited, codes = np.unique((columns - west) * height + (rows - south), return_inverse=True)
    return cells_of_grid(visited // height + west, visited % height + south, grid), codes.astype(np.int32)


def cells_of_grid(column: Int64s, row: Int64s, grid: Grid) -> Locations:
    """Cells of a grid as locations, in the order given."""
    names = [f"c{across}_{up}" for across, up in zip(column.tolist(), row.tolist(), strict=True)]
    x, y = (np.asarray((numbers + 0.5) * grid.size, np.float64) for numbers in (column, row))
    return Locations(Vocabulary(names), x, y, crs=grid.crs, grid=grid)


def joined_cells(tables: Sequence[Locations]) -> Locations:
    """The cells of several tables over one grid, each once, as one table over all points has them."""
    labels = pl.concat([table.vocabulary.series for table in tables]).unique()
    numbers = labels.str.strip_prefix("c").str.split("_").list.eval(pl.element().cast(pl.Int64))
    column, row = (numbers.list.get(index).to_numpy() for index in range(2))
    order = np.lexsort((row, column))
    grid = tables[0].grid
    assert grid is not None
    return cells_of_grid(column[order], row[order], grid)


def _cell_numbers(values: Float64s, cell: float) -> Int64s:
    return np.floor_divide(values, cell).astype(np.int64)  # a quotient would be rounded, up to the next cell at times


def _check_choices(cell: float, one_per: str | None) -> None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float)) or not math.isfinite(cell) or cell <= 0:
        raise BadParameter(f"cell must be a positive number of metres, got {cell!r}.", parameter="cell")
    if one_per not in (None, "user", "day"):
        raise BadParameter(f"one_per must be 'user' or 'day', got {one_per!r}.", parameter="one_per")
