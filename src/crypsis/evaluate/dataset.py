"""The dataset of an experiment: which file, how it is read, what was edited, and the data of every kind that it holds.

[dataset]
path = "people.csv"              # relative to the experiment file; ${CRYPSIS_DATA} stands for that folder
kind = "mixed"                   # told by the columns or the file where it is left out
[dataset.columns]
age = {type = "int", role = "quasi"}
codes = {type = "items", item_separator = " ", sensitive = ["042"]}

Where a person has several records, `person` names the column that says whose a record is; it is never published. Where
a column seems to name people, and nobody said, `each_row_is_a_person = true` confirms that each record is a person.

A file of records gives a table; with a column of items, mixed data, whose table and whose transactions can each be
anonymized by themselves. Other kinds take the options that their readers have, under the same names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats import format_for, format_of, format_options
from crypsis.data.formats.compression import existing_file
from crypsis.data.formats.tabular import files_of, header_of, read_rows, read_table_file
from crypsis.data.mixed import Mixed
from crypsis.data.person_codes import refuse_uniting
from crypsis.data.relational import Table
from crypsis.data.transaction import Transactions
from crypsis.data.ways_of_reading import refuse_unused, the_person, way_of
from crypsis.errors import BadExperiment, BadParameter, MissingFile, NotApplicable, UnknownColumn, did_you_mean
from crypsis.evaluate.edits import EditedTable

DATA_FOLDER = "CRYPSIS_DATA"
ITEMS_TYPE = "items"
_KEPT_LOADED = 2
OF_RECORDS = ("table", "mixed")  # a row of the file is a record

# kind: the keys that say how it is read, beside those of every kind
KEYS: dict[str, tuple[str, ...]] = {
    "table": ("columns", "rest", "person", "each_row_is_a_person", "missing", "as_missing"),
    "mixed": ("columns", "rest", "person", "each_row_is_a_person", "missing", "as_missing", "sets"),
    "transactions": ("columns", "id", "item", "person", "each_row_is_a_person", "unite", "sensitive"),
    "trajectories": (
        "id", "position", "location", "person", "each_row_is_a_person", "owner", "sort", "locations", "sensitive",
        "grid", "user", "time", "lat", "lon", "crs", "one_per", "time_format",
    ),
    "tracks": (
        "id", "x", "y", "t", "lat", "lon", "person", "each_row_is_a_person", "owner", "crs", "sort", "repeated",
        "time_format",
    ),
    "events": ("id", "location", "t", "sensitive", "locations", "time_unit"),
}  # fmt: skip


def keys_of_every_kind() -> tuple[str, ...]:
    """The keys of every kind: which file, how it is written, and what is done with its rows."""
    return ("path", "kind", "format", *format_options(), "edits", "rows")


COLUMN_KEYS = ("type", "role", "item_separator", "sensitive")
SET_KEYS = ("path", "id", "item", "missing", "separator", "sensitive")


def resolved(path: str, folder: Path) -> Path:
    """Where a path of an experiment file leads: relative to the file, or below the folder of shared data."""
    sign = "${" + DATA_FOLDER + "}"
    if path.startswith(sign):
        home = os.environ.get(DATA_FOLDER)
        if not home:
            raise MissingFile(
                f"{path} lies below the folder that the environment variable {DATA_FOLDER} names, and it is not set.",
                where=path,
            )
        return Path(home) / path[len(sign) :].lstrip("/")
    return Path(path) if Path(path).is_absolute() else folder / path


@dataclass(frozen=True, eq=False)
class Dataset:
    """The table `[dataset]` of an experiment; nothing is read before it is needed."""

    section: Mapping[str, Any]
    folder: Path

    @cached_property
    def path(self) -> Path:
        """A file, a folder of files, or a pattern."""
        return resolved(str(self.section.get("path", "")), self.folder)

    @cached_property
    def files(self) -> list[Path]:
        return files_of(self.path)

    @property
    def file(self) -> Path:
        """The file, or the first of several."""
        return self.files[0]

    @property
    def how(self) -> dict[str, Any]:
        """The format of the file and its options, as they are told."""
        told = {name: self.section[name] for name in format_options() if self.section.get(name) is not None}
        return {"format": self.section.get("format"), **told}

    @cached_property
    def kind(self) -> str:
        """As told, or as the columns, the options and the file suggest."""
        told = self.section.get("kind")
        if told is not None:
            if told not in KEYS:
                raise BadExperiment(
                    f"There is no kind of data {told!r}; the kinds are {', '.join(KEYS)}."
                    f"{did_you_mean(str(told), KEYS)}"
                )
            return str(told)
        columns = self.section.get("columns") or {}
        sets = [name for name, column in columns.items() if _is_items(column)]
        if sets or self.section.get("sets"):
            return (
                "mixed"
                if len(columns) > len(sets) or self.section.get("rest") or self.section.get("sets")
                else ("transactions")
            )
        if columns:
            return "table"
        if "grid" in self.section:
            return "trajectories"
        chosen = format_of(self.file, self.section.get("format"))
        if "table" not in chosen.holds:
            return "tracks" if "track" in chosen.holds else "transactions"
        from crypsis.data.inspection import inspect_file

        found = inspect_file(self.file, **self.how).kind
        if found not in KEYS:
            raise NotApplicable(f"{self.file.name} looks like {found} data, which are not anonymized again.")
        return found

    @cached_property
    def digest(self) -> str:
        """Of the bytes of every file that is read, of how they are read, and of the edits."""
        apart = ("path", "locations", "kind")
        told = {key: value for key, value in self.section.items() if value not in _SAYS_NOTHING and key not in apart}
        parts = [json.dumps(told, sort_keys=True, default=str), self.kind, *map(file_digest, self.files)]
        if "locations" in self.section:
            parts.append(file_digest(resolved(str(self.section["locations"]), self.folder)))
        parts += [file_digest(resolved(str(one["path"]), self.folder)) for one in self._sets.values()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def _sets(self) -> Mapping[str, Mapping[str, Any]]:
        return self.section.get("sets") or {}

    @property
    def item_columns(self) -> tuple[str, ...]:
        """The columns that hold sets of items."""
        columns = self.section.get("columns") or {}
        return (*(name for name, column in columns.items() if _is_items(column)), *self._sets)

    @property
    def edits(self) -> Sequence[Mapping[str, Any]]:
        return self.section.get("edits") or ()

    def original_frame(self) -> tuple[pl.DataFrame, str]:
        """The file as a table, before any edit, and its name for messages."""
        frame, source = read_table_file(self.path, **self.how)
        if "rows" in self.section and self.kind in OF_RECORDS:
            frame = frame.head(int(self.section["rows"]))
        return frame, source

    def frame(self) -> tuple[pl.DataFrame, str]:
        """The file as a table, edited."""
        frame, source = self.original_frame()
        if self.edits:
            frame, source = EditedTable(frame).apply(self.edits), str(source)
        for name, told in self._sets.items():
            frame = _with_sets(frame, name, told, self.folder)
        return frame, source

    def load(self, declared: Declarations | None = None) -> Any:
        """The data, read as a method declares; those last used are kept in memory.

        For a private method each record is read by itself. Edits and limits look at several, so with them the data are
        read as for any other, and the guarantee says that reading is not covered.
        """
        self.refuse_unused()
        declared = declared or Declarations()
        key = self.digest + repr((sorted(declared.types.items()), declared.by_record))
        known = _LOADED.get(key)
        if known is not None:
            with suppress(KeyError):  # another thread let go of it; no lock, which a forked worker could find held
                _LOADED.move_to_end(key)
            return known
        by_record = declared.by_record and not (self.edits or self._sets or "rows" in self.section)
        readers = _READERS_BY_RECORD if by_record and self.kind in _READERS_BY_RECORD else _READERS
        data = readers[self.kind](self, declared)
        if "rows" in self.section and self.kind not in OF_RECORDS:
            data = data.take(np.arange(min(int(self.section["rows"]), len(data))))
        _LOADED[key] = data
        while len(_LOADED) > _KEPT_LOADED:
            with suppress(KeyError):
                _LOADED.popitem(last=False)
        return data

    def refuse_unused(self) -> None:
        """`OptionWithoutEffect` for a key that this file is not read with."""
        grid, sets = self.option("grid") is not None, bool(self.item_columns)
        way = way_of(self.kind, self.file, self.option("format"), grid=grid, sets=sets)
        refuse_unused(way, self.section, beside=("path", "kind", "format", "edits", "rows"))

    def option(self, name: str, otherwise: Any = None) -> Any:
        return self.section.get(name, otherwise)

    def is_table_file(self) -> bool:
        """Whether the file holds a table, which can be edited."""
        return "table" in format_of(self.file, self.option("format")).holds


_LOADED: OrderedDict[str, Any] = OrderedDict()
_SAYS_NOTHING: tuple[Any, ...] = (None, "", (), [], {})  # `false` and 0 say something


def forget_loaded() -> None:
    """Let go of the data that were kept in memory."""
    _LOADED.clear()


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with existing_file(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_items(column: Any) -> bool:
    return isinstance(column, Mapping) and column.get("type") == ITEMS_TYPE


def _with_sets(frame: pl.DataFrame, name: str, told: Mapping[str, Any], folder: Path) -> pl.DataFrame:
    """With a column of lists, collected from a file that has one item a row."""
    long, _ = read_table_file(resolved(str(told["path"]), folder), separator=told.get("separator"))
    id, item = str(told["id"]), str(told["item"])
    for column in (id, item):
        if column not in long.columns:
            raise UnknownColumn(f"Column {column!r} is not in {told['path']}.{did_you_mean(column, long.columns)}")
    if id not in frame.columns:
        raise UnknownColumn(f"Column {id!r} is not in this table.{did_you_mean(id, frame.columns)}")
    gone = [str(value) for value in told.get("missing", ())]
    collected = (
        long.select(pl.col(id).cast(pl.String), pl.col(item).cast(pl.String).str.strip_chars())
        .filter(pl.col(item).is_not_null() & (pl.col(item) != "") & ~pl.col(item).is_in(gone))
        .group_by(id)
        .agg(pl.col(item).unique().sort().alias(name))
    )
    joined = frame.with_columns(pl.col(id).cast(pl.String)).join(collected, on=id, how="left", maintain_order="left")
    return joined.with_columns(pl.col(name).fill_null(pl.lit([], dtype=pl.List(pl.String))))


def _read_table(dataset: Dataset, declared: Declarations) -> Table:
    frame, source = dataset.frame()
    roles, types = _roles(dataset, frame.columns)
    return Table.from_frame(
        frame,
        roles,
        declared.first(types, frame.columns),
        person=dataset.option("person"),
        each_row_is_a_person=bool(dataset.option("each_row_is_a_person", False)),
        missing_tokens=tuple(dataset.option("missing", ("?",))),
        unparsable="missing" if dataset.option("as_missing") else "error",
        source=source,
    )


def _read_mixed(dataset: Dataset, declared: Declarations) -> Mixed:
    frame, source = dataset.frame()
    divided, sensitive = _item_columns(dataset)
    roles, types = _roles(dataset, [name for name in frame.columns if name not in divided])
    return Mixed.from_frame(
        frame,
        roles,
        divided,
        declared.first(types, roles),
        sensitive=sensitive or None,
        person=dataset.option("person"),
        each_row_is_a_person=bool(dataset.option("each_row_is_a_person", False)),
        missing_tokens=tuple(dataset.option("missing", ("?",))),
        unparsable="missing" if dataset.option("as_missing") else "error",
        source=source,
    )


def _roles(dataset: Dataset, columns: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Role and type of every column; `rest` gives a role to those that are not named."""
    told: Mapping[str, Mapping[str, Any]] = dataset.option("columns") or {}
    for name in told:
        if name not in columns and not _is_items(told[name]):
            raise UnknownColumn(f"Column {name!r} is not in this table.{did_you_mean(name, columns)}")
    roles = {name: str(column["role"]) for name, column in told.items() if name in columns and "role" in column}
    if dataset.option("rest") is not None:
        left = [name for name in columns if name not in roles and name != dataset.option("person")]
        roles |= {name: str(dataset.option("rest")) for name in left}
    types = {name: str(column["type"]) for name, column in told.items() if name in columns and "type" in column}
    return roles, types


def _item_columns(dataset: Dataset) -> tuple[dict[str, str | None], dict[str, list[str]]]:
    told: Mapping[str, Mapping[str, Any]] = dataset.option("columns") or {}
    divided: dict[str, str | None] = {
        name: column.get("item_separator", " ") for name, column in told.items() if _is_items(column)
    }
    sensitive = {name: [*map(str, column["sensitive"])] for name, column in told.items() if _named(column)}
    for name, one in dataset._sets.items():
        divided[name] = None
        if one.get("sensitive"):
            sensitive[name] = [*map(str, one["sensitive"])]
    return divided, sensitive


def _named(column: Any) -> bool:
    return _is_items(column) and bool(column.get("sensitive"))


def _read_transactions(dataset: Dataset, declared: Declarations) -> Transactions:
    from crypsis.data.reading import read_transactions

    sensitive = [*map(str, dataset.option("sensitive", ()))]
    person, unite = dataset.option("person"), dataset.option("unite")
    each_row_is_a_person = bool(dataset.option("each_row_is_a_person", False))
    refuse_uniting(unite, person)
    if dataset.option("columns"):
        divided, marked = _item_columns(dataset)
        if len(divided) != 1:
            raise BadParameter("Transactions have one column of items; declare it with type = 'items'.")
        frame, source = dataset.frame()
        beside = [name for name in frame.columns if name not in divided and not frame[name].dtype.is_nested()]
        numbered = frame.select([*beside, *divided]).with_row_index("row of the file")
        named = ["row of the file", *beside]
        read = Mixed.from_frame(
            numbered,
            {name: "other" for name in named if name != person},
            divided,
            dict.fromkeys(named, "category"),
            sensitive=marked or None,
            person=person,
            each_row_is_a_person=each_row_is_a_person,
            source=source,
        ).transactions
        return read.unite_by_person() if unite else read
    if dataset.is_table_file() and (dataset.edits or not _is_array_file(dataset)):
        frame, source = dataset.frame()
        made = Transactions.from_frame(
            frame,
            id=dataset.option("id", "id"),
            item=dataset.option("item", "item"),
            person=person,
            each_row_is_a_person=each_row_is_a_person,
            sensitive=sensitive,
            source=source,
        )
        return made.unite_by_person() if unite else made
    _refuse_edits(dataset)
    return read_transactions(
        dataset.file,
        id=dataset.option("id"),
        item=dataset.option("item"),
        person=person,
        each_row_is_a_person=each_row_is_a_person,
        unite=unite,
        sensitive=sensitive,
        **dataset.how,
    )


def _read_trajectories(dataset: Dataset, declared: Declarations) -> Any:
    from crypsis.data.reading import read_locations, read_trajectories

    marked: Callable[[Any], Any] = lambda data: data  # noqa: E731
    if dataset.option("sensitive"):
        labels = [*map(str, dataset.option("sensitive"))]
        marked = lambda data: replace(data, locations=data.locations.marked(labels))  # noqa: E731
    if dataset.option("grid") is not None:
        from crypsis.data.checkins import trajectories_from_checkins

        frame, source = dataset.frame()
        return marked(
            trajectories_from_checkins(
                frame,
                **_person_of(dataset),
                id=dataset.option("id"),
                user=dataset.option("user"),
                owner=dataset.option("owner"),
                time=dataset.option("time", "time"),
                lat=dataset.option("lat", "lat"),
                lon=dataset.option("lon", "lon"),
                cell=float(dataset.option("grid")),
                one_per=dataset.option("one_per"),
                crs=dataset.option("crs"),
                time_format=dataset.option("time_format"),
                source=source,
            )
        )
    table = dataset.option("locations")
    locations = None if table is None else read_locations(resolved(str(table), dataset.folder))
    names = {"id": "trajectory_id", "position": "position", "location": "location"}
    named = {name: dataset.option(name, usual) for name, usual in names.items()}
    if dataset.is_table_file() and (dataset.edits or not _is_array_file(dataset)):
        from crypsis.data.formats.long import trajectories_from_long

        frame, source = dataset.frame()
        return marked(
            trajectories_from_long(
                frame,
                **named,
                person=the_person(**_person_of(dataset), owner=dataset.option("owner")),
                each_row_is_a_person=bool(dataset.option("each_row_is_a_person", False)),
                locations=locations,
                source=source,
                sort=bool(dataset.option("sort", False)),
                time_format=dataset.option("time_format"),
            )
        )
    _refuse_edits(dataset)
    data = read_trajectories(
        dataset.file,
        locations=locations,
        **named,
        **_person_of(dataset),
        owner=dataset.option("owner"),
        sort=bool(dataset.option("sort", False)),
        time_format=dataset.option("time_format"),
        **dataset.how,
    )
    return marked(data)


def _read_tracks(dataset: Dataset, declared: Declarations) -> Any:
    from crypsis.data.reading import read_tracks
    from crypsis.data.track import Tracks

    names = {"id": "id", "x": "x", "y": "y", "t": "t", "lat": "lat", "lon": "lng", "owner": "owner", "crs": "crs"}
    named: dict[str, Any] = {option: dataset.option(name) for name, option in names.items()}
    named |= {"sort": bool(dataset.option("sort", False)), "repeated": dataset.option("repeated", "error")}
    named |= {**_person_of(dataset), "time_format": dataset.option("time_format")}
    if dataset.is_table_file():
        frame, source = dataset.frame()
        return Tracks.from_frame(frame, source=source, **named)
    _refuse_edits(dataset)
    return read_tracks(dataset.file, **named, **dataset.how)


def _person_of(dataset: Dataset) -> dict[str, Any]:
    """What is said about who a person is."""
    alone = bool(dataset.option("each_row_is_a_person", False))
    return {"person": dataset.option("person"), "each_row_is_a_person": alone}


def _read_events(dataset: Dataset, declared: Declarations) -> Any:
    from crypsis.data.reading import read_locations
    from crypsis.data.stream import Events

    frame, source = dataset.frame()
    table = dataset.option("locations")
    return Events.from_frame(
        frame,
        id=dataset.option("id", "id"),
        location=dataset.option("location", "location"),
        t=dataset.option("t", "t"),
        sensitive=[*map(str, dataset.option("sensitive", ()))],
        locations=None if table is None else read_locations(resolved(str(table), dataset.folder)),
        unit=dataset.option("time_unit", "s"),
        source=source,
    )


def _table_by_record(dataset: Dataset, declared: Declarations) -> Table | Mixed:
    """A table, or mixed data where a column holds sets, of which each record is read by itself."""
    from crypsis.data.reading import read_mixed, read_table

    divided, _ = _item_columns(dataset)
    told: Mapping[str, Any] = dataset.option("columns") or {}
    how = dict(dataset.how)
    known = header_of(dataset.file, **how) or [*told]
    roles, types = _roles(dataset, [name for name in known if name not in divided])
    how |= {"for_method": declared, **_who(dataset)}
    if dataset.kind == "table":
        return read_table(dataset.file, roles, types, **how)
    return read_mixed(dataset.file, roles, divided, types, **how)


def _who(dataset: Dataset) -> dict[str, Any]:
    return {
        "person": dataset.option("person"),
        "each_row_is_a_person": bool(dataset.option("each_row_is_a_person", False)),
    }


def _transactions_by_record(dataset: Dataset, declared: Declarations) -> Transactions:
    from crypsis.data.reading import read_transactions

    how = dict(dataset.how)
    refuse_uniting(dataset.option("unite"), dataset.option("person"))
    if dataset.option("columns"):
        divided, _ = _item_columns(dataset)
        if len(divided) != 1:
            raise BadParameter("Transactions have one column of items; declare it with type = 'items'.")
        lists = [name for name, separator in divided.items() if separator is None]
        who = _who(dataset)
        columns = header_of(dataset.file, **how) or [*filter(None, [who["person"]]), *divided]
        rows, mark = read_rows(dataset.file, columns, lists=lists, **how)
        numbered = rows.with_columns(pl.Series("row of the file", range(len(rows)), dtype=pl.Int64).cast(pl.String))
        roles = {name: "other" for name in numbered.columns if name not in divided and name != who["person"]}
        read = Mixed.from_records(numbered, roles, divided, None, mark, **who).transactions
        return read.unite_by_person() if dataset.option("unite") else read
    return read_transactions(
        dataset.file,
        id=dataset.option("id"),
        item=dataset.option("item"),
        unite=dataset.option("unite"),
        for_method=declared,
        **_who(dataset),
        **how,
    )


def _events_by_record(dataset: Dataset, declared: Declarations) -> Any:
    from crypsis.data.reading import read_events, read_locations

    table = dataset.option("locations")
    return read_events(
        dataset.file,
        id=dataset.option("id", "id"),
        location=dataset.option("location", "location"),
        t=dataset.option("t", "t"),
        sensitive=[*map(str, dataset.option("sensitive", ()))],
        locations=None if table is None else read_locations(resolved(str(table), dataset.folder)),
        unit=dataset.option("time_unit"),
        **dataset.how,
        for_method=declared,
    )


_READERS_BY_RECORD: dict[str, Callable[[Dataset, Declarations], Any]] = {
    "table": _table_by_record,
    "mixed": _table_by_record,
    "transactions": _transactions_by_record,
    "events": _events_by_record,
}

_READERS: dict[str, Callable[[Dataset, Declarations], Any]] = {
    "table": _read_table,
    "mixed": _read_mixed,
    "transactions": _read_transactions,
    "trajectories": _read_trajectories,
    "tracks": _read_tracks,
    "events": _read_events,
}


def _is_array_file(dataset: Dataset) -> bool:
    return not format_for(dataset.file, dataset.option("format")).is_table(dataset.file)


def _refuse_edits(dataset: Dataset) -> None:
    if dataset.edits:
        raise NotApplicable(f"{dataset.file.name} is no table, so it has no cells to edit; convert it to CSV first.")


# what data hold beside themselves: (from, to): how
_VIEWS: dict[tuple[type, type], Callable[[Any], Any]] = {
    (Mixed, Table): lambda data: data.table,
    (Mixed, Transactions): lambda data: data.transactions,
}


def can_show(held: type, wanted: type) -> bool:
    """Whether data of one kind hold data of another: mixed data hold a table and transactions."""
    return issubclass(held, wanted) or (held, wanted) in _VIEWS


def view_of(data: Any, wanted: type, columns: Sequence[str] = ()) -> Any:
    """The data as a method takes them, on the named columns where some are named."""
    if not can_show(type(data), wanted):
        raise NotApplicable(f"{wanted.__name__} are needed, and these data are {type(data).__name__}.")
    if not columns:
        return data if isinstance(data, wanted) else _VIEWS[type(data), wanted](data)
    if isinstance(data, Mixed):
        sets = data.split()
        for name in columns:
            if name not in sets and name not in data.table.names:
                known = [*data.table.names, *sets]
                raise UnknownColumn(f"Column {name!r} is not in these data.{did_you_mean(name, known)}")
        if wanted is Transactions:
            chosen = [name for name in columns if name in sets]
            if len(chosen) != 1:
                raise NotApplicable(f"One column of items is needed; columns of items are {', '.join(sets)}.")
            return sets[chosen[0]]
        table = _on_columns(data.table, [name for name in columns if name in data.table.names])
        if wanted is Table:
            return table
        return Mixed.united(table, {name: sets[name] for name in columns if name in sets} or sets)
    if isinstance(data, Table):
        return _on_columns(data, columns)
    raise NotApplicable(f"{type(data).__name__} have no columns to choose from; leave columns out.")


def _on_columns(table: Table, columns: Sequence[str]) -> Table:
    if not columns:
        raise NotApplicable("None of the chosen columns is relational.")
    wanted = [table.column(name).name for name in columns]
    return replace(table, columns=tuple(column for column in table.columns if column.name in wanted))
