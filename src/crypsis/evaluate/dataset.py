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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats import format_of, is_elsewhere
from crypsis.data.formats.compression import archive_of, readable_file, unpacked_chunks
from crypsis.data.formats.format import Format
from crypsis.data.formats.tabular import files_of, read_table_file
from crypsis.data.microdata import Microdata
from crypsis.data.sources import OF_RECORDS, SOURCES, DataFile, DataSource, MixedSource
from crypsis.data.sources.table import item_separators
from crypsis.data.steps import STEP, Join, Step, shape, steps_of
from crypsis.errors import BadExperiment, MissingFile, NotApplicable, did_you_mean
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_the_file, side_input_files
from crypsis.evaluate.edits import EditedTable

DATA_FOLDER = "CRYPSIS_DATA"
_KEPT_LOADED = 2


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
        return files_of(self.path, self._file_options)

    @property
    def file(self) -> Path:
        """The file, or the first of several."""
        return self.files[0]

    @cached_property
    def table(self) -> DatasetTable:
        return DatasetTable(self.section)

    @property
    def _file_options(self) -> dict[str, Any]:
        """The format of the file and its options."""
        given = {key: self.section[key] for key in keys_of_the_file() if self.section.get(key) is not None}
        return {"format": None, **given}

    @cached_property
    def format(self) -> type[Format]:
        """How the file is written."""
        return format_of(self.file, self.section.get("format"), options=self._file_options)

    @cached_property
    def kind(self) -> str:
        """As told, or as the columns, the options and the file suggest."""
        told = self.section.get("kind")
        if told is not None:
            if told not in SOURCES:
                raise BadExperiment(
                    f"There is no kind of data {told!r}; the kinds are {', '.join(SOURCES)}."
                    f"{did_you_mean(str(told), SOURCES)}"
                )
            return str(told)
        columns = self.section.get("columns") or {}
        sets = item_separators(columns)
        if sets or self.section.get("sets"):
            beside = len(columns) > len(sets) or self.section.get("rest") or self.section.get("sets")
            return "mixed" if beside else "transactions"
        if columns:
            return "table"
        if "grid" in self.section:
            return "trajectories"
        if "table" not in self.format.holds:
            return "tracks" if "track" in self.format.holds else "transactions"
        from crypsis.data.inspection import inspect_file

        detected = inspect_file(self.file, **self._file_options).kind
        if detected not in SOURCES:
            raise NotApplicable(f"{self.file.name} looks like {detected} data, which are not anonymized again.")
        return "table" if detected == "mixed" else detected  # no column is declared as a set

    @cached_property
    def digest(self) -> str:
        """Return the digest of the bytes of every file, of how they are read, and of the edits."""
        files = [name for name in side_input_files() if self.section.get(name) is not None]
        apart = ("path", "kind", *files)
        keys = {key: value for key, value in self.section.items() if value not in _SAYS_NOTHING and key not in apart}
        parts = [json.dumps(keys, sort_keys=True, default=str), self.kind]
        parts += [str(self.file)] if is_elsewhere(self.file, self._file_options) else map(file_digest, self.files)
        parts += [file_digest(resolved(str(self.section[name]), self.folder)) for name in files]
        parts += [file_digest(resolved(str(_set["path"]), self.folder)) for _set in self.table.sets.values()]
        parts += [file_digest(Path(step.table)) for step in self.steps if isinstance(step, Join)]
        if self.format.live:
            read = self.original_frame()[0]
            parts.append(json.dumps([read.columns, [str(dtype) for dtype in read.dtypes]]))
            parts += [hashlib.sha256(str(row).encode()).hexdigest() for row in read.iter_rows()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def item_columns(self) -> tuple[str, ...]:
        """The columns that hold sets of items."""
        return (*item_separators(self.section.get("columns")), *self.table.sets)

    @property
    def edits(self) -> Sequence[Mapping[str, Any]]:
        return self.section.get("edits") or ()

    @cached_property
    def steps(self) -> list[Step]:
        """What shapes the table after the edits; tables that are joined lie where the experiment says."""
        return [
            replace(step, table=str(resolved(step.table, self.folder))) if isinstance(step, Join) else step
            for step in steps_of(self.section.get(STEP))
        ]

    @cached_property
    def source(self) -> DataSource:
        """How the file is read; files that are named beside it lie where the experiment says."""
        return SOURCES[self.kind].from_keys(self.table.located(lambda path: str(resolved(path, self.folder))))

    @property
    def data_file(self) -> DataFile:
        """The file with its edits and steps, or with the first of its records."""
        changed = self.edits or self.steps or ("rows" in self.section and self.kind in OF_RECORDS)
        options = self._file_options
        return DataFile(self.path, options.pop("format"), options, self._changed if changed else None)

    def _changed(self, frame: pl.DataFrame) -> pl.DataFrame:
        frame = self._first_rows(frame)
        return shape(EditedTable(frame).apply(self.edits) if self.edits else frame, self.steps)

    def _first_rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.head(int(self.section["rows"])) if "rows" in self.section and self.kind in OF_RECORDS else frame

    def original_frame(self) -> tuple[pl.DataFrame, str]:
        """The file as a table, before any edit, and its name for messages."""
        frame, source = read_table_file(self.path, **self._file_options)
        return self._first_rows(frame), source

    def frame(self) -> tuple[pl.DataFrame, str]:
        """The file as a table, edited, with the sets that stand in other files."""
        frame, source = self.data_file.frame()
        return self.source.with_sets(frame) if isinstance(self.source, MixedSource) else frame, source

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
        if self.edits or self.steps or self.table.sets or "rows" in self.section:
            declared = replace(declared, by_record=False)
        data = self.source.load(self.data_file, declared)
        if "rows" in self.section and self.kind not in OF_RECORDS:
            data = data.take(np.arange(min(int(self.section["rows"]), len(data))))
        _LOADED[key] = data
        while len(_LOADED) > _KEPT_LOADED:
            with suppress(KeyError):
                _LOADED.popitem(last=False)
        return data

    def refuse_unused(self) -> None:
        """`OptionWithoutEffect` for a key that this file is not read with."""
        beside = ("path", "kind", "format", "edits", "rows", STEP)
        keys = {key: value for key, value in self.section.items() if key not in beside}
        self.source.refuse_unused(self.data_file, keys)

    def option(self, name: str, otherwise: Any = None) -> Any:
        return self.section.get(name, otherwise)

    def is_table_file(self) -> bool:
        """Whether the file holds a table, which can be edited."""
        return "table" in self.format.holds


_LOADED: OrderedDict[str, Any] = OrderedDict()
_SAYS_NOTHING: tuple[Any, ...] = (None, "", (), [], {})  # `false` and 0 say something


def forget_loaded() -> None:
    """Let go of the data that were kept in memory."""
    _LOADED.clear()


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    file = readable_file(path)
    if archive_of(file) is None:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    digest = hashlib.sha256()
    for chunk in unpacked_chunks(file):
        digest.update(chunk)
    return digest.hexdigest()


def can_show(held: type[Microdata], wanted: type) -> bool:
    """Whether data of one kind hold data of another: mixed data hold a table and transactions."""
    return wanted in held.views()


def view_of(data: Microdata, wanted: type, columns: Sequence[str] = ()) -> Any:
    """The data as a method takes them, on the named columns where some are named."""
    if not can_show(type(data), wanted):
        raise NotApplicable(f"{wanted.__name__} are needed, and these data are {type(data).__name__}.")
    return data.choose_columns(columns, wanted) if columns else data.views()[wanted](data)
