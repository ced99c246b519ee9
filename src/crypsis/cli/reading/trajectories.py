"""Trajectories from a file: a long table, lists of labels, or raw check-ins that are snapped to a grid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.reading import options
from crypsis.cli.reading.options import listed

PLURAL = "trajectories"


def read(
    path: Path,
    *,
    locations: options.Locations = None,
    sensitive: options.Sensitive = None,
    id: options.Id = None,
    position: Annotated[
        str | None,
        typer.Option("--position", help="Column that orders the visits: numbers or times (default: position)."),
    ] = None,
    location: options.Location = None,
    person: options.Person = None,
    each_row_is_a_person: options.EachRowIsAPerson = False,
    owner: options.Owner = None,
    sort: options.Sort = False,
    time_format: options.TimeFormat = None,
    grid: Annotated[
        float | None,
        typer.Option("--grid", help="Read raw check-ins with coordinates, snapped to squares of this many metres."),
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", help="With --grid: another word for --person (default: user).")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="With --grid: column with the time (default: time).")
    ] = None,
    lat: options.Latitude = None,
    lon: options.Longitude = None,
    crs: options.Projection = None,
    one_per: Annotated[
        str | None,
        typer.Option("--one-per", help="With --grid: one trajectory per 'user' (default), or per 'day' of each user."),
    ] = None,
    **how: Any,
) -> Any:
    """Trajectories, with their coordinates and sensitive locations where given."""
    if grid is not None:
        from crypsis.data.checkins import read_checkins

        snapped = read_checkins(
            path,
            person=person,
            each_row_is_a_person=each_row_is_a_person,
            id=id,
            user=user,
            owner=owner,
            time=time or "time",
            lat=lat or "lat",
            lon=lon or "lon",
            cell=grid,
            one_per=one_per,
            crs=crs,
            time_format=time_format,
            **how,
        )
        return _with_sensitive(snapped, sensitive)
    from crypsis.data.reading import read_locations, read_trajectories

    data = read_trajectories(
        path,
        locations=None if locations is None else read_locations(locations),
        id=id or "trajectory_id",
        position=position or "position",
        location=location or "location",
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        owner=owner,
        sort=sort,
        time_format=time_format,
        **how,
    )
    return _with_sensitive(data, sensitive)


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """Which column serves as what: nothing more than the data tell themselves."""
    return {}


def words_on(data: Any) -> str:
    """What was read."""
    people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
    return f"{len(data):,} trajectories{people} with {data.visits:,} visits to {int(data.occurring.sum()):,} locations"


def _with_sensitive(data: Any, given: str | None) -> Any:
    if given is None:
        return data
    return replace(data, locations=data.locations.marked(listed(given)))
