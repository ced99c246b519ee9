"""Plot `histogram`: how the values of one column are distributed.

Numbers and dates in bins of the Freedman-Diaconis width, at most 100 of them; categories by frequency, items by
support, the 50 most frequent and all others together.

Freedman, Diaconis. On the histogram as a density estimator. Zeitschrift fuer Wahrscheinlichkeitstheorie 57, 1981.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s
from crypsis.data.formats.columns import unknown_column
from crypsis.data.microdata import ITEMS
from crypsis.data.relational import Column, Table
from crypsis.data.stream import Events
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.drawing.bin_widths import numeric_bins
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import NotApplicable
from crypsis.translation import _
from crypsis.translation.wording import counted

MOST_NAMES = 50
_RECORDS = ("record", "records")


def histogram(data: Any, column: str | None = None) -> Frame:
    """The distribution of a column; of items or locations, where the data hold one such column, without a name."""
    table, sets = data.table_part, data.set_part
    if table is not None and (sets is None or column in table.names):
        return _of_column(_chosen(table, column))
    if table is not None:
        columns = {data.column: sets, **data.split()}
        if column is not None and column not in columns:
            raise unknown_column(column, (*table.names, *columns))
        return _of_items(columns[column or data.column], column or data.column)
    if sets is not None:
        return _of_items(sets, column or ITEMS)
    if isinstance(data, Trajectories):
        return _by_name(data.locations.vocabulary.series, _visitors(data), "location", ("trajectory", "trajectories"))
    if isinstance(data, Events):
        return _of_labels(data.to_frame(), column or "location")
    raise NotApplicable(f"A histogram shows a column of a table, items or locations, got {type(data).__name__}.")


def _chosen(table: Table, column: str | None) -> Column:
    if column is None:
        raise NotApplicable(f"A table has several columns; name one of {', '.join(table.names)}.")
    return table.column(column)


def _of_column(column: Column) -> Frame:
    if column.type == "category":
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain))
        return _by_name(column.domain, counts, column.name, _RECORDS, missing=column.missing)
    known = column.codes[column.codes >= 0]
    table = _binned(column, known)
    timely = column.type in ("date", "timestamp")
    notes = []
    if column.missing:
        records = counted(len(column), "record")
        notes.append(_("{records}, {missing:,} of them without a value.", records=records, missing=column.missing))
        notes += [_("Bins end before the date at their right.")] if timely else []
    return Frame(
        "histogram",
        _("Distribution of {column}", column=column.name),
        table,
        (Panel("bins", Axis("from", column.name), Axis("count", _("records")), end="to"),),
        note=" ".join(notes),
        empty=_("No record has a value in {column}.", column=column.name),
    )


def _binned(column: Column, known: Int32s) -> pl.DataFrame:
    keys = column.keys[known]
    if not len(keys):
        edges, counts = np.zeros(1), np.zeros(0, np.int64)
    else:
        whole = column.type != "float"
        edges = numeric_bins(keys.astype(np.float64), whole)
        counts = np.histogram(keys, edges)[0].astype(np.int64)
    if column.type == "float":
        bounds = pl.Series(edges, dtype=pl.Float64)
    else:
        bounds = pl.Series(edges.astype(np.int64), dtype=pl.Int64)
    if column.type == "date":
        bounds = bounds.cast(pl.Int32).cast(pl.Date)
    elif column.type == "timestamp":
        bounds = bounds.cast(pl.Datetime("us"))
    return pl.DataFrame({"from": bounds[:-1], "to": bounds[1:], "count": pl.Series(counts, dtype=pl.Int64)})


def _of_items(data: Transactions, column: str) -> Frame:
    return _by_name(data.vocabulary.series, data.supports, column, _RECORDS)


def _of_labels(frame: pl.DataFrame, column: str) -> Frame:
    if column not in frame.columns:
        raise unknown_column(column, frame.columns)
    counts = frame[column].cast(pl.String).drop_nulls().alias("value").value_counts(name="count")
    return _by_name(counts["value"], counts["count"].to_numpy(), column, ("event", "events"))


def _visitors(data: Trajectories) -> Int64s:
    """Trajectories that visit each location."""
    rows = np.repeat(np.arange(len(data)), np.diff(data.offsets))
    width = max(len(data.locations.vocabulary), 1)
    visited = np.unique(rows * width + data.codes) % width
    return np.bincount(visited, minlength=width).astype(np.int64)


def _by_name(values: pl.Series, counts: Any, column: str, noun: tuple[str, str], missing: int = 0) -> Frame:
    """Bars by falling count, equal ones by name."""
    table = pl.DataFrame({"value": values.cast(pl.String), "count": pl.Series(counts, dtype=pl.Int64)})
    table = table.filter(pl.col("count") > 0).sort(["count", "value"], descending=[True, False])
    others = table.height - MOST_NAMES
    shown = table.head(MOST_NAMES).with_columns(pl.lit(1, pl.Int64).alias("values"))
    note = counted(table.height, "value")
    if others > 0:
        rest = table.tail(others)
        name = _("{others:,} others", others=others)
        while name in shown["value"]:
            name += "'"
        last = pl.DataFrame({"value": [name], "count": [int(rest["count"].sum())], "values": [others]})
        shown = pl.concat([shown, last])
        note = _("{values}, the {most} most frequent one by one", values=note, most=MOST_NAMES)
    note += _("; {records} without a value.", records=counted(missing, *noun)) if missing else "."
    return Frame(
        "histogram",
        _("Distribution of {column}", column=column),
        shown,
        (Panel("bars", Axis("value", column, "category"), Axis("count", _(noun[1]))),),
        note=note,
        empty=_("There are no values in {column}.", column=column),
    )
