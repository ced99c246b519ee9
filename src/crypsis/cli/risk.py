"""`crypsis data risk`: how surely people can be picked out of a table, before it is anonymized and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crypsis.cli.output import show, show_table
from crypsis.cli.person_question import note_person
from crypsis.cli.reading import Reader, ReadingCommand
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import OnParts, WhereToRun, at_work, refuse_without_parts
from crypsis.errors import BadParameter, OptionWithoutEffect

if TYPE_CHECKING:
    from crypsis.attacks.table_risk import TableRisk


class RiskCommand(ReadingCommand):
    """Reads a table by what others may know of people."""

    wanted = ("quasi", "person", "missing")
    shapes = False  # what is looked at is the table as it stands


@dataclass(frozen=True, kw_only=True)
class Risk(OnParts):
    """Show how surely people can be picked out of a table by what others may know of them.

    Counts records, and people with --person.
    Prosecutor: knows that the victim is in the table. Journalist: does not. Marketer: links everybody and counts hits.
    Shows aggregates only, never whose risk it is. With --executor a release in parts is not read into memory.
    """

    read: Reader
    input: Annotated[Path, typer.Argument(help="A table, as collected or published by anybody, or a release folder.")]
    after: Annotated[Path | None, "A release of this table, whose risks are shown for comparison."] = None
    share: Annotated[float, "Share of the population that is in the table, for the journalist's risk."] = 1.0
    limit: Annotated[float, "Largest risk that is acceptable."] = 0.2
    sets: Annotated[int, "Look at all sets of up to so many columns: what do they tell apart?"] = 1

    def execute(self) -> None:
        from crypsis.attacks.table_risk import table_risk
        from crypsis.cli.reading.column_options import listed
        from crypsis.data.relational import PublishedTable

        columns, person = listed(self.read.typed["quasi"]) or None, self.read.typed["person"]
        settings: dict[str, Any] = {"share": self.share, "limit": self.limit, "sets": self.sets, "quasi": columns}
        where = WhereToRun.of(self)
        if self.executor is None:
            refuse_without_parts(where)
        if self.input.is_dir():
            if person is not None:
                raise OptionWithoutEffect(
                    "--person is for a table as collected; a release does not tell whose records."
                )
            self.read.typed.but("quasi").refuse_all("a release is read as it says itself")
            if self.after is not None:
                raise BadParameter("--after is for a table as collected; a release has been anonymized already.")
            if self.executor is None:
                risks = [table_risk(_released(self.input), **settings)]
            else:
                risks = [_risk_of_parts(self.input, where, settings)]
        elif self.executor is not None:
            raise OptionWithoutEffect(
                "--executor is for a release folder in parts; a table is read into memory.", parameter="executor"
            )
        else:
            table = self.read(self.input, PublishedTable)
            risks = [table_risk(table, **settings)]
            if person is None:
                note_person(self.read.typed.frame(self.input)[0])
            if self.after is not None:
                risks.append(table_risk(_released(self.after), **settings))
        if SETTINGS.get().json:
            described = [risk.to_dict() for risk in risks]
            show(described[0] if self.after is None else {"before": described[0], "after": described[1]}, "")
            return
        headings = ("before", "after") if self.after is not None else ("value",)
        _show(risks, headings, self.input.name)


def _risk_of_parts(folder: Path, where: WhereToRun, settings: dict[str, Any]) -> TableRisk:
    from crypsis.parts_attack import risk_of_release_parts

    with at_work(where) as (executor, _):
        return risk_of_release_parts(folder, executor, **settings)


def _released(folder: Path) -> Any:
    from crypsis import _api

    return _api.read_release(folder).data


def _show(risks: list[TableRisk], headings: tuple[str, ...], name: str) -> None:
    figures: list[tuple[str, list[object]]] = [
        ("records", [risk.records for risk in risks]),
        ("suppressed records", [risk.suppressed for risk in risks]),
        ("classes", [risk.classes for risk in risks]),
        ("smallest class", [risk.smallest_class for risk in risks]),
        ("prosecutor: highest risk", [risk.prosecutor.highest for risk in risks]),
        ("prosecutor: mean risk", [risk.prosecutor.mean for risk in risks]),
        (f"prosecutor: share above {risks[0].limit:g}", [risk.prosecutor.share_above for risk in risks]),
        ("journalist: highest risk", [risk.journalist.highest for risk in risks]),
        ("journalist: mean risk", [risk.journalist.mean for risk in risks]),
        (f"journalist: share above {risks[0].limit:g}", [risk.journalist.share_above for risk in risks]),
        ("marketer: expected share of hits", [risk.marketer for risk in risks]),
        ("unique in the table", [risk.unique_share for risk in risks]),
        ("expected unique in the population", [risk.population_unique_share for risk in risks]),
    ]
    if any(risk.people is not None for risk in risks):
        figures.insert(1, ("people", [risk.people for risk in risks]))
    for size in risks[0].class_sizes():
        counts = [risk.class_sizes()[size]["records"] for risk in risks]
        if any(counts):
            figures.append((f"records in classes of {size}", list(counts)))
    known = ", ".join(risks[0].quasi)
    show_table(("risk", *headings), [(what, *values) for what, values in figures], f"{name}: known are {known}")
    rows: list[tuple[object, ...]] = []
    for places in zip(*(risk.attributes for risk in risks), strict=True):
        row: list[object] = [" + ".join(places[0].columns)]
        for place in places:
            row += [place.distinct, place.distinction, place.separation]
        rows.append(tuple(row))
    columns = [f"{what}{f' {when}' if len(risks) > 1 else ''}" for when in headings for what in _COLUMNS]
    show_table(("columns", *columns), rows, "What columns tell apart")


_COLUMNS = ("distinct", "distinction", "separation")
