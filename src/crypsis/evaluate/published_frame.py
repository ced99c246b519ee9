"""Published data of every kind as one table of texts, to look at and to export, and which of its cells differ.

Rows come as they are given: in a store in the order of the input, in an export sorted.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.values import write_value
from crypsis.data.windows import PublishedWindows

ITEMS, VISITS = "items", "visits"


def published_frame(data: Any) -> pl.DataFrame:
    """One row per record, transaction, trajectory or person of a window; sets and sequences as JSON arrays."""
    if isinstance(data, (PublishedTable, PublishedMixed)):
        return data.to_frame()
    if isinstance(data, PublishedTransactions):
        return pl.DataFrame({ITEMS: _arrays(data.to_lists())}, schema={ITEMS: pl.String})
    if isinstance(data, PublishedTrajectories):
        return pl.DataFrame({VISITS: _arrays(data.to_lists())}, schema={VISITS: pl.String})
    if isinstance(data, DisassociatedTransactions):
        from crypsis.data.formats.disassociated_table import disassociated_table

        return disassociated_table(data).cast(pl.String)
    if isinstance(data, PublishedWindows):
        rows = [
            {"window": str(number), VISITS: json.dumps(row, ensure_ascii=False)}
            for number, window in enumerate(data)
            for row in data.rows(window)
        ]
        return pl.DataFrame(rows, schema={"window": pl.String, VISITS: pl.String})
    if hasattr(data, "to_frame"):
        return data.to_frame().cast(pl.String)  # type: ignore[no-any-return]
    return pl.DataFrame({"published": [str(data)]})


def original_frame(data: Any) -> pl.DataFrame | None:
    """The original in the same form; None where it has no rows that could be put beside published ones."""
    if isinstance(data, Mixed):
        items = pl.Series(data.column, _arrays(data.transactions.to_lists()), dtype=pl.String)
        return _texts(data.table).with_columns(items)
    if isinstance(data, Table):
        return _texts(data)
    if isinstance(data, Transactions):
        return pl.DataFrame({ITEMS: _arrays(data.to_lists())}, schema={ITEMS: pl.String})
    if isinstance(data, Trajectories):
        return pl.DataFrame({VISITS: _arrays(data.to_lists())}, schema={VISITS: pl.String})
    return None


def output_page(original: Any, published: Any, start: int = 0, count: int = 1000) -> dict[str, Any]:
    """Some rows of what is published, in the order of the input, and which of their cells differ from the original.

    `changed` is None where rows cannot be put side by side: pieces of records, or not as many rows as before.
    """
    shown, before = published_frame(published), original_frame(original)
    page = shown.slice(start, count)
    comparable = before is not None and before.height == shown.height
    changed: list[list[bool]] | None = None
    if comparable and before is not None:
        old = before.slice(start, count)
        flags = [
            (page[name] != old[name]).fill_null(True).to_list() if name in old.columns else [False] * page.height
            for name in page.columns
        ]
        changed = [list(row) for row in zip(*flags, strict=True)] if flags else []
    return {
        "columns": shown.columns,
        "total": shown.height,
        "start": start,
        "rows": [list(row) for row in page.rows()],
        "changed": changed,
    }


def _texts(table: Table) -> pl.DataFrame:
    """Every cell as it would be published if it were kept: `?` where it is missing."""
    columns = []
    for column in table.columns:
        words = pl.Series([write_value(value) for value in column.domain.to_list()], dtype=pl.String)
        codes = pl.Series(column.codes)
        columns.append(words.gather(codes.set(codes < 0, None)).fill_null("?").alias(column.name))
    return pl.DataFrame(columns)


def _arrays(rows: list[Any]) -> list[str]:
    return [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
