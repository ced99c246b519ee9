"""`crypsis scan`: look at data in parts without reading them into memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from crypsis.cli.output import show, show_table
from crypsis.cli.reading import Reader
from crypsis.cli.reading.input_place import Place
from crypsis.cli.settings import SETTINGS
from crypsis.cli.where_to_run import OnParts, WhereToRun, at_work
from crypsis.wording import counted

if TYPE_CHECKING:
    from crypsis.evaluate.scanned_facts import ScannedFacts


class ScannedKind(StrEnum):
    """Kinds of data that are worked on in parts."""

    TABLE = "table"
    MIXED = "mixed"
    TRANSACTIONS = "transactions"
    TRAJECTORIES = "trajectories"
    TRACKS = "tracks"
    EVENTS = "events"


@dataclass(frozen=True, kw_only=True)
class Scan(OnParts):
    """Count what data in parts hold, in bounded memory, and show which methods work on them and how.

    The input is a file, a folder or a pattern such as 'parts/*.parquet'. Shows numbers of records, distinct values and
    missing values, of columns also how many combinations of quasi-identifiers there are; never a record. The records of
    a log of events are its people.
    """

    read: Reader
    input: Annotated[
        Place,
        typer.Argument(parser=Place.named, help="A file, a folder of parts, or a pattern in quotes; or an address."),
    ]
    kind: Annotated[ScannedKind, "Kind of data."] = ScannedKind.TABLE

    def execute(self) -> None:
        from crypsis.data.sources import SOURCES
        from crypsis.evaluate.scanned_facts import facts_of
        from crypsis.run_context import RunContext

        scanned = self.read.typed.scan(self.input.files, SOURCES[self.kind])
        with at_work(WhereToRun.of(self)) as (executor, listener):
            facts = facts_of(scanned, executor, RunContext(listener))
        if SETTINGS.get().json:
            show(facts.to_dict(), "")
        else:
            _show(facts)


def _show(facts: ScannedFacts) -> None:
    from crypsis.evaluate.scanned_facts import MOST_ROWS

    print(f"{facts.kind}: {counted(facts.records, 'record')} in {counted(facts.files, 'file')}")
    if facts.columns:
        headings = ("column", "role", "type", "distinct values", "missing")
        show_table(
            headings,
            [[column.name, column.role, column.type, column.values, column.missing] for column in facts.columns],
        )
    if facts.distinct_rows is not None:
        print(f"{counted(facts.distinct_rows, 'combination')} of quasi-identifiers")
    if facts.has_too_many_rows:
        print(f"more than the {MOST_ROWS:,} that a method can search; use fewer quasi-identifiers, or Mondrian")
    if facts.labels is not None:
        print(f"{facts.labels:,} different labels, {facts.values:,} in all; longest record {facts.longest:,}", end="")
        print(f", {facts.empty:,} empty" if facts.empty else "")
    elif facts.values is not None:
        print(f"{facts.values:,} fixes in all; longest track {facts.longest:,}")
    rows = [[name, mode, release] for name, (mode, release) in facts.methods.items()]
    show_table(("method", "on parts", "release of many records"), rows)
