"""Datasets of the workspace: added from an upload, a path or a sample; roles, edits with undo and redo; risk; export.

What is kept is the table `[dataset]` of an experiment file; reading it is left to `crypsis.evaluate`, so a page, the
command line and a run see the same data.
"""

from __future__ import annotations

import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from crypsis.atomic import write_file
from crypsis.data.formats.compression import file_on_disk
from crypsis.data.person_detection import PersonLike
from crypsis.data.relational import PERSON, ROLES
from crypsis.data.sources import SOURCES, every_key
from crypsis.data.steps import STEP, Join, steps_of
from crypsis.data.values import COLUMN_TYPES
from crypsis.errors import (
    BadParameter,
    ChangedElsewhere,
    CrypsisError,
    MissingFile,
    NoSuchEntry,
    NotApplicable,
    UnknownFormat,
    did_you_mean,
)
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_checks import section_problems
from crypsis.evaluate.dataset_table import DatasetTable, keys_of_every_kind, keys_of_the_file, side_input_files
from crypsis.evaluate.edits import Edit, EditedTable, edit_from_dict
from crypsis.evaluate.first_look import FirstLook, first_look, suggested_run
from crypsis.evaluate.runs import Run
from crypsis.samples import SAMPLES
from crypsis.web.grids import Grid, is_odd, plain_text
from crypsis.web.own_names import rename_in_errors
from crypsis.web.workspace import Entry, Workspace, safe_suffix, write_entry

if TYPE_CHECKING:
    from crypsis.attacks.risk_overview import RiskOverview

KIND = "datasets"
_KEPT_OPEN = 3
_MOST_EDITS = 10_000


_State = tuple[int, int, int]  # of a file: when it was written, its size, which one it is


class Datasets:
    """The datasets of a workspace."""

    def __init__(self, workspace: Workspace, *, allow_paths: bool) -> None:
        self.workspace, self.allow_paths = workspace, allow_paths
        self._grids: OrderedDict[tuple[str, int, _State], Grid] = OrderedDict()
        self._originals: OrderedDict[str, tuple[_State, pl.DataFrame]] = OrderedDict()
        self._lock = threading.Lock()

    # Adding

    def with_uploads_beside(self, settings: Mapping[str, Any]) -> DatasetTable:
        """Settings in which sets of an upload that waits beside the data are named by its whole path."""

        def whole(path: str) -> str:
            return str(self.workspace.upload(path.partition(".")[0])) if Path(path).name == path else path

        return DatasetTable(settings).with_sets_at(whole)

    def _waiting(self, path: str) -> Path:
        return self.workspace.folder / "uploads" / Path(path).name

    def _named_beside(self, section: DatasetTable) -> DatasetTable:
        """With uploads that are read beside the data by their names alone, as the folder of the dataset has them."""
        return section.with_sets_at(lambda path: Path(path).name if self._waiting(path).is_file() else path)

    def _take_uploads_beside(self, section: DatasetTable, folder: Path) -> None:
        """Move the uploads that a dataset reads beside its own file into its folder."""
        for told in section.sets.values():
            waiting = self._waiting(str(told["path"]))
            if waiting.is_file():
                waiting.rename(folder / waiting.name)

    def add_upload(
        self, upload: str, name: str, settings: Mapping[str, Any] | None = None, seen: FirstLook | None = None
    ) -> Entry:
        """Take an upload into the workspace; it is read first, so what cannot be read never becomes a dataset.

        `seen` is what reading it with these settings gave a moment ago: nobody else can change an upload.
        """
        self.check_settings(settings or {})
        path = self.workspace.upload(upload)
        shown = shown_name(name, path)
        with rename_in_errors(path, shown):
            look = seen or first_look(path, self.with_uploads_beside(settings or {}))
        kept = f"original{safe_suffix(path.name)}"
        section = self._named_beside(look.section).of_file(kept)

        def fill(folder: Path) -> None:
            try:
                path.rename(folder / kept)
            except FileNotFoundError:  # a second click was quicker
                raise NoSuchEntry("This upload was taken in the meantime; look among the datasets.") from None
            self._take_uploads_beside(section, folder)

        return self.workspace.create(KIND, _stem(name), _content(section, look.inspection, shown), fill)

    def add_path(self, path: str, settings: Mapping[str, Any] | None = None) -> Entry:
        """Work on a file where it lies; it is never written to."""
        file = self.named_file(path)
        self.check_settings(settings or {})
        look = first_look(file, self.with_uploads_beside(settings or {}))
        section = self._named_beside(look.section).of_file(str(file))
        content = _content(section, look.inspection)
        return self.workspace.create(
            KIND, _stem(file.name), content, lambda folder: self._take_uploads_beside(section, folder)
        )

    def named_file(self, path: str) -> Path:
        """A file of this machine that somebody names; not where others are let in."""
        if not self.allow_paths:
            raise NotApplicable("Files of this machine cannot be named while others are let in; upload the file.")
        try:
            file = Path(path).expanduser()
        except RuntimeError:
            file = Path()  # the home of nobody
        if "\0" in path or not file.is_absolute():
            raise BadParameter("Give the whole path of the file, from the root on.", parameter="path")
        try:
            if file.exists() and not file.is_file() and not file.is_dir():
                raise UnknownFormat(f"{file} is neither a file nor a folder, so it may never end; name a file.")
        except OSError as error:
            raise MissingFile(f"There is no such file: {error.strerror}.") from error
        return file

    def add_sample(self, name: str, size: int | None = None) -> Entry:
        """Sample data, made again and then a dataset like any other."""
        if name not in SAMPLES:
            raise BadParameter(
                f"There is no sample {name!r}; known are {', '.join(SAMPLES)}.{did_you_mean(name, SAMPLES)}",
                parameter="sample",
            )
        sample = SAMPLES[name]
        made: dict[str, Any] = {}

        def fill(folder: Path) -> None:
            places = folder / "locations.csv" if sample.locations is not None else None
            sample.write(folder / "original.csv", locations=places, size=size)
            look = first_look(folder / "original.csv", {})
            beside = {} if places is None else {"locations": places.name}
            section = look.section.of_file("original.csv").changed(beside)
            made.update(_content(section, look.inspection, f"{name}.csv"), sample=name)

        return self.workspace.create(KIND, name, made, fill)

    def open_again(self, path: str, edits: Sequence[Mapping[str, Any]]) -> Entry:
        """A file with these edits as a dataset of its own: one of the workspace is copied, another is read in place."""
        known = next((one for one in self.entries() if whole_table(one)["path"] == path), None)
        entry = self.add_path(path) if known is None else self._copied(known)
        return self._replayed(entry, edits) if edits else entry

    def _copied(self, known: Entry) -> Entry:
        """The same data without edits; what belongs to the entry belongs to the copy, too."""
        table = table_of(known)
        source = Path(whole_table(known)["path"])
        look = first_look(source, table.only((*keys_of_the_file(), STEP)))
        section = look.section.changed(table.only(("kind", "path", "locations")))
        shown = known.content["inspection"].get("file", source.name)

        def fill(folder: Path) -> None:
            beside = {str(one["path"]) for one in table.sets.values()}
            for name in {table["path"], table.get("locations"), *beside} - {None}:
                if not Path(name).is_absolute():
                    shutil.copyfile(known.folder / name, folder / name)

        return self.workspace.create(KIND, known.name, _content(section, look.inspection, shown), fill)

    def _replayed(self, entry: Entry, edits: Sequence[Mapping[str, Any]]) -> Entry:
        """With all these edits, each tried on what the ones before it left; an entry that cannot have them goes."""
        try:
            if len(edits) > _MOST_EDITS:
                raise NotApplicable(f"There may be up to {_MOST_EDITS:,} edits; the file has {len(edits):,}.")
            changes = [edit_from_dict(edit) for edit in edits]
            self._try(entry, changes)
        except CrypsisError:
            self.remove(entry.number)
            raise

        def alter(content: dict[str, Any]) -> None:
            for one in changes:
                _keep_edit(content, one.to_dict())

        return self.workspace.change(KIND, entry.number, alter)

    # Looking

    def entries(self) -> list[Entry]:
        """All datasets, the newest first, each with its roles, edits and what was found in its file."""
        return self.workspace.entries(KIND)

    def entry(self, number: str) -> Entry:
        entry = self.workspace.entry(KIND, number)
        return entry if _OVERWRITING not in entry.content else self._settled(entry)

    def dataset(self, entry: Entry) -> Dataset:
        return Dataset(table_of(entry), entry.folder)

    def load(self, number: str) -> Any:
        """The data as methods take them."""
        entry = self.entry(number)
        with _known_by_name(entry):
            return self.dataset(entry).load()

    def grid(self, number: str) -> Grid:
        """The edited table, open in memory."""
        return self._grid(self.entry(number))

    def _grid(self, entry: Entry) -> Grid:
        with _known_by_name(entry):
            key = (entry.number, int(entry.content.get("edited", 0)), _state_of(self.dataset(entry).file))
            with self._lock:
                if key in self._grids:
                    self._grids.move_to_end(key)
                    return self._grids[key]
            frame = self._frame(entry)
        types = {column["name"]: column["type"] for column in entry.content["inspection"]["columns"]}
        columns = entry.content["section"].get("columns", {})
        types |= {name: column.get("type", "") for name, column in columns.items()}
        numeric = frozenset(name for name, kind in types.items() if kind in ("int", "float"))
        grid = Grid(frame, numeric)
        with self._lock:
            self._grids[key] = grid
            while len(self._grids) > _KEPT_OPEN:
                self._grids.popitem(last=False)
        return grid

    def _frame(self, entry: Entry) -> pl.DataFrame:
        dataset = self.dataset(entry)
        if not dataset.is_table_file():
            return _records_shown(dataset)
        state = _state_of(dataset.file)  # another server, or somebody with an editor, may write to it
        with self._lock:
            known = self._originals.get(entry.number)
        if known is None or known[0] != state:
            known = (state, dataset.original_frame()[0])
            with self._lock:
                self._originals[entry.number] = known
                while len(self._originals) > _KEPT_OPEN:
                    self._originals.popitem(last=False)
        return EditedTable(known[1]).apply(dataset.edits) if dataset.edits else known[1]

    # Changing

    def rename(self, number: str, name: str, revision: int | None = None) -> Entry:
        return self.workspace.change(KIND, number, lambda content: content.update(name=name), revision=revision)

    def set_section(self, number: str, section: Mapping[str, Any], revision: int | None = None) -> Entry:
        """New roles, types or reading options; path and edits stay as they are."""
        self.check_settings(section)

        def alter(content: dict[str, Any]) -> None:
            kept = {key: content["section"][key] for key in ("path", "edits") if key in content["section"]}
            settings = {key: value for key, value in section.items() if value is not None}
            content["section"] = {"kind": content["section"]["kind"], **settings, **kept}

        return self.workspace.change(KIND, number, alter, revision=revision)

    def detect_again(self, number: str, revision: int | None = None) -> Entry:
        """Roles, types and reading options as they are detected in the file; edits stay as they are."""
        entry = self.entry(number)
        with _known_by_name(entry):
            look = first_look(file_on_disk(entry.folder / entry.content["section"]["path"]), {})
        return self.set_section(number, look.section, revision)

    def check_settings(self, section: Mapping[str, Any]) -> None:
        """`BadParameter` for unknown keys of `[dataset]`, wrong values, and files that may not be named."""
        columns = section.get("columns")
        if columns is not None and not isinstance(columns, Mapping):
            raise BadParameter("columns must give a type and a role by the name of a column.", parameter="columns")
        for name, column in (columns or {}).items():
            _check_column(name, column)
        unknown = [key for key in section if key not in {*every_key(), *keys_of_every_kind()} - {"path", "edits"}]
        if unknown:
            raise BadParameter(f"A dataset has no setting {unknown[0]!r}.", parameter=unknown[0])
        if "kind" in section and str(section["kind"]) not in SOURCES:
            raise BadParameter(f"kind must be one of {', '.join(SOURCES)}, got {section['kind']!r}.", parameter="kind")
        for problem in section_problems({key: value for key, value in section.items() if key not in ("path", "edits")}):
            raise BadParameter(f"{problem.message} ({problem.where})", parameter=problem.where.split(".")[-1])
        self._refuse_other_files(section)

    def _refuse_other_files(self, section: Mapping[str, Any]) -> None:
        """Files that a table [dataset] names beside the data must be ones that may be named."""
        if section.get("connection") is not None and not self.allow_paths:
            raise NotApplicable("Databases cannot be named while others are let in; upload a file.")
        sets = [one.get("path") for one in DatasetTable(section).sets.values()]
        sets += [step.table for step in steps_of(section.get(STEP)) if isinstance(step, Join)]
        for path in (*(section.get(name) for name in side_input_files()), *sets):
            if path is not None and (path.startswith("$") or Path(path).name != path):
                self.named_file(path)

    def edit(self, number: str, change: Mapping[str, Any], revision: int | None = None) -> Entry:
        """Carry out one edit, tried before it is kept."""
        edit = edit_from_dict(change)

        def alter(content: dict[str, Any]) -> None:
            if len(content["section"].get("edits", ())) >= _MOST_EDITS:
                raise NotApplicable(f"There are {_MOST_EDITS:,} edits already; save the data and go on from there.")
            _keep_edit(content, edit.to_dict())
            content["undone"] = []

        def tried(entry: Entry) -> Entry:
            self._try(entry, [edit])
            return self.workspace.change(KIND, number, alter, revision=entry.revision)

        return self._on_what_was_seen(number, revision, tried)

    def _try(self, entry: Entry, edits: Sequence[Edit]) -> None:
        """Carry out edits on what is open in memory, so that one that cannot be is refused."""
        if not self.dataset(entry).is_table_file():
            raise NotApplicable("Only tables are edited here; this file has another form.")
        EditedTable(self._grid(entry).frame).apply(edits)

    def _on_what_was_seen(self, number: str, revision: int | None, act: Callable[[Entry], Entry]) -> Entry:
        """Act on an entry that nobody changes in between; who named no revision acts on the newest there is."""
        while True:
            entry = self.entry(number)
            if revision is not None and entry.revision != revision:
                return self.workspace.change(KIND, number, lambda content: None, revision=revision)  # says so
            try:
                return act(entry)
            except ChangedElsewhere:
                if revision is not None:
                    raise

    def undo(self, number: str, revision: int | None = None) -> Entry:
        def alter(content: dict[str, Any]) -> None:
            edits = content["section"].get("edits") or []
            if not edits:
                raise NotApplicable("There is nothing to undo.")
            last = edits.pop()
            content["undone"].append({"edit": last, "columns": content["section"].get("columns")})
            if last["edit"] == "rename":
                _follow_person(content["section"], {"edit": "rename", "column": last["to"], "to": last["column"]})
            before = content["history"].pop()
            if "columns" in content["section"]:
                content["section"]["columns"] = before
            if not edits:
                content["section"].pop("edits")
            content["edited"] = int(content.get("edited", 0)) + 1

        return self.workspace.change(KIND, number, alter, revision=revision)

    def redo(self, number: str, revision: int | None = None) -> Entry:
        def alter(content: dict[str, Any]) -> None:
            if not content["undone"]:
                raise NotApplicable("There is nothing to do again.")
            again = content["undone"].pop()
            _keep_edit(content, again["edit"])
            if again["columns"] is not None:
                content["section"]["columns"] = again["columns"]

        return self.workspace.change(KIND, number, alter, revision=revision)

    def remove(self, number: str) -> None:
        """Remove a dataset. Results of experiments on it stay."""
        self.workspace.remove(KIND, number)
        with self._lock:
            for key in [key for key in self._grids if key[0] == number]:
                del self._grids[key]
            self._originals.pop(number, None)

    def save_as(self, number: str, name: str) -> Entry:
        """The edited table as a dataset of its own."""
        entry = self.entry(number)
        frame = self.grid(number).frame

        def fill(folder: Path) -> None:
            (folder / "original.csv").write_bytes(_written(frame))
            places = entry.folder / "locations.csv"
            if places.is_file():
                (folder / places.name).write_bytes(places.read_bytes())

        section = table_of(entry).without(("edits", *keys_of_the_file())).of_file("original.csv")
        return self.workspace.create(KIND, name, _content(section, entry.content["inspection"]), fill)

    def overwrite(self, number: str, revision: int | None = None) -> Entry:
        """Write the edited table over the file that was read, and go on from there. Whoever calls this has asked."""

        def written(entry: Entry) -> Entry:
            files = self.dataset(entry).files
            file = files[0].resolve()
            if file.suffix.lower() not in (".csv", ".tsv") or file_on_disk(file) != file or len(files) > 1:
                raise NotApplicable("Only CSV files are overwritten here; save the data as a new dataset instead.")
            separator = entry.content["section"].get("separator") or ("\t" if file.suffix.lower() == ".tsv" else ",")
            content = _written(self._grid(entry).frame, separator)

            def alter(told: dict[str, Any]) -> None:
                # Whoever is killed between the two writes must not find the edits applied and listed.
                write_entry(entry.folder, entry.revision, {**told, _OVERWRITING: sha256(content).hexdigest()})
                write_file(file, content, mode=file.stat().st_mode & 0o777)
                _without_edits(told)

            return self.workspace.change(KIND, number, alter, revision=entry.revision)

        return self._on_what_was_seen(number, revision, written)

    def _settled(self, entry: Entry) -> Entry:
        """After somebody was killed while overwriting: the edits are in the file, or they are still to be applied."""

        def alter(told: dict[str, Any]) -> None:
            promised = told.pop(_OVERWRITING, None)
            if promised is not None and sha256(self.dataset(entry).file.read_bytes()).hexdigest() == promised:
                _without_edits(told)

        return self.workspace.change(KIND, entry.number, alter)

    def csv(self, number: str, separator: str = ",") -> bytes:
        """The edited table as CSV."""
        return _written(self.grid(number).frame, separator)

    # People

    def person_question(self, number: str) -> PersonLike | None:
        """The column that seems to name people with several records, as long as nobody said whether it does."""
        return getattr(self.load(number), "person_like", None)

    def suggested_run(self, number: str) -> Run | None:
        """A method for the data with settings to begin with, which count people where some have several records."""
        entry = self.entry(number)
        return suggested_run(Dataset(whole_table(entry), entry.folder))

    def say_person(self, number: str, column: str | None, revision: int | None = None) -> Entry:
        """Answer: a column names the person, which makes it an identifier; or, without one, each record is a person."""
        answered = ("each_row_is_a_person", "person", "unite", "path", "edits")
        section = dict(table_of(self.entry(number)).without(answered))
        if column is None:
            return self.set_section(number, section | {"each_row_is_a_person": True}, revision)
        section["person"] = column
        if section["kind"] == "transactions":
            section["unite"] = "person"  # the suggested method counts records; the page can take it back
        columns = section.get("columns") or {}
        if column in columns:
            section["columns"] = {**columns, column: {**columns[column], "role": "identifier"}}
        return self.set_section(number, section, revision)

    # Risk at a glance

    def risk(self, number: str) -> RiskOverview:
        """How surely people can be picked out of the data as they are. Aggregates only."""
        from crypsis.attacks.risk_overview import overview

        return overview(self.load(number))


def _content(section: DatasetTable, inspection: Mapping[str, Any], shown: str | None = None) -> dict[str, Any]:
    """A dataset that nobody has edited: how its file is read, and what is in it, with the name by which it is shown."""
    named = {} if shown is None else {"file": shown}
    return {"section": dict(section), "undone": [], "history": [], "inspection": {**inspection, **named}}


_OVERWRITING = "overwriting"  # the digest of what the file will hold


def _without_edits(content: dict[str, Any]) -> None:
    """They are in the file now."""
    content["section"].pop("edits", None)
    content["undone"], content["history"] = [], []
    content["edited"] = int(content.get("edited", 0)) + 1


def _state_of(file: Path) -> _State:
    status = file_on_disk(file).stat()
    return status.st_mtime_ns, status.st_size, status.st_ino


@contextmanager
def _known_by_name(entry: Entry) -> Iterator[None]:
    """Errors speak of a file of the workspace by the name that it had where it came from."""
    file = entry.folder / entry.content["section"]["path"]
    if file.parent != entry.folder:  # named by whoever works with it
        yield
        return
    with rename_in_errors(file, str(entry.content["inspection"].get("file") or entry.name)):
        yield


def shown_name(name: str, path: Path) -> str:
    """What a file was called where it came from; only to be shown."""
    printable = "".join(one for one in Path(name.replace("\\", "/")).name if one.isprintable())[:120]
    return printable if "." in printable else printable + "".join(path.suffixes)


def table_of(entry: Entry) -> DatasetTable:
    """The table `[dataset]` of an entry."""
    return DatasetTable(entry.content["section"])


def whole_table(entry: Entry) -> DatasetTable:
    """The same with paths that hold everywhere on this machine."""
    return table_of(entry).located(lambda path: str(entry.folder / path))


def _check_column(name: str, column: Any) -> None:
    types = (*COLUMN_TYPES, "items")
    if not isinstance(column, Mapping):
        raise BadParameter(f"Column {name!r}: give a type and a role.", parameter="columns")
    if "type" in column and column["type"] not in types:
        raise BadParameter(f"Column {name!r}: type must be one of {', '.join(types)}.", parameter="columns")
    roles = (*ROLES, PERSON)
    if "role" in column and column["role"] not in roles:
        raise BadParameter(f"Column {name!r}: role must be one of {', '.join(roles)}.", parameter="columns")
    if "type" not in column and "role" not in column:
        raise BadParameter(f"Column {name!r}: give a type or a role.", parameter="columns")


def _keep_edit(content: dict[str, Any], change: dict[str, Any]) -> None:
    """One more edit, with the columns as they are after it; those before it are kept for undo."""
    section = content["section"]
    content.setdefault("history", []).append(dict(section.get("columns") or {}))
    section.setdefault("edits", []).append(change)
    if "columns" in section:
        section["columns"] = _columns_after(section["columns"], change)
    _follow_person(section, change)
    content["edited"] = int(content.get("edited", 0)) + 1


def _columns_after(columns: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The roles after an edit: a renamed column keeps its own, a new one has none that matters."""
    if change["edit"] == "rename":
        return {change["to"] if name == change["column"] else name: column for name, column in columns.items()}
    if change["edit"] == "delete_column":
        return {name: column for name, column in columns.items() if name != change["column"]}
    if change["edit"] == "add_column":
        return {**columns, change["column"]: {"type": "category", "role": "other"}}
    return dict(columns)


def _follow_person(section: dict[str, Any], change: Mapping[str, Any]) -> None:
    """The column that names the person keeps doing so under another name; without it the question is asked again."""
    if section.get("person") is None or section["person"] != change.get("column"):
        return
    if change["edit"] == "rename":
        section["person"] = change["to"]
    elif change["edit"] == "delete_column":
        del section["person"]


def _records_shown(dataset: Dataset) -> pl.DataFrame:
    """Sequences and tracks as rows of a grid; labels may hold spaces."""
    data = dataset.load()
    if hasattr(data, "to_lists"):
        rows = data.to_lists()
        return pl.DataFrame(
            {"record": range(1, len(rows) + 1), "content": [data.separator.join(map(str, row)) for row in rows]},
            schema={"record": pl.Int64, "content": pl.String},
        )
    frame: pl.DataFrame = data.to_frame()
    return frame


def _written(frame: pl.DataFrame, separator: str = ",") -> bytes:
    """The content of a CSV file; what such a file cannot hold as it is becomes text."""
    if not frame.width:
        return b""
    plain = frame.with_columns(plain_text(frame[name]) for name, dtype in frame.schema.items() if is_odd(dtype))
    style: Any = "always" if frame.width == 1 else "necessary"
    return plain.write_csv(separator=separator, quote_style=style).encode()


def _stem(name: str) -> str:
    """What people call it: the name without folders and endings. Never part of a path."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return base.split(".")[0] or base or "dataset"
