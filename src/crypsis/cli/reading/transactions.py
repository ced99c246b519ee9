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
    sensitive: options.Sensitive = None,
    input_format: options.InputFormat = None,
    separator: options.Separator = None,
) -> Any:
    """Sets of items; repeated items collapse."""
    from crypsis.data.reading import read_transactions

    return read_transactions(
        path,
        id=id or "id",
        item=item or "item",
        sensitive=listed(sensitive),
        format=input_format,
        separator=separator,
    )


def words_on(data: Any) -> str:
    """What was read."""
    repeated = f"; {data.collapsed:,} repeated items count once" if data.collapsed else ""
    return f"{len(data):,} transactions with {data.occurrences:,} items of {len(data.vocabulary):,} kinds{repeated}"
