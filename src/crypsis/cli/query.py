"""`crypsis query`: questions to a release, answered with bounds that the truth must lie between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import show, show_table
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS

if TYPE_CHECKING:
    from crypsis.query.questions import Answer

query_app = typer.Typer(
    help="Questions to a release: at least so many, at most so many.", no_args_is_help=True, rich_markup_mode=None
)
Folder = Annotated[Path, typer.Argument(help="A release folder.")]
Region = Annotated[str, typer.Option("--region", help="Places, a,b,c; or the file of a list, one label a line.")]
PeriodText = Annotated[
    str, typer.Option("--period", help="Two instants (2024-03-01T08:00/10:00), or four where its ends are not exact.")
]


@query_app.command("presence", epilog=EVERY_COMMAND)
def presence(
    release: Folder,
    region: Region,
    period: PeriodText,
    mode: Annotated[str, typer.Option("--mode", help="sometime, throughout or within the period.")] = "sometime",
) -> None:
    """Count who was in a region sometime in a period, throughout it, or within it only."""
    _show(_answer(release, "presence", region=_listed(region), period=period, mode=mode))


@query_app.command("relation", epilog=EVERY_COMMAND)
def relation(
    release: Folder,
    region: Region,
    period: PeriodText,
    relation: Annotated[str, typer.Option("--relation", help="before, meets, overlaps, starts, during and so on.")],
) -> None:
    """Count who has a visit in a region that stands in one of Allen's relations to a period."""
    _show(_answer(release, "relation", region=_listed(region), period=period, relation=relation))


@query_app.command("od", epilog=EVERY_COMMAND)
def origin_destination(
    release: Folder,
    origin: Annotated[str, typer.Option("--from", help="Places: a,b,c.")],
    destination: Annotated[str, typer.Option("--to", help="Places: a,b,c.")],
) -> None:
    """Count who went from one region to another, by the order of the visits."""
    _show(_answer(release, "od", origin=_listed(origin), destination=_listed(destination)))


@query_app.command("dwell", epilog=EVERY_COMMAND)
def dwell(release: Folder, region: Region, period: PeriodText) -> None:
    """Tell how long people were in a region between two instants, altogether."""
    _show(_answer(release, "dwell", region=_listed(region), period=period))


@query_app.command("copresence", epilog=EVERY_COMMAND)
def copresence(release: Folder) -> None:
    """Count the pairs of trajectories that were at one place at one instant."""
    _show(_answer(release, "copresence"))


@query_app.command("count", epilog=EVERY_COMMAND)
def count(
    release: Folder,
    conditions: Annotated[
        list[str], typer.Argument(help="Such as 'age in [20:30]', 'city in {Rome, Oslo}', 'items all {a, b}'.")
    ],
) -> None:
    """Count the records of a table or of sets that satisfy all conditions: at least, at most, and as expected."""
    _show(_answer(release, "count", conditions=tuple(conditions)))


@query_app.command("places", epilog=EVERY_COMMAND)
def places(release: Folder) -> None:
    """List the places of a release, which regions are made of, and in how many trajectories each can be."""
    found = _answer(release, "places")
    if SETTINGS.get().json:
        _show(found)
        return
    show_table(("place", "at least", "at most"), [tuple(row.values()) for row in found.content["places"]])


def _answer(folder: Path, kind: str, **asked: Any) -> Answer:
    from crypsis._api import read_release
    from crypsis.query.questions import Question, ask

    question = Question(kind=kind, **asked)
    return ask(read_release(folder), question)


def _show(found: Answer) -> None:
    show(found.content, found.words)


def _listed(text: str) -> tuple[str, ...]:
    from crypsis.cli.reading.column_options import listed

    return tuple(listed(text))
