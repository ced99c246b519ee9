"""`crypsis query`: questions to a release, answered with bounds that the truth must lie between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import show, show_table
from crypsis.cli.settings import EVERY_COMMAND, SETTINGS
from crypsis.errors import BadQuery, NotApplicable

if TYPE_CHECKING:
    from crypsis.fuzzytime import FuzzyInterval
    from crypsis.query import Bounds, PublishedVisits
    from crypsis.release import Release

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
    from crypsis.errors import BadParameter
    from crypsis.fuzzytime.array import MODES
    from crypsis.query import presence_bounds

    if mode not in MODES:
        raise BadParameter(f"mode must be one of {', '.join(MODES)}, got {mode!r}.", parameter="mode")
    read, visits = _timed_visits(release)
    _show_bounds(presence_bounds(visits, _places(region), _period(read, period), mode), read)


@query_app.command("relation", epilog=EVERY_COMMAND)
def relation(
    release: Folder,
    region: Region,
    period: PeriodText,
    relation: Annotated[str, typer.Option("--relation", help="before, meets, overlaps, starts, during and so on.")],
) -> None:
    """Count who has a visit in a region that stands in one of Allen's relations to a period."""
    from crypsis.query import relation_bounds

    read, visits = _timed_visits(release)
    _show_bounds(relation_bounds(visits, _places(region), _period(read, period), relation), read)


@query_app.command("od", epilog=EVERY_COMMAND)
def origin_destination(
    release: Folder,
    origin: Annotated[str, typer.Option("--from", help="Places: a,b,c.")],
    destination: Annotated[str, typer.Option("--to", help="Places: a,b,c.")],
) -> None:
    """Count who went from one region to another, by the order of the visits."""
    from crypsis.query import od_bounds

    read, visits = _visits(release)
    _show_bounds(od_bounds(visits, _places(origin), _places(destination)), read)


@query_app.command("dwell", epilog=EVERY_COMMAND)
def dwell(release: Folder, region: Region, period: PeriodText) -> None:
    """Tell how long people were in a region between two instants, altogether."""
    from crypsis.query import dwell_bounds

    read, visits = _timed_visits(release)
    asked = _period(read, period)
    if asked.outer_start != asked.inner_start or asked.inner_end != asked.outer_end:
        raise BadQuery("The time spent in a region is asked for between two instants, not four.")
    found = dwell_bounds(visits, _places(region), asked.outer_start, asked.outer_end)
    least, greatest = float(found.least.sum()), float(found.greatest.sum())
    told = {"least_seconds": least, "greatest_seconds": greatest, "truthful": read.truthful, "complete": read.complete}
    beyond = "" if read.complete else ", not counting what was suppressed"
    show(told, f"at least {least / 3600:,.2f} hours, at most {greatest / 3600:,.2f} hours in all{beyond}")


@query_app.command("copresence", epilog=EVERY_COMMAND)
def copresence(release: Folder) -> None:
    """Count the pairs of trajectories that were at one place at one instant."""
    from crypsis.query import copresence_bounds

    read, visits = _timed_visits(release)
    found = copresence_bounds(visits)
    told = {
        "definite": len(found.definite),
        "possible": len(found.possible),
        "counts": "pairs of trajectories",
        "truthful": read.truthful,
        "complete": read.complete,
    }
    beyond = "" if read.complete else ", not counting what was suppressed"
    show(told, f"at least {len(found.definite):,}, at most {len(found.possible):,} pairs of trajectories{beyond}")


@query_app.command("count", epilog=EVERY_COMMAND)
def count(
    release: Folder,
    conditions: Annotated[
        list[str], typer.Argument(help="Such as 'age in [20:30]', 'city in {Rome, Oslo}', 'items all {a, b}'.")
    ],
) -> None:
    """Count the records of a table or of sets that satisfy all conditions: at least, at most, and as expected."""
    from crypsis._api import read_release

    found = read_release(release).count(" and ".join(conditions))
    show(found.to_json(), str(found))


@query_app.command("places", epilog=EVERY_COMMAND)
def places(release: Folder) -> None:
    """List the places of a release, which regions are made of, and in how many trajectories each can be."""
    import numpy as np

    from crypsis.query.bounds import bounds_of

    _, visits = _visits(release)
    rows = []
    for label in visits.cell_labels:
        found = bounds_of(visits, visits.per_person(np.asarray(visits.place_answers([label]))))
        rows.append((label, found.definite, found.possible))
    if SETTINGS.get().json:
        show({"places": [dict(zip(("place", "definite", "possible"), row, strict=True)) for row in rows]}, "")
        return
    show_table(("place", "at least", "at most"), rows)


def _visits(folder: Path) -> tuple[Release, PublishedVisits]:
    from crypsis._api import read_release
    from crypsis.query import visits_of

    read = read_release(folder)
    if not read.truthful:
        raise NotApplicable(
            "This release gives no bounds: its records are drawn, replaced or noisy, so none of them need be true of "
            "anybody. `crypsis measure` compares it with the original."
        )
    return read, visits_of(read.data, truthful=True, complete=read.complete)


def _timed_visits(folder: Path) -> tuple[Release, PublishedVisits]:
    read, visits = _visits(folder)
    if read.data.timed is None:
        raise NotApplicable(
            "This release tells the order of visits and no times. Anonymize with --times merge to publish times."
        )
    return read, visits


def _places(text: str) -> list[str]:
    from crypsis.cli.reading.column_options import listed

    places = listed(text)
    if not places:
        raise BadQuery(
            "A region is a list of places, such as home,park; none is named. `crypsis query places` lists them."
        )
    return places


def _period(read: Release, text: str) -> FuzzyInterval:
    from crypsis.data.timed_places import CYCLES
    from crypsis.query.periods import read_period

    timed = read.data.timed
    return read_period(text, clock=timed.clock, cycle=CYCLES[timed.cycle])


def _show_bounds(found: Bounds, read: Release) -> None:
    told: dict[str, Any] = {
        "definite": found.definite,
        "possible": found.possible,
        "counts": found.counts,
        "truthful": found.truthful,
        "complete": found.complete,
    }
    loss = read.figures().get("temporal_loss")
    words = str(found)
    if loss is not None:
        told["fuzziness"] = loss
        words += f"; fuzziness of times {loss:.2f}"
    show(told, words)
