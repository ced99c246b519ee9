"""A look at a file before anything is done with it: rows, columns, types, missing values, and what it might be.

Only counts are shown. Values themselves are shown if that is asked for, since they may be about people.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.formats import format_for, json_lines
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.source import Understood
from crypsis.data.formats.tabular import files_of, read_table_file
from crypsis.data.person_detection import PersonLike, identifies_by_name, person_like_column
from crypsis.data.usual_columns import (
    ID_NAMES,
    ITEM_NAMES,
    LATITUDE_NAMES,
    LOCATION_NAMES,
    LONGITUDE_NAMES,
    POINT_NAMES,
    POSITION_NAMES,
    SURE_ITEM_NAMES,
    TIME_NAMES,
    basket_column,
    item_column,
    mover_column,
    time_column,
    usual_column,
)
from crypsis.data.values import converted, inferred_type, write_value
from crypsis.data.written_columns import WrittenColumn, understand_texts

SHOWN = 5
_FEW = 3  # columns that a long table of items has, as a rule


@dataclass(frozen=True)
class ColumnSummary:
    """One column in numbers. `top` counts its most frequent values; `values` are those values, if asked for."""

    name: str
    type: str
    missing: int
    distinct: int
    unique: bool
    top: tuple[int, ...]
    minimum: str | None = None
    maximum: str | None = None
    values: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Inspection:
    """What a file holds. `kind` is a suggestion: table, trajectories, transactions, tracks, events or published."""

    file: str
    format: str
    rows: int
    columns: tuple[ColumnSummary, ...]
    kind: str
    reason: str
    person_like: PersonLike | None = None  # of a table: a column that seems to name people with several rows
    understood: Understood = field(default_factory=Understood)

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form; `person` is the question who a person is, where it has to be answered."""
        described = asdict(self)
        del described["person_like"]
        described["understood"] = self.understood.to_dict()
        if self.person_like is not None:
            described["person"] = asdict(self.person_like) | {"question": self.person_like.question}
        for column in described["columns"]:
            if column["values"] is None:
                del column["values"]
        return described

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.rows} rows, {len(self.columns)} columns ({self.format})"]
        lines += [
            f"  {column.name}: {column.type}, {column.distinct} distinct, {column.missing} missing"
            for column in self.columns
        ]
        asked = [] if self.person_like is None else [f"  {self.person_like.question}"]
        return "\n".join([*lines, f"  probably {self.kind}: {self.reason}", *asked])


def inspect_file(
    path: str | Path,
    *,
    format: str | None = None,
    missing_tokens: tuple[str, ...] = ("?",),
    show_values: bool = False,
    **options: Any,
) -> Inspection:
    """Count what a file holds; `show_values` adds smallest, largest and most frequent values of every column."""
    file = files_of(path)[0]
    chosen = format_for(file, format, **options)
    if isinstance(chosen, json_lines.JsonLines) and not chosen.is_table(file):
        arrays = json_lines.read_arrays(file)
        published = any(isinstance(element, list) for element in arrays.elements)
        texts = [element if isinstance(element, str) else "|".join(element) for element in arrays.elements]
        labels = pl.Series(texts, dtype=pl.String).gather(pl.Series(arrays.codes))
        kind = "published" if published else "trajectories"
        reason = "arrays with generalized symbols" if published else "one array of labels per line"
        return _of_sequences(file, chosen.name, arrays.offsets, labels, kind, reason, show_values)
    if "sequence" in chosen.holds and not chosen.is_table(file):
        listed = chosen.read_sequences(file)
        ordered = listed.itemsets is not None or chosen.is_ordered(file)
        kind = "trajectories" if ordered else "transactions"
        reason = "the file keeps an order" if ordered else "one record per line; trajectories if the order counts"
        return _of_sequences(file, chosen.name, listed.offsets, listed.labels, kind, reason, show_values)
    if "track" in chosen.holds:
        frame, source = chosen.read_points(file)
        kind, reason = "tracks", f"{chosen.name} holds tracks"
    else:
        frame, source = read_table_file(path, format=format, **options)
        kind, reason = suggested_kind(frame)
    told: list[WrittenColumn] = []
    columns = tuple(_summary(frame[name], missing_tokens, show_values, told) for name in frame.columns)
    like = person_like_column(_without(frame, missing_tokens)) if kind == "table" else None
    understood = getattr(source, "understood", None) or Understood({"format": chosen.label.partition(":")[0]})
    understood = understood.and_also(
        [note for column in told for note in column.notes],
        [question for column in told for question in column.questions],
    )
    return Inspection(str(file), chosen.name, frame.height, columns, kind, reason, like, understood)


def suggested_kind(frame: pl.DataFrame) -> tuple[str, str]:
    """What a table might hold, by the names of its columns, and why."""
    names = frame.columns
    person = usual_column(names, ID_NAMES)
    location = usual_column(names, LOCATION_NAMES)
    if any(dtype == pl.List(pl.List(pl.String)) for dtype in frame.dtypes):
        return "published", "a column holds lists of symbols"
    position = usual_column(names, POSITION_NAMES)
    if person and position and location:
        return "trajectories", f"columns {person}, {position} and {location} look like visits"
    mover = mover_column([name for name in names if not frame[name].dtype.is_float()])  # `track` may be a heading
    moment = time_column(names)
    if mover and moment and _has_points(names):
        return "tracks", f"columns {mover}, {moment} and coordinates look like position fixes"
    moment = usual_column(names, TIME_NAMES)
    if person and moment and location:
        return "events", f"columns {person}, {location} and {moment} look like events"
    record = basket_column(names)
    item = item_column(names, ITEM_NAMES if frame.width <= _FEW else SURE_ITEM_NAMES)
    if record and item and record != item and (frame.width <= _FEW or frame[record].n_unique() < frame.height):
        return "transactions", f"columns {record} and {item} look like a long table of items"
    return "table", "one row per record"


def _has_points(names: list[str]) -> bool:
    """Whether coordinates are there: degrees, a column of points, or x and y."""
    degrees = usual_column(names, LATITUDE_NAMES) and usual_column(names, LONGITUDE_NAMES)
    lower = {name.lower() for name in names}
    return bool(degrees or usual_column(names, POINT_NAMES)) or {"x", "y"} <= lower


def _without(frame: pl.DataFrame, missing_tokens: tuple[str, ...]) -> pl.DataFrame:
    """The columns with a name that identifies, and all of text: values that mean none are none."""
    texts = [name for name, type in frame.schema.items() if type == pl.String]
    kept = [name for name, type in frame.schema.items() if type == pl.String or identifies_by_name(name)]
    stripped = pl.col(texts).str.strip_chars()
    absent = stripped.is_in(["", *missing_tokens])
    return frame.select(kept).with_columns(pl.when(absent).then(None).otherwise(pl.col(texts)).name.keep())


def _summary(
    cells: pl.Series, missing_tokens: tuple[str, ...], show_values: bool, told: list[WrittenColumn]
) -> ColumnSummary:
    if isinstance(cells.dtype, pl.Array):
        cells = cells.arr.to_list()
    if cells.dtype.is_nested():
        text = cells.list.len().cast(pl.String) if isinstance(cells.dtype, pl.List) else cells.cast(pl.String)
        return ColumnSummary(cells.name, str(cells.dtype).lower(), cells.null_count(), text.n_unique(), False, ())
    if cells.dtype in (pl.Categorical, pl.Enum):
        cells = cells.cast(pl.String)
    absent = is_empty(cells)
    written = None
    if cells.dtype == pl.String:
        distinct = cells.unique()
        written = understand_texts(distinct, cells.name, None, missing_tokens)
        gone = distinct.filter(written.absent).drop_nulls()
        if len(gone):
            absent |= cells.is_in(gone.implode()).fill_null(False)
        told.append(written)
    known = cells.filter(~absent)
    counts = known.alias("value").value_counts(sort=True, name="count")
    distinct = counts["value"]
    type = inferred_type(distinct) if written is None else written.type
    unique = len(known) > 1 and len(distinct) == len(known)
    summary: dict[str, Any] = {"top": tuple(counts["count"].head(SHOWN).to_list())}
    # The extremes of an identifier name two people.
    ordered = type != "category" and not unique and cells.name.lower() not in ID_NAMES
    if len(distinct) and (show_values or ordered):
        values = (converted(distinct, type) if written is None else written.values).drop_nulls()
        if len(values):
            lowest, highest = values.min(), values.max()
            summary["minimum"] = write_value(lowest)  # type: ignore[arg-type]
            summary["maximum"] = write_value(highest)  # type: ignore[arg-type]
    if show_values:
        summary["values"] = tuple(str(value) for value in distinct.head(SHOWN).to_list())
    return ColumnSummary(cells.name, type, int(absent.sum()), len(distinct), unique, **summary)


def _of_sequences(
    file: Path, format: str, offsets: np.ndarray[Any, Any], labels: pl.Series, kind: str, reason: str, show_values: bool
) -> Inspection:
    lengths = np.diff(offsets)
    columns = (
        _summary(labels.alias("label"), (), show_values, []),
        _summary(pl.Series("length", lengths), (), show_values, []),
    )
    return Inspection(str(file), format, len(lengths), columns, kind, reason)
