"""Tracks of position fixes from a table, GPX, GeoJSON or PLT, or from a folder with one file for each track."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.reading import options

PLURAL = "tracks"


def read(
    path: Path,
    *,
    id: options.Id = None,
    x: Annotated[str | None, typer.Option("--x", help="Tracks: column with the planar x coordinate.")] = None,
    y: Annotated[str | None, typer.Option("--y", help="Tracks: column with the planar y coordinate.")] = None,
    t: options.Time = None,
    lat: options.Latitude = None,
    lon: options.Longitude = None,
    person: options.Person = None,
    each_row_is_a_person: options.EachRowIsAPerson = False,
    owner: options.Owner = None,
    crs: options.Projection = None,
    sort: options.Sort = False,
    repeated: Annotated[
        str | None,
        typer.Option("--repeated", help="Tracks: two fixes at one instant are an 'error', or keep the 'first'."),
    ] = None,
    time_format: options.TimeFormat = None,
    **how: Any,
) -> Any:
    """Tracks, projected to a plane."""
    from crypsis.data.formats.tabular import files_of
    from crypsis.data.reading import read_tracks

    return read_tracks(
        files_of(path),
        id=id,
        x=x,
        y=y,
        t=t,
        lat=lat,
        lng=lon,
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        owner=owner,
        crs=crs,
        sort=sort,
        repeated=repeated or "error",
        time_format=time_format,
        **how,
    )


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """Which column serves as what: nothing more than the data tell themselves."""
    return {}


def words_on(data: Any) -> str:
    """What was read."""
    people = "" if data.person is None else f" of {int(data.person.max()) + 1:,} people"
    return f"{len(data):,} tracks{people} with {data.points:,} fixes"
