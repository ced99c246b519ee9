"""A look at a file before anything is done with it: rows, columns, types, missing values, and what it might be.

Kinds are told by `kinds_of_data`, roles of columns by `column_roles`; both are proposals with their reasons. Only
counts are shown. Values themselves are shown if that is asked for, since they may be about people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.column_roles import ColumnFacts, SuggestedRole, repeated_columns, suggest_role
from crypsis.data.declared_times import with_times
from crypsis.data.formats import format_for, json_lines
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.format import Format, Sequences
from crypsis.data.formats.source import Understood
from crypsis.data.formats.spaced import items_in_one_set
from crypsis.data.formats.tabular import files_of, read_points, read_table_file
from crypsis.data.kinds_of_data import (
    SuggestedKind,
    day_beside,
    degrees_asked,
    has_moving_objects,
    headerless_table,
    is_list_of_baskets,
    kind_of_lists,
    kind_of_table,
    may_be_baskets,
    table_as_text,
    track_columns,
)
from crypsis.data.person_detection import PersonLike, identifies_by_name, person_like_column
from crypsis.data.steps.drop import Drop
from crypsis.data.steps.drop_rows import DropRows
from crypsis.data.steps.instant import Instant
from crypsis.data.steps.split import Split
from crypsis.data.steps.unite import Unite
from crypsis.data.usual_columns import ID_NAMES
from crypsis.data.values import converted, inferred_type, write_value
from crypsis.data.written_columns import WrittenColumn, questions_on, understand_texts
from crypsis.errors import BadRow, CrypsisError

SHOWN = 5
UNREAD = "unread"
Change = Callable[[pl.DataFrame], pl.DataFrame]
_USES = {
    "id": "says which record a row belongs to",
    "person": "says whose it is",
    "t": "says when",
    "day": "says on which day",
    "enter": "says when a visit began",
    "exit": "says when a visit ended",
    "lat": "says where: latitude",
    "lon": "says where: longitude",
    "x": "says where: x",
    "y": "says where: y",
    "geometry": "says where",
    "item": "holds one item a row",
    "location": "says where",
    "position": "orders the visits",
}


_TOTALS = frozenset(  # words that begin a row which sums up the others
    {
        "total", "totals", "grand", "général", "general", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt",
        "totale", "totaal", "suma", "razem", "jumlah", "toplam", "итого", "всего", "итог", "合計",
        "合计", "总计", "总和", "المجموع", "الإجمالي", "कुल", "মোট",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ColumnSummary:
    """One column in numbers. `top` counts its most frequent values; `values` are those values, if asked for.

    `role` is a proposal, with the reason and how sure it is (high, medium or low): of a table how the column is to be
    treated, of other kinds what it is read as. `suggested_type` is set where the numbers of a column are codes,
    `hierarchy` where a recipe suits them, `item_separator` where cells hold sets.
    """

    name: str
    type: str
    missing: int
    distinct: int
    unique: bool
    top: tuple[int, ...]
    minimum: str | None = None
    maximum: str | None = None
    values: tuple[str, ...] | None = None
    role: str | None = None
    why: str | None = None
    confidence: str | None = None
    suggested_type: str | None = None
    hierarchy: str | None = None
    item_separator: str | None = None


@dataclass(frozen=True)
class Inspection:
    """What a file holds. `kind` is a suggestion: table, mixed, trajectories, transactions, tracks, events or published.

    `uses` names the columns that the kind needs where its reader would not find them; `how` is what has to be said
    about the file itself, such as its format; `steps` shape the table for the kind.
    """

    file: str
    format: str
    rows: int
    columns: tuple[ColumnSummary, ...]
    kind: str
    reason: str
    person_like: PersonLike | None = None  # of a table: a column that seems to name people with several rows
    understood: Understood = field(default_factory=Understood)
    uses: dict[str, str] = field(default_factory=dict)
    how: dict[str, Any] = field(default_factory=dict)
    steps: tuple[dict[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form; `person` is the question who a person is, where it has to be answered."""
        described = asdict(self)
        del described["person_like"]
        described["understood"] = self.understood.to_dict()
        if self.person_like is not None:
            described["person"] = asdict(self.person_like) | {"question": self.person_like.question}
        for column in described["columns"]:
            for key in ("values", "role", "why", "confidence", "suggested_type", "hierarchy", "item_separator"):
                if column[key] is None:
                    del column[key]
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
    time_format: str | None = None,
    change: Change | None = None,
    show_values: bool = False,
    **options: Any,
) -> Inspection:
    """Count what a file holds; `show_values` adds smallest, largest and most frequent values of every column.

    Missing markers, the form of dates and a `change` before all are those of a table.
    """
    file = files_of(path, options)[0]
    chosen = format_for(file, format, **options)
    if isinstance(chosen, json_lines.JsonLines) and not chosen.is_table(file):
        arrays = json_lines.read_arrays(file)
        published = any(isinstance(element, list) for element in arrays.elements)
        texts = [element if isinstance(element, str) else "|".join(element) for element in arrays.elements]
        labels = pl.Series(texts, dtype=pl.String).gather(pl.Series(arrays.codes))
        kind = "published" if published else "trajectories"
        reason = "arrays with generalized symbols" if published else "one array of labels per line"
        return _of_sequences(file, chosen.name, arrays.offsets, labels, SuggestedKind(kind, reason), show_values)
    settings: dict[str, Any] = {}  # what has to be said about the file
    steps: tuple[dict[str, Any], ...] = ()
    if format is None and not options and chosen.name == "fimi":
        if has_moving_objects(file):
            settings = {"format": "brinkhoff"}
        else:
            settings = table_as_text(file) or headerless_table(file, chosen.read_sequences(file))
        if settings:
            format, options = settings["format"], {key: value for key, value in settings.items() if key != "format"}
            chosen = format_for(file, format, **options)
    if "sequence" in chosen.holds and not chosen.is_table(file):
        listed = chosen.read_sequences(file)
        return _of_lists(file, chosen, listed, show_values)
    if "track" in chosen.holds:
        files = files_of(path)
        parts = read_points(files, [format_for(part, format, **options) for part in files])
        frame, source = pl.concat([points for points, _ in parts], how="diagonal_relaxed"), parts[0][1]
        kinds = SuggestedKind("tracks", f"{chosen.name} holds tracks", track_columns(frame.columns, frame.columns))
    else:
        try:
            frame, source = read_table_file(path, format=format, **options)
        except BadRow as error:
            if format is not None or options:
                raise
            baskets = _of_baskets(file, error.details.get("separator"), show_values)
            if baskets is None:
                raise
            return baskets
        if format is None and not options and may_be_baskets(frame):
            baskets = _of_baskets(file, getattr(getattr(source, "reader", None), "separator", None), show_values)
            if baskets is not None:
                return baskets
        frame = frame if change is None else change(frame)
        kinds, steps = _with_instants(kind_of_table(frame), frame)
        steps = (*_without_places(kinds, frame), *steps)
        if kinds.kind == "table":
            frame = with_times(frame, time_format, missing_tokens, source)
    found = _of_frame(file, chosen, frame, source, kinds, missing_tokens, show_values)
    return replace(found, how=settings, steps=(*found.steps, *steps))


def inspected_as_table(
    path: str | Path,
    found: Inspection,
    *,
    missing_tokens: tuple[str, ...] = ("?",),
    time_format: str | None = None,
    change: Change | None = None,
    format: str | None = None,
    **options: Any,
) -> Inspection:
    """The same file as a table of records, with roles; for whoever knows better than the suggestion."""
    file = files_of(path, options)[0]
    frame, source = read_table_file(path, format=format, **options)
    frame = with_times(frame if change is None else change(frame), time_format, missing_tokens, source)
    kinds = SuggestedKind("table", "one row per record")
    inspection = _of_frame(file, format_for(file, format, **options), frame, source, kinds, missing_tokens, False)
    return replace(inspection, file=found.file, how=found.how)


def _with_instants(kinds: SuggestedKind, frame: pl.DataFrame) -> tuple[SuggestedKind, tuple[dict[str, Any], ...]]:
    """The kind, with the step that joins day and time of day where its time has no day."""
    clock = kinds.columns.get("t")
    day = None if clock is None else day_beside(frame, clock)
    if clock is None or day is None:
        return kinds, ()
    name = next(name for name in ("instant", *(f"instant_{n}" for n in range(2, 99))) if name not in frame.columns)
    step = Instant(day=day, clock=clock, to=name)
    uses = {**kinds.columns, "t": name}
    return replace(kinds, columns={**kinds.columns, "day": day}, uses=uses), (step.to_dict(),)


def _without_places(kinds: SuggestedKind, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The steps that leave out fixes without coordinates, as devices write while they look for satellites."""
    places = [name for use, name in kinds.columns.items() if use in ("lat", "x", "geometry") and kinds.kind == "tracks"]
    some = [name for name in places if 0 < int(is_empty(frame[name]).sum()) < frame.height]
    return [DropRows(column=name, values=("",)).to_dict() for name in some]


def roles_of_frame(frame: pl.DataFrame) -> dict[str, str]:
    """The role that name and counts suggest for each column of a table in memory."""
    return {name: str(_summary(frame[name], ("?",), False, [], True).role) for name in frame.columns}


def _stem(names: Sequence[str]) -> str:
    """`dx` for dx01, dx02, ..."""
    return names[0].rstrip("0123456789").rstrip("_- .") or "items"


def _of_frame(
    file: Path,
    chosen: Format,
    frame: pl.DataFrame,
    source: str,
    kinds: SuggestedKind,
    missing_tokens: tuple[str, ...],
    show_values: bool,
) -> Inspection:
    told: list[WrittenColumn] = []
    kind, reason, uses = kinds.kind, kinds.reason, dict(kinds.uses)
    no_cells = tuple(name for name, dtype in frame.schema.items() if kind != "published" and _is_no_cell(dtype))
    steps: tuple[dict[str, Any], ...] = (Drop(columns=no_cells).to_dict(),) if no_cells else ()
    frame = frame.drop(no_cells)
    columns = [_summary(frame[name], missing_tokens, show_values, told, kind == "table") for name in frame.columns]
    like = person_like_column(_without(frame, missing_tokens)) if kind == "table" else None
    questions = [question for column in told for question in column.questions]
    questions += _totals_asked(frame, questions)
    if kind == "table":
        sets = [column.name for column in columns if column.item_separator is not None]
        if sets and len(sets) < len(columns):
            kind, reason = "mixed", f"one row per record, with sets of items in {', '.join(sets)}"
            uses = _of_baskets_alone(columns, sets)
            if uses:
                kind, reason = "transactions", f"each row names one {uses['id']} and holds its items in {uses['item']}"
                steps = (*steps, _split(columns, uses["item"]).to_dict())
                columns = [replace(column, **_use(column.name, uses)) for column in columns]
        questions += [
            f"{names[0]} to {names[-1]} look like one set of items in {len(names)} columns; to have them anonymized "
            f"as a set say step='{Unite(columns=(f'{names[0]}..{names[-1]}',), to=_stem(names))}'"
            for names in repeated_columns(frame)
        ]
        if like is not None and kind != "transactions":
            columns = [
                replace(column, **_named(SuggestedRole("identifier", "seems to name people", "high")))
                if column.name == like.column
                else column
                for column in columns
            ]
    else:
        columns = [replace(column, **_use(column.name, kinds.columns)) for column in columns]
        questions += degrees_asked(frame, kinds.columns)
    understood = getattr(source, "understood", None) or Understood({"format": chosen.label.partition(":")[0]})
    notes = [f"columns that hold what no cell of a table can are left out: {', '.join(no_cells)}"] if no_cells else []
    understood = understood.and_also([*notes, *(note for column in told for note in column.notes)], questions)
    return Inspection(
        str(file), chosen.name, frame.height, tuple(columns), kind, reason, like, understood, uses, steps=steps
    )


def _totals_asked(frame: pl.DataFrame, asked: Sequence[str]) -> list[str]:
    """Whether the last row is a record, where it says that it sums up the others and is not asked about already."""
    texts = frame.select(pl.col(pl.String)) if frame.height > 1 else pl.DataFrame()
    for name in texts.columns:
        cell = texts[name][-1]
        words = (cell or "").lower().replace(":", " ").split()
        if words and _TOTALS.issuperset(words):
            total = cell.strip()
            step = str(DropRows(column=name, values=(total,)))
            if any(step in question for question in asked):
                return []
            return [f"the last row says {total!r} in '{name}'; if it is no record, say step={step!r}"]
    return []


def _is_no_cell(dtype: pl.DataType) -> bool:
    """Whether cells are bytes, or lists of objects or of lists."""
    return dtype == pl.Binary or (isinstance(dtype, pl.List) and dtype.inner.is_nested())


def _of_baskets_alone(columns: Sequence[ColumnSummary], sets: Sequence[str]) -> dict[str, str]:
    """The record and its items, where a table has one set a row and nothing else to be anonymized; else nothing."""
    records = [column.name for column in columns if column.role == "identifier" and column.unique]
    rest = [column for column in columns if column.role != "identifier" and column.distinct > 1]
    texts = [column.name for column in rest if column.name in sets and column.type == "category"]
    return {"id": records[0], "item": texts[0]} if records and len(texts) == len(rest) == 1 else {}


def _split(columns: Sequence[ColumnSummary], name: str) -> Split:
    separator = next(column.item_separator for column in columns if column.name == name)
    return Split(column=name, separator=separator or " ")


def _use(name: str, columns: Mapping[str, str]) -> dict[str, Any]:
    """What a column of visits, fixes or items is read as."""
    use = next((option for option, column in columns.items() if column == name), None)
    if use is None:
        return {"role": UNREAD, "why": "has no use in data of this kind", "confidence": "medium"}
    return {"role": use, "why": _USES.get(use, ""), "confidence": "high"}


def _named(role: SuggestedRole) -> dict[str, Any]:
    return {
        "role": role.role,
        "why": role.reason,
        "confidence": role.confidence,
        "suggested_type": role.type,
        "hierarchy": role.hierarchy,
        "item_separator": role.separator,
    }


def _of_lists(file: Path, chosen: Format, listed: Sequences, show_values: bool) -> Inspection:
    if len(items_in_one_set(listed)):
        kinds = SuggestedKind("transactions", "several items are in one itemset, so they have no order")
    elif listed.itemsets is not None or chosen.is_ordered(file):
        kinds = SuggestedKind("trajectories", "the file keeps an order")
    else:
        kinds = kind_of_lists(listed)
    return _of_sequences(file, chosen.name, listed.offsets, listed.labels, kinds, show_values)


def _of_baskets(file: Path, separator: Any, show_values: bool) -> Inspection | None:
    """A file called .csv with one basket a line; None where it is a table."""
    if not isinstance(separator, str) or not separator:
        return None
    try:
        chosen = format_for(file, "fimi", separator=separator)
        listed = chosen.read_sequences(file)
    except CrypsisError:
        return None
    if not is_list_of_baskets(listed):
        return None
    found = _of_lists(file, chosen, listed, show_values)
    return replace(found, how={"format": "fimi", "separator": separator})


def _without(frame: pl.DataFrame, missing_tokens: tuple[str, ...]) -> pl.DataFrame:
    """The columns with a name that identifies, and all of text: values that mean none are none."""
    texts = [name for name, type in frame.schema.items() if type == pl.String]
    kept = [name for name, type in frame.schema.items() if type == pl.String or identifies_by_name(name)]
    stripped = pl.col(texts).str.strip_chars()
    absent = stripped.is_in(["", *missing_tokens])
    return frame.select(kept).with_columns(pl.when(absent).then(None).otherwise(pl.col(texts)).name.keep())


def _summary(
    cells: pl.Series, missing_tokens: tuple[str, ...], show_values: bool, told: list[WrittenColumn], roles: bool
) -> ColumnSummary:
    if isinstance(cells.dtype, pl.Array):
        cells = cells.arr.to_list()
    if cells.dtype.is_nested():
        text = cells.cast(pl.String, strict=False) if not isinstance(cells.dtype, pl.List) else _joined(cells)
        separator = " " if isinstance(cells.dtype, pl.List) and not cells.dtype.inner.is_nested() else None
        role = _named(SuggestedRole("quasi", "holds lists", "medium", separator)) if roles else {}
        return ColumnSummary(
            cells.name, str(cells.dtype).lower(), cells.null_count(), text.n_unique(), False, (), **role
        )
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
    elif cells.dtype.is_numeric():
        values = cells.drop_nulls().unique()
        told.append(WrittenColumn(values, values.is_null(), "float", (), questions_on(values, cells.name)))
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
    if roles:
        facts = ColumnFacts(cells.name, type, len(cells), len(distinct), unique, distinct)
        summary |= _named(suggest_role(facts))
    return ColumnSummary(cells.name, type, int(absent.sum()), len(distinct), unique, **summary)


def _joined(lists: pl.Series) -> pl.Series:
    """Lists as texts, to be counted."""
    if lists.dtype.inner.is_nested():  # type: ignore[attr-defined]
        return lists.list.len().cast(pl.String)
    return lists.cast(pl.List(pl.String)).list.join("\0")


def _of_sequences(
    file: Path, format: str, offsets: Int64s, labels: pl.Series, kinds: SuggestedKind, show_values: bool
) -> Inspection:
    lengths = np.diff(offsets)
    columns = (
        _summary(labels.alias("label"), (), show_values, [], False),
        _summary(pl.Series("length", lengths), (), show_values, [], False),
    )
    return Inspection(str(file), format, len(lengths), columns, kinds.kind, kinds.reason)
