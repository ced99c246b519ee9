"""A file that is about to be loaded: its first rows as they are understood, what was detected, what can be changed.

Nothing is kept before *Load*: a preview reads the file again with the settings chosen so far. The settings are keys of
`[dataset]`, so the dataset that is loaded, the command and an experiment file read the data in the same way.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.formats import format_options
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.kinds_of_data import kind_of_table
from crypsis.data.person_detection import PersonLike
from crypsis.errors import CrypsisError, NoSuchEntry, NotApplicable
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_the_file
from crypsis.evaluate.first_look import FirstLook, first_look, look_at
from crypsis.evaluate.suggested_command import commands_to_begin
from crypsis.parameters import Parameter
from crypsis.web.datasets import Datasets, shown_name
from crypsis.web.grids import Grid
from crypsis.web.own_names import rename_in_errors
from crypsis.web.reading_form import options_used
from crypsis.web.workspace import Entry

ROWS_SHOWN = 20
_MOST_MARKERS = 9
_NEGATIVE = re.compile(r"-[1-9]{1,2}")
_MOST_STAGED = 100


@dataclass(frozen=True)
class Staged:
    """A file that is to be loaded: an upload that nobody has loaded yet, or a path of this machine."""

    upload: str = ""
    path: str = ""
    name: str = ""


@dataclass(frozen=True)
class Preview:
    """A file as it is understood with the settings at hand; `problem` says why it cannot be loaded so."""

    section: DatasetTable
    inspection: Mapping[str, Any]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    records: int
    person: PersonLike | None = None
    problem: CrypsisError | None = None
    options: tuple[Parameter, ...] = ()  # that the file is read with
    commands: Mapping[str, str] = field(default_factory=dict)  # that do the same, under words

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        names = ("inspection", "columns", "rows", "records", "commands")
        found = {"section": dict(self.section)} | {name: getattr(self, name) for name in names}
        found["person"] = None if self.person is None else asdict(self.person) | {"question": self.person.question}
        return found | {"problem": None if self.problem is None else self.problem.to_dict()}


class Imports:
    """Files on their way into the workspace."""

    def __init__(self, datasets: Datasets) -> None:
        self.datasets = datasets
        self._staged: OrderedDict[str, Staged] = OrderedDict()

    def stage(self, staged: Staged) -> str:
        """Remember a file for the page that shows it; the number by which the page asks for it."""
        number = secrets.token_hex(6)
        self._staged[number] = staged
        while len(self._staged) > _MOST_STAGED:
            self._staged.popitem(last=False)
        return number

    def staged(self, number: str) -> Staged:
        if number not in self._staged:
            raise NoSuchEntry("This file is not waiting to be loaded any more; drop it again.")
        return self._staged[number]

    def preview(self, staged: Staged, settings: Mapping[str, Any]) -> Preview:
        """The file as these settings read it. What cannot be read at all is raised."""
        self.datasets.check_settings(settings)
        file, name = self._located(staged)
        settings = self.datasets.with_uploads_beside(settings)
        with rename_in_errors(file, name):
            found = look_at(file, settings)
            look = first_look(file, settings, found)
        section, inspection = look.section, {**look.inspection, "file": name}
        dataset = Dataset(section.of_file(str(file)), file.parent)
        options = tuple(options_used(dataset))
        try:
            with rename_in_errors(file, name):
                data = dataset.load()
        except CrypsisError as error:
            return replace(_as_written(dataset, section, inspection, error), options=options)
        first = Grid(data.take(np.arange(min(ROWS_SHOWN, len(data)))).to_frame())
        like = getattr(data, "person_like", None)
        typed: Mapping[str, str] = {}
        if not section.sets:  # a file of sets beside the data is named in an experiment file
            typed = commands_to_begin(file, section, like, found, Path(name) if staged.upload else None)
        section = section.with_sets_at(lambda path: Path(path).name)  # as the folder of a dataset keeps them
        return Preview(section, inspection, tuple(first.columns), _texts(first), len(data), like, None, options, typed)

    def sets_beside(self, staged: Staged, settings: Mapping[str, Any], upload: str) -> DatasetTable:
        """The settings with which the rows of another file, several for a record, are sets beside these records."""
        file, _ = self._located(staged)
        other = self.datasets.workspace.upload(upload)
        written = DatasetTable(settings).only(keys_of_the_file())
        frame, rows = read_table_file(file, **written)[0], read_table_file(other)[0]
        shared = [name for name in rows.columns if name in frame.columns]
        keys = [name for name in shared if not frame[name].is_duplicated().any()]
        found = kind_of_table(rows).columns
        key = found["id"] if found.get("id") in keys else next(iter(keys), None)
        if key is None:
            raise NotApplicable(
                f"This file cannot be joined: none of its columns names one record of the other. "
                f"{'Shared are ' + ', '.join(shared[:5]) if shared else 'They share no column'}; a column such as an "
                "id must stand in both."
            )
        items = [name for name in rows.columns if name not in frame.columns]
        item = found["item"] if found.get("item") in items else next(iter(items), None)
        if item is None:
            raise NotApplicable("This file cannot be joined: it has no column that the other lacks.")
        missing = _codes_for_missing(rows[item])
        section = {"path": other.name, "id": key, "item": item, **({"missing": missing} if missing else {})}
        known = DatasetTable(settings)
        return known.changed({"kind": "mixed", "sets": {**known.sets, item: section}})

    def load(self, staged: Staged, settings: Mapping[str, Any], shown: Preview | None = None) -> Entry:
        """Take the file into the workspace, read with these settings; `shown` is its preview with just these."""
        self.datasets.check_settings(settings)
        if staged.upload:
            seen = None if shown is None else FirstLook(shown.section, shown.inspection)
            return self.datasets.add_upload(staged.upload, staged.name, settings, seen)
        return self.datasets.add_path(staged.path, settings)

    def discard(self, staged: Staged) -> None:
        """Delete an upload that is not wanted; a file of this machine stays."""
        if staged.upload:
            self.datasets.workspace.upload(staged.upload).unlink(missing_ok=True)

    def _located(self, staged: Staged) -> tuple[Path, str]:
        if staged.upload:
            file = self.datasets.workspace.upload(staged.upload)
            return file, shown_name(staged.name, file)
        file = self.datasets.named_file(staged.path)
        return file, file.name


def _codes_for_missing(items: pl.Series) -> list[str]:
    """Negative numbers among codes: they say why there is no item (-1, -9), and no code is written so."""
    texts = items.cast(pl.String).str.strip_chars().drop_nulls().unique().sort()
    return [text for text in texts.to_list() if _NEGATIVE.fullmatch(text)][:_MOST_MARKERS]


def _as_written(
    dataset: Dataset, section: DatasetTable, inspection: Mapping[str, Any], problem: CrypsisError
) -> Preview:
    """The rows of the file as they stand, where they do not make data of this kind."""
    try:
        frame = dataset.original_frame()[0]
    except CrypsisError:
        frame = pl.DataFrame()
    first = Grid(frame.head(ROWS_SHOWN))
    return Preview(section, inspection, tuple(first.columns), _texts(first), frame.height, problem=problem)


def _texts(first: Grid) -> tuple[tuple[str, ...], ...]:
    """Cells as a grid shows them; a missing value is empty."""
    _, _, rows = first.rows(0, ROWS_SHOWN)
    return tuple(tuple("" if cell is None else str(cell) for cell in row) for row in rows)


def checked_settings(given: Mapping[str, Any]) -> DatasetTable:
    """What a form says, in the types of the options; an empty field says nothing."""
    options = format_options()
    stated = {name: value for name, value in given.items() if value not in (None, "", [], {})}
    return DatasetTable(
        {
            name: options[name].parse(value, "The file") if name in options and isinstance(value, str) else value
            for name, value in stated.items()
        }
    )
