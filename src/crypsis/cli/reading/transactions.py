"""Transactions from a file: a long table of items, JSON arrays, or FIMI and SPMF text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from crypsis.cli.reading import options
from crypsis.cli.reading.options import listed

PLURAL = "transactions"


def read(
    path: Path,
    *,
    id: options.Id = None,
    item: Annotated[
        str | None, typer.Option("--item", help="Transactions: column with one item a row (default: item).")
    ] = None,
    person: options.Person = None,
    each_row_is_a_person: options.EachRowIsAPerson = False,
    unite: Annotated[
        str | None,
        typer.Option("--unite", help="Transactions: 'person' makes one record of all records of a person."),
    ] = None,
    sensitive: options.Sensitive = None,
    for_method: Any = None,
    **how: Any,
) -> Any:
    """Sets of items; repeated items collapse."""
    from crypsis.data.reading import read_transactions

    return read_transactions(
        path,
        id=id,
        item=item,
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        unite=unite,
        sensitive=listed(sensitive),
        **how,
        for_method=for_method,
    )


def understood(data: Any, chosen: dict[str, Any]) -> dict[str, str]:
    """Which column names a record and which holds its items; in files of lists each line is a record."""
    if data.ids is None:
        return {"record": "each line"}
    return {"record": chosen.get("id") or "id", "item": chosen.get("item") or "item"}


def words_on(data: Any) -> str:
    """What was read."""
    repeated = f"; {data.collapsed:,} repeated items count once" if data.collapsed else ""
    people = f" of {data.people:,} people" if data.person is not None else ""
    kinds = f"{data.occurrences:,} items of {len(data.vocabulary):,} kinds"
    return f"{len(data):,} transactions{people} with {kinds}{repeated}"
