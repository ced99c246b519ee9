"""Plot `before_after`: how the values of one column are distributed in the original and in the release.

Numbers and dates as two histograms over the same bins, categories and items as pairs of bars, the most frequent first.
A published value is spread evenly over the original values that it covers, as in `value_difference`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Float64s
from crypsis.data.formats.columns import unknown_column
from crypsis.data.microdata import ITEMS
from crypsis.data.relational import Column, Table
from crypsis.data.transaction import Transactions
from crypsis.drawing.bin_widths import numeric_bins
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.metrics.expected_values import expected_values
from crypsis.metrics.item_frequencies import expected_frequencies
from crypsis.translation import _, marked
from crypsis.translation.wording import counted

MOST_NAMES = 20
BEFORE, AFTER = marked("before"), marked("after")
_SPREAD = marked("A published value is spread evenly over the values that it covers.")


def before_after(original: Any, published: Any, column: str | None = None) -> Frame:
    """Records per value, before and after; of items, records that hold each item."""
    table, released = original.table_part, published.table_part
    if table is not None and released is not None and column in table.names:
        return _of_column(table.column(column), expected_values(table.column(column), released.column(column)))
    sets = original.set_part
    name = str(getattr(original, "column", ITEMS))
    if sets is not None and column in (None, name, ITEMS):
        after = published if published.set_part is None else published.set_part
        return _of_items(sets, expected_frequencies(sets, after), name)
    if table is not None:
        raise unknown_column(str(column), table.names)
    raise NotApplicable(
        f"A column or items are compared before and after, got {type(original).__name__} and "
        f"{type(published).__name__}."
    )


def comparable_columns(original: Any, published: Any) -> list[str]:
    """What `before_after` can show: published columns and the column of items, quasi-identifiers first."""
    names: list[str] = []
    table, released = original.table_part, published.table_part
    if table is not None and released is not None:
        names += sorted((name for name in table.names if name in released.names), key=_unlike_quasi(table))
    if original.set_part is not None:
        names.append(str(getattr(original, "column", ITEMS)))
    return names


def _unlike_quasi(table: Table) -> Any:
    quasi = {column.name for column in table.with_role("quasi")}
    return lambda name: name not in quasi


def _of_column(before: Column, expected: Float64s) -> Frame:
    counts = np.bincount(before.codes[before.codes >= 0], minlength=len(before.domain)).astype(np.float64)
    if before.type == "category":
        return _pairs(before.domain.cast(pl.String), counts, expected, before.name)
    return _overlaid(before, counts, expected)


def _of_items(before: Transactions, expected: Float64s, name: str) -> Frame:
    return _pairs(before.vocabulary.series.cast(pl.String), before.supports.astype(np.float64), expected, name)


def _pairs(names: pl.Series, counts: Float64s, expected: Float64s, column: str) -> Frame:
    """Bars side by side, by falling count before; equal ones by name."""
    wide = pl.DataFrame({"value": names, BEFORE: counts, AFTER: np.round(expected, 1)})
    wide = wide.filter((pl.col(BEFORE) > 0) | (pl.col(AFTER) > 0)).sort([BEFORE, "value"], descending=[True, False])
    shown = wide.head(MOST_NAMES)
    data = shown.unpivot([BEFORE, AFTER], index="value", variable_name="series", value_name="records")
    data = data.with_columns(pl.col("series").replace({BEFORE: _(BEFORE), AFTER: _(AFTER)}))
    note = counted(wide.height, "value")
    note += (
        _(", the {most_names} most frequent are shown. ", most_names=MOST_NAMES) if wide.height > MOST_NAMES else ". "
    )
    panel = Panel(
        "bars",
        Axis("value", column, "category"),
        Axis("records", _("records")),
        series="series",
        order=(_(BEFORE), _(AFTER)),
    )
    return Frame("before_after", _title(column), data, (panel,), note=note + _(_SPREAD), empty=_empty(column))


def _overlaid(before: Column, counts: Float64s, expected: Float64s) -> Frame:
    """Two histograms over the same bins."""
    keys = before.keys
    panel = Panel(
        "overlaid",
        Axis("from", before.name),
        Axis("records", _("records")),
        series="series",
        end="to",
        order=(_(BEFORE), _(AFTER)),
    )
    if not counts.any():
        schema = {"from": pl.Float64, "to": pl.Float64, "series": pl.String, "records": pl.Float64}
        nothing = pl.DataFrame(schema=schema)
        return Frame("before_after", _title(before.name), nothing, (panel,), empty=_empty(before.name))
    edges = numeric_bins(np.repeat(keys.astype(np.float64), counts.astype(np.int64)), before.type != "float")
    bounds = _bounds(edges, before.type)
    parts = []
    for name, weights in ((BEFORE, counts), (AFTER, expected)):
        heights = np.round(np.histogram(keys, edges, weights=weights)[0], 1)
        parts.append(
            pl.DataFrame(
                {
                    "from": bounds[:-1],
                    "to": bounds[1:],
                    "series": [_(name)] * len(heights),
                    "records": heights,
                }
            )
        )
    return Frame(
        "before_after", _title(before.name), pl.concat(parts), (panel,), note=_(_SPREAD), empty=_empty(before.name)
    )


def _bounds(edges: Float64s, type: str) -> pl.Series:
    if type == "float":
        return pl.Series(edges, dtype=pl.Float64)
    whole = pl.Series(edges.astype(np.int64), dtype=pl.Int64)
    if type == "date":
        return whole.cast(pl.Int32).cast(pl.Date)
    return whole.cast(pl.Datetime("us")) if type == "timestamp" else whole


def _title(column: str) -> str:
    return _("{column} before and after", column=column)


def _empty(column: str) -> str:
    return _("There are no values in {column}.", column=column)
