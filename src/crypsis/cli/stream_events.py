"""`crypsis stream generate` and `crypsis stream convert`: files of events, made up or from recorded movements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.cli.command import Command
from crypsis.cli.output import show
from crypsis.errors import BadParameter, OutputExists

if TYPE_CHECKING:
    from crypsis.data.stream import Events

_OUT = typer.Option("--out", help="File to write, .csv; a stream reads it as source csv or replay.")
_OVERWRITE = typer.Option("--overwrite", help="Replace a file that exists.")


@dataclass(frozen=True, kw_only=True)
class Generate(Command):
    """Make up the stream of a metro: who is at which station in which minute, and the fare."""

    out: Annotated[Path, _OUT]
    passengers: Annotated[int, typer.Option("--passengers", min=1, help="People.")] = 100_000
    stations: Annotated[int, typer.Option("--stations", min=3, help="Stations.")] = 65
    lines: Annotated[int, typer.Option("--lines", min=1, help="Lines, which cross in one station.")] = 4
    minutes: Annotated[int, typer.Option("--minutes", min=1, help="Timestamps.")] = 60
    mean_stops: Annotated[float, typer.Option("--mean-stops", min=1, help="Stations of a ride, on average.")] = 8.0
    flows: Annotated[str | None, "How many board at each station: weights with commas between them."] = None
    concessions: Annotated[
        float, typer.Option("--concessions", min=0, max=1, help="Share of people with the sensitive fare.")
    ] = 0.1
    seed: Annotated[int, "Seed of the generator."] = 1
    overwrite: Annotated[bool, _OVERWRITE] = False

    def execute(self) -> None:
        from crypsis.samples.metro_flow import metro_flow

        _check(self.out, self.overwrite)
        weights = None
        if self.flows is not None:
            try:
                weights = [float(weight) for weight in self.flows.split(",")]
            except ValueError as error:
                raise BadParameter(f"--flows must be numbers with commas between them, got {self.flows!r}.") from error
        events = metro_flow(
            self.passengers,
            self.seed,
            stations=self.stations,
            lines=self.lines,
            minutes=self.minutes,
            mean_stops=self.mean_stops,
            flows=weights,
            concessions=self.concessions,
        )
        _write(events, self.out)


@dataclass(frozen=True, kw_only=True)
class Convert(Command):
    """Turn recorded movements into events: sequences one visit per timestamp, trips by their two ends."""

    file: Annotated[Path, typer.Argument(help="Sequences of visits, or with --start and --end a table of trips.")]
    out: Annotated[Path, _OUT]
    longest: Annotated[
        int | None, typer.Option("--longest", min=1, help="Sequences: visits after this one are left out.")
    ] = None
    id: Annotated[str | None, "Trips: column of the person or vehicle."] = None
    start: Annotated[str | None, "Trips: column of the place where it begins."] = None
    start_time: Annotated[str | None, "Trips: column of when it begins."] = None
    end: Annotated[str | None, "Trips: column of the place where it ends."] = None
    end_time: Annotated[str | None, "Trips: column of when it ends."] = None
    sensitive: Annotated[str | None, "Trips: column of the sensitive value."] = None
    unit: Annotated[str, "Trips: length of a timestamp, such as min or h."] = "min"
    overwrite: Annotated[bool, _OVERWRITE] = False

    def execute(self) -> None:
        from crypsis.data.formats.tabular import read_table_file
        from crypsis.data.reading import read_trajectories
        from crypsis.data.replay import events_from_trajectories, events_from_trips

        _check(self.out, self.overwrite)
        ends = {
            "--id": self.id,
            "--start": self.start,
            "--start-time": self.start_time,
            "--end": self.end,
            "--end-time": self.end_time,
        }
        if not any(ends.values()):
            _write(events_from_trajectories(read_trajectories(self.file), longest=self.longest), self.out)
            return
        if (
            self.id is None
            or self.start is None
            or self.start_time is None
            or self.end is None
            or self.end_time is None
        ):
            missing = ", ".join(name for name, given in ends.items() if given is None)
            raise BadParameter(f"A table of trips needs {', '.join(ends)}; {missing} was not given.")
        events = events_from_trips(
            read_table_file(self.file)[0],
            id=self.id,
            start=self.start,
            start_time=self.start_time,
            end=self.end,
            end_time=self.end_time,
            sensitive=[] if self.sensitive is None else [self.sensitive],
            unit=self.unit,
        )
        _write(events, self.out)


def _check(out: Path, overwrite: bool) -> None:
    if out.suffix.lower() != ".csv":
        raise BadParameter(f"Events are written as .csv, got {out.name!r}.")
    if out.exists() and not overwrite:
        raise OutputExists(f"{out} exists already; choose another file or add --overwrite.")


def _write(events: Events, out: Path) -> None:
    """The columns of a stream: id, loc, t and, where there is one, the sensitive value."""
    from crypsis.atomic import write_file

    names = {"location": "loc", **{part.name: "sa" for part in events.sensitive}}
    write_file(out, events.to_frame().rename(names).write_csv().encode())
    content = {
        "file": str(out),
        "events": len(events),
        "people": len(events.people),
        "locations": len(events.locations),
        "first": int(events.t.min()) if len(events) else None,
        "last": int(events.t.max()) if len(events) else None,
    }
    words = f"{len(events):,} events of {len(events.people):,} people at {len(events.locations):,} places"
    show(content, f"wrote {out}: {words}, t = {content['first']} to {content['last']}")
