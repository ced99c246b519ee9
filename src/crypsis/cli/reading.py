"""The options that say how a file of trajectories is read, given to every command that reads one."""

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.errors import BadParameter

Reader = Callable[[Path], Any]


def reads_trajectories(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the reading options; its parameter `read` becomes a function from a path to trajectories."""
    options = inspect.signature(_read, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True).parameters
    shown = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own.values()]
    shown = [parameter for parameter in shown if parameter.name != "read"]
    shown += [parameter for parameter in options.values() if parameter.name != "path"]

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options if name != "path"}
        command(read=partial(_read, **chosen), **given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _read(
    path: Path,
    *,
    locations: Annotated[
        Path | None,
        typer.Option("--locations", help="Location table: columns location, x, y, optionally sensitive."),
    ] = None,
    id: Annotated[str, typer.Option("--id", help="Column that names the trajectory.")] = "trajectory_id",
    position: Annotated[
        str, typer.Option("--position", help="Column that orders the visits: numbers or times.")
    ] = "position",
    location: Annotated[str, typer.Option("--location", help="Column with the visited location.")] = "location",
    owner: Annotated[
        str | None,
        typer.Option("--owner", help="Column that names the person, where one has several trajectories."),
    ] = None,
    sort: Annotated[
        bool, typer.Option("--sort", help="Order the visits by position; otherwise disorder is an error.")
    ] = False,
    input_format: Annotated[
        str | None, typer.Option("--input-format", help="Format of the input where its name does not tell.")
    ] = None,
    grid: Annotated[
        float | None,
        typer.Option("--grid", help="Read raw check-ins with coordinates, snapped to squares of this many metres."),
    ] = None,
    user: Annotated[str, typer.Option("--user", help="With --grid: column that names the person.")] = "user",
    time: Annotated[str, typer.Option("--time", help="With --grid: column with the time.")] = "time",
    lat: Annotated[str, typer.Option("--lat", help="With --grid: column with the latitude.")] = "lat",
    lon: Annotated[str, typer.Option("--lon", help="With --grid: column with the longitude.")] = "lon",
    one_per: Annotated[
        str,
        typer.Option("--one-per", help="With --grid: one trajectory per 'user', or per 'day' of each user."),
    ] = "user",
) -> Any:
    """Trajectories of a long table, of lists, or of raw check-ins snapped to a grid."""
    if grid is not None:
        if locations is not None:
            raise BadParameter("--grid makes its own locations; leave --locations out.")
        from crypsis.data.checkins import read_checkins

        return read_checkins(path, user=user, time=time, lat=lat, lon=lon, cell=grid, one_per=one_per)
    from crypsis.data.reading import read_locations, read_trajectories

    return read_trajectories(
        path,
        locations=None if locations is None else read_locations(locations),
        id=id,
        position=position,
        location=location,
        owner=owner,
        sort=sort,
        format=input_format,
    )
