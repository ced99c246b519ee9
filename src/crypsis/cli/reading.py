"""The options that say how a file of trajectories or tracks is read, given to every command that reads one."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.errors import BadParameter

Reader = Callable[..., Any]  # (path, kind of data to read; trajectories unless told)


_OWN = ("path", "kind")  # what the command itself says


def reads_trajectories(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the reading options; its parameter `read` becomes a function from a path to data."""
    options = inspect.signature(_read, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True).parameters
    shown = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own.values()]
    shown = [parameter for parameter in shown if parameter.name != "read"]
    shown += [parameter for parameter in options.values() if parameter.name not in _OWN]

    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options if name not in _OWN}
        command(read=partial(_read, **chosen), **given)

    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _read(
    path: Path,
    kind: type | None = None,
    *,
    locations: Annotated[
        Path | None,
        typer.Option("--locations", help="Location table: columns location, x, y, optionally sensitive."),
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="Sensitive locations: a file with one label a line, or a,b,c.")
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", help="Column that names the trajectory or track (default: trajectory_id).")
    ] = None,
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
    lat: Annotated[
        str | None, typer.Option("--lat", help="Tracks, or with --grid: column with the latitude (default: lat).")
    ] = None,
    lon: Annotated[
        str | None, typer.Option("--lon", help="Tracks, or with --grid: column with the longitude (default: lon).")
    ] = None,
    x: Annotated[str | None, typer.Option("--x", help="Tracks: column with the planar x coordinate.")] = None,
    y: Annotated[str | None, typer.Option("--y", help="Tracks: column with the planar y coordinate.")] = None,
    t: Annotated[str | None, typer.Option("--t", help="Tracks: column with the time.")] = None,
    crs: Annotated[
        str | None, typer.Option("--crs", help="Tracks: EPSG code to project degrees to (default: the UTM zone).")
    ] = None,
    repeated: Annotated[
        str, typer.Option("--repeated", help="Tracks: two fixes at one instant are an 'error', or keep the 'first'.")
    ] = "error",
    one_per: Annotated[
        str,
        typer.Option("--one-per", help="With --grid: one trajectory per 'user', or per 'day' of each user."),
    ] = "user",
) -> Any:
    """Trajectories of a long table, of lists, or of raw check-ins snapped to a grid; or tracks of fixes."""
    from crypsis.data.track import Tracks

    if kind is Tracks:
        from crypsis.data.reading import read_tracks

        return read_tracks(
            _files(path),
            id=id,
            x=x,
            y=y,
            t=t,
            lat=lat,
            lng=lon,
            owner=owner,
            crs=crs,
            sort=sort,
            repeated=repeated,
            format=input_format,
        )
    if grid is not None:
        if locations is not None:
            raise BadParameter("--grid makes its own locations; leave --locations out.")
        from crypsis.data.checkins import read_checkins

        snapped = read_checkins(
            path, user=user, time=time, lat=lat or "lat", lon=lon or "lon", cell=grid, one_per=one_per
        )
        return _with_sensitive(snapped, sensitive)
    from crypsis.data.reading import read_locations, read_trajectories

    data = read_trajectories(
        path,
        locations=None if locations is None else read_locations(locations),
        id=id or "trajectory_id",
        position=position,
        location=location,
        owner=owner,
        sort=sort,
        format=input_format,
    )
    return _with_sensitive(data, sensitive)


def _with_sensitive(data: Any, given: str | None) -> Any:
    """The data with the locations marked that a file lists line by line, or that are listed right here."""
    if given is None:
        return data
    text = Path(given).read_text(encoding="utf-8") if Path(given).is_file() else given.replace(",", "\n")
    labels = [line.strip() for line in text.splitlines() if line.strip()]
    return replace(data, locations=data.locations.marked(labels))


def _files(path: Path) -> Path | list[Path]:
    """The file itself, or every file of a folder in the order of their names: GeoLife has one for each track."""
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else path


def kind_of_input(manifest: dict[str, Any]) -> type | None:
    """The kind of data that a release was made from, as its method takes it."""
    from crypsis.methods import METHODS

    method = (manifest.get("method") or {}).get("name")
    return METHODS[method].accepts if method in METHODS else None


def words_on(data: Any) -> str:
    """What was read, in a few words."""
    if hasattr(data, "points"):
        return f"read {len(data):,} tracks with {data.points:,} fixes"
    return f"read {len(data):,} trajectories with {data.visits:,} visits to {int(data.occurring.sum()):,} locations"
