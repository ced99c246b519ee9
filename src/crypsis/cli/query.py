"""`crypsis query`: questions to a release, answered with bounds that the truth must lie between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.command import Group
from crypsis.cli.output import show, show_table
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS

if TYPE_CHECKING:
    from crypsis.query.questions import Answer

query_app = Group("Questions to a release: at least so many, at most so many.")
Folder = Annotated[Path, typer.Argument(help="A release folder.")]
_PLACES = "Places, a,b,c; or nodes of the taxonomy of places, node:NAME; or the file of a list, one a line."
Region = Annotated[str, typer.Option("--region", help=_PLACES)]
Tree = Annotated[
    str | None,
    typer.Option("--taxonomy", help="The taxonomy of places, where the release has none: a file of child, parent."),
]
PeriodText = Annotated[
    str,
    typer.Option("--period", help="Two instants (2024-03-01T08:00/10:00), or four where its ends are not exact; UTC."),
]


@query_app.command("presence", epilog=EVERY_COMMAND)
def presence(
    release: Folder,
    region: Region,
    period: PeriodText,
    mode: Annotated[str, "sometime, throughout or within the period."] = "sometime",
    taxonomy: Tree = None,
) -> None:
    """Count who was in a region sometime in a period, throughout it, or within it only."""
    _show(_answer(release, "presence", taxonomy, region=_listed(region), period=period, mode=mode))


@query_app.command("relation", epilog=EVERY_COMMAND)
def relation(
    release: Folder,
    region: Region,
    period: PeriodText,
    relation: Annotated[str, "before, meets, overlaps, starts, during and so on."],
    taxonomy: Tree = None,
) -> None:
    """Count who has a visit in a region that stands in one of Allen's relations to a period."""
    _show(_answer(release, "relation", taxonomy, region=_listed(region), period=period, relation=relation))


@query_app.command("od", epilog=EVERY_COMMAND)
def origin_destination(
    release: Folder,
    origin: Annotated[str, typer.Option("--from", help=_PLACES)],
    destination: Annotated[str, typer.Option("--to", help=_PLACES)],
    taxonomy: Tree = None,
) -> None:
    """Count who went from one region to another, by the order of the visits."""
    _show(_answer(release, "od", taxonomy, origin=_listed(origin), destination=_listed(destination)))


@query_app.command("dwell", epilog=EVERY_COMMAND)
def dwell(release: Folder, region: Region, period: PeriodText, taxonomy: Tree = None) -> None:
    """Tell how long people were in a region in a period, altogether."""
    _show(_answer(release, "dwell", taxonomy, region=_listed(region), period=period))


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
def places(release: Folder, taxonomy: Tree = None) -> None:
    """List the places of a release, which regions are made of, and in how many trajectories each can be."""
    answer = _answer(release, "places", taxonomy)
    if SETTINGS.get().json:
        _show(answer)
        return
    show_table(("place", "at least", "at most"), [tuple(row.values()) for row in answer.content["places"]])
    if answer.content["nodes"]:
        show_table(("node", "places"), [(f"node:{row['node']}", row["places"]) for row in answer.content["nodes"]])


def _answer(folder: Path, kind: str, taxonomy: str | None = None, **asked: Any) -> Answer:
    from crypsis._api import read_release
    from crypsis.errors import OptionWithoutEffect
    from crypsis.query.questions import Question, ask

    question = Question(kind=kind, **asked)
    tree = None
    if taxonomy is not None:
        from crypsis.hierarchy import Taxonomy

        tree = Taxonomy.from_file(taxonomy)
        if kind != "places" and not question.names_nodes:
            raise OptionWithoutEffect("taxonomy='FILE' names regions by its nodes, node:NAME, and none is asked for.")
    return ask(read_release(folder), question, tree)


def _show(answer: Answer) -> None:
    show(answer.content, f"{answer.words}\n{answer.facts}" if answer.facts else answer.words)


def _listed(text: str) -> tuple[str, ...]:
    from crypsis.cli.reading.column_options import listed

    return tuple(listed(text))
