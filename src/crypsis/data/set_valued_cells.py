"""A column of a table whose cells are sets: lists of labels, or texts in which something separates them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from crypsis.arrays import offsets_of
from crypsis.data.transaction import Transactions
from crypsis.errors import BadLabel, BadParameter

LIST_LITERAL = r"^(?:\[[^\[\]{}]*\]|\{[^\[\]{}]*\})$"
_QUOTED = r"""\s*["']([^"',]*)["']\s*"""


def sets_of_cells(
    cells: pl.Series, separator: str | None, sensitive: Collection[str], source: str | None
) -> Transactions:
    """The set of each cell: a list of labels, or a text cut at the separator. An empty cell is an empty set."""
    if cells.dtype == pl.List(pl.Null):  # all sets are empty
        cells = cells.cast(pl.List(pl.String))
    if cells.dtype == pl.List(pl.String):
        lists = cells.fill_null(pl.lit([], dtype=pl.List(pl.String))) if cells.has_nulls() else cells
    elif cells.dtype == pl.String and separator:
        text = _bare(cells, separator)
        lists = text.str.split(separator)
        if separator.isspace():
            lists = lists.list.eval(pl.element().filter(pl.element() != ""))
        else:
            lists = lists.list.eval(pl.element().str.strip_chars())
            said = text != ""
            lists = pl.select(pl.when(said).then(lists).otherwise(pl.lit([], dtype=pl.List(pl.String)))).to_series()
    else:
        raise BadParameter(
            f"Column '{cells.name}' holds {cells.dtype}; give the separator of its items (text), or lists of text.",
            parameter="items",
        )
    offsets = offsets_of(lists.list.len().to_numpy().astype(np.int64))
    try:
        return Transactions.from_columns(offsets, lists.explode(empty_as_null=False), sensitive, source=source)
    except BadLabel as error:
        if "row" not in error.details and "line" not in error.details:
            raise
        raise BadLabel(error.message, where=f"{error.where}, column '{cells.name}'", column=cells.name) from None


def has_sound_sets(cells: pl.Series, separator: str | None) -> pl.Series:
    """Which cells hold a set without an empty item, each judged by itself."""
    if isinstance(cells.dtype, pl.List):
        labels = cells.list.eval(pl.element().is_null() | (pl.element().cast(pl.String).str.strip_chars() == ""))
        return ~labels.list.any().fill_null(False)
    if not separator:
        raise BadParameter(f"Column '{cells.name}' holds text; give the separator of its items.", parameter="items")
    text = _bare(cells, separator)
    if separator.isspace():
        return text.is_not_null()
    empty = text.str.split(separator).list.eval(pl.element().str.strip_chars() == "").list.any()
    return ~empty | (text == "")


def _bare(cells: pl.Series, separator: str) -> pl.Series:
    """The texts without the brackets that programs write around lists; each cell by itself.

    `['E11', 'I10']` and `{E11,"I10"}` are E11,I10.
    """
    text = cells.fill_null("").str.strip_chars()
    if separator != ",":
        return text
    literal = text.str.contains(LIST_LITERAL)
    if not literal.any():
        return text
    inside = text.str.slice(1).str.head(-1).str.strip_chars()
    return text.zip_with(~literal, inside.str.replace_all(_QUOTED, "$1"))
