"""Plot `generalized_frequency`: how many records carry each published value of a column, in the column's order."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.data.microdata import ITEMS
from crypsis.data.transaction import PublishedTransactions, printed
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.evaluate.plots.cell_order import ordered_cells
from crypsis.translation import _
from crypsis.translation.wording import counted


def generalized_frequency(published: Any, column: str | None = None) -> Frame:
    """Records per published value; of items, records per published symbol, in the order of their labels."""
    table, sets = published.table_part, published.set_part
    if sets is not None and (table is None or column in (None, published.column)):
        return _of_items(sets, str(column or getattr(published, "column", ITEMS)))
    if table is None:
        raise NotApplicable(
            f"Generalized values are those of a published table or of published items, got {type(published).__name__}."
        )
    if column is None:
        raise NotApplicable(f"A table has several columns; name one of {', '.join(table.names)}.")
    chosen = table.column(column)
    counts = np.bincount(chosen.codes, minlength=len(chosen.cells))
    order = [index for index in ordered_cells(chosen) if counts[index]]
    texts = chosen.cells.texts
    return _frame([texts[index] for index in order], counts[order], column)


def _of_items(published: PublishedTransactions, column: str) -> Frame:
    counts = np.bincount(published.codes, minlength=len(published.symbols))
    order = [int(symbol) for symbol in np.argsort(published.symbols.rank) if counts[symbol]]
    lists = published.symbols.label_lists
    names = [published.symbol_names[one] if published.names is not None else _short(lists[one]) for one in order]
    return _frame(names, counts[order], column)


def _short(labels: tuple[str, ...]) -> str:
    """A merged item on a screen."""
    return labels[0] if len(labels) == 1 else printed(labels)


def _frame(names: list[str], counts: Any, column: str) -> Frame:
    table = pl.DataFrame({"published": pl.Series(names, dtype=pl.String), "count": pl.Series(counts, dtype=pl.Int64)})
    values = counted(table.height, "published value")
    return Frame(
        "generalized_frequency",
        _("Published values of {column}", column=column),
        table,
        (Panel("bars", Axis("published", column, "category"), Axis("count", _("records"))),),
        note=_("{values}. * is any value, ? a missing one, ~ a suppressed one.", values=values)
        if {"*", "?", "~"} & set(names)
        else f"{values}.",
        empty=_("Nothing is published of {column}.", column=column),
    )
