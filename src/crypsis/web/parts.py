"""Data in parts of the workspace: a folder or a pattern of files of this machine that need not fit in memory.

Nothing of them is copied. An entry keeps how the parts are read, what is to be done with them and where, and the
release that came of it, in a folder of its own. Each task is a process: it can be ended at any moment, and the server
stays quick meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from crypsis.data.formats.tabular import files_of
from crypsis.errors import (
    BadParameter,
    CrypsisError,
    MissingFile,
    NoSuchEntry,
    NotApplicable,
    StaleResult,
    StateInUse,
    VerificationFailed,
)
from crypsis.evaluate.dataset_table import side_input_files
from crypsis.evaluate.parts_run import KINDS, ROWS_SHOWN, PartsTask, methods_on_parts
from crypsis.evaluate.worker_process import WorkerProcess, started_worker
from crypsis.executors.choice import PATHS, WhereToRun
from crypsis.executors.scratch import remove_abandoned
from crypsis.publication.table_parts import part_name
from crypsis.release import private_paths
from crypsis.release_folder import REPORT, open_release_folder
from crypsis.translation import marked
from crypsis.web.datasets import Datasets
from crypsis.web.declaration import Declaration
from crypsis.web.packing import pack_folder
from crypsis.web.what_changed import changes_of_parts
from crypsis.web.workspace import Entry, Workspace

KIND = "parts"
RELEASE = "release"
_PROGRAM = "crypsis.evaluate.parts_run"
_THREADS = 2  # of each library that has threads of its own
_LOST = marked("The process that did the work ended unexpectedly, perhaps for lack of memory; nothing was written.")


@dataclass(frozen=True)
class PartsProgress:
    """How far a task is, or how the last one ended. `error` says why nothing came of it."""

    task: str = ""
    running: bool = False
    stage: str = ""
    share: float | None = None
    rounds: int = 0
    workers: int = 1
    seconds: float = 0.0
    cancelled: bool = False
    error: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The machine-readable form."""
        return asdict(self)


@dataclass(frozen=True)
class PartsRows:
    """Some rows as texts, below the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(eq=False)
class _Running:
    """A task under way, or how it ended."""

    task: PartsTask
    worker: WorkerProcess
    running: bool = True
    made: Mapping[str, Any] = field(default_factory=dict)  # what the release is made of, and how
    cancelled: bool = False
    told: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None
    thread: threading.Thread | None = None

    @property
    def progress(self) -> PartsProgress:
        known = {
            name: self.told[name] for name in ("stage", "share", "rounds", "workers", "seconds") if name in self.told
        }
        return PartsProgress(self.task.task, self.running, cancelled=self.cancelled, error=self.error, **known)


class Parts:
    """The data in parts that somebody opened here."""

    def __init__(self, workspace: Workspace, datasets: Datasets, declaration: Declaration) -> None:
        self.workspace, self.datasets, self.declaration = workspace, datasets, declaration
        self._tasks: dict[str, _Running] = {}
        self._looks: dict[str, tuple[dict[str, Any], PartsRows]] = {}
        self._lock = threading.Lock()

    # What there is

    def entries(self) -> list[Entry]:
        """All data in parts that were opened here, the newest first."""
        return self.workspace.entries(KIND)

    def entry(self, number: str) -> Entry:
        return self.workspace.entry(KIND, number)

    def open_path(self, path: str) -> Entry:
        """A folder or a pattern of this machine; what is open already stays the one entry."""
        place = self.datasets.named_file(path)
        files = files_of(place, {})
        if not files or not all(file.is_file() for file in files):
            raise MissingFile(f"There are no files at {place}.", where=str(place))
        known = next((entry for entry in self.entries() if entry.content["section"]["path"] == str(place)), None)
        name = place.parent.name if "*" in place.name or "?" in place.name else place.name
        return known or self.workspace.create(KIND, name or "parts", {"section": {"path": str(place)}, "run": {}})

    def remove(self, number: str) -> None:
        """Forget the parts and their release; the files themselves stay."""
        self.cancel(number)
        self.workspace.remove(KIND, number)
        self._looks.pop(number, None)

    # How they are read, and what is done with them

    def set_section(self, number: str, section: Mapping[str, Any], revision: int | None = None) -> Entry:
        """Other roles or options of reading; the path stays."""
        if str(section.get("kind")) not in KINDS:
            raise BadParameter(
                f"kind must be one of {', '.join(KINDS)}, got {section.get('kind')!r}.", parameter="kind"
            )
        own = {name: value for name, value in section.items() if name != "path" and value is not None}
        self.datasets.check_settings(own)
        for name in side_input_files():
            if own.get(name):
                self.datasets.named_file(str(own[name]))

        def alter(content: dict[str, Any]) -> None:
            content["section"] = {**own, "path": content["section"]["path"]}

        known, before = self._looks.get(number), self.entry(number).content["section"]
        if known is not None:
            apart = ("columns", "path", "each_row_is_a_person")
            if {**own, **dict.fromkeys(apart)} != {**before, **dict.fromkeys(apart)}:
                self._looks.pop(number, None)  # it must be looked at again
            else:
                self._looks[number] = ({**known[0], "distinct_rows": None}, known[1])
        return self.workspace.change(KIND, number, alter, revision=revision)

    def set_run(self, number: str, run: Mapping[str, Any], revision: int | None = None) -> Entry:
        """The method with its parameters, and where it runs."""
        unknown = [name for name in run if name not in ("method", "params", "where", "confirm")]
        if unknown:
            raise BadParameter(f"A run has no setting {unknown[0]!r}.", parameter=unknown[0])
        where = dict(run.get("where") or {})
        known = WhereToRun().parameters()
        for name in where:
            if name not in known:
                raise BadParameter(f"Where to run has no setting {name!r}.", parameter=name)
        WhereToRun(**where)
        for name in PATHS:
            if where.get(name):
                self.datasets.named_file(str(where[name]))
        return self.workspace.change(KIND, number, lambda content: content.update(run=dict(run)), revision=revision)

    def methods(self, number: str) -> list[str]:
        """The methods that work on such data in parts."""
        return methods_on_parts(str(self.entry(number).content["section"].get("kind", "")))

    # Tasks

    def look(self, number: str) -> PartsProgress:
        """Count what the parts hold, and take their first rows."""
        entry = self.entry(number)
        where = {name: value for name, value in _where(entry).items() if name != "block_rows"}
        return self._start(entry, PartsTask("look", entry.content["section"], where))

    def start(self, number: str) -> PartsProgress:
        """Anonymize the parts, verify the release and write it."""
        entry = self.entry(number)
        run = entry.content["run"]
        if not run.get("method"):
            raise BadParameter("Choose a method first.", parameter="method")
        if "kind" not in entry.content["section"]:
            raise NotApplicable("Look at the parts first: it is not known yet what they hold.")
        about = self.declaration.about
        task = PartsTask(
            "anonymize",
            entry.content["section"],
            _where(entry),
            str(run["method"]),
            dict(run.get("params") or {}),
            str(entry.folder / RELEASE),
            tuple(run.get("confirm") or ()),
            None if about is None else about.to_dict(),
        )
        return self._start(entry, task, _made_of(entry))

    def verify(self, number: str) -> PartsProgress:
        """Recount the release from its files alone."""
        entry = self.entry(number)
        folder = self.release_folder(number)
        return self._start(entry, PartsTask("verify", {}, _where(entry), target=str(folder)))

    def _start(self, entry: Entry, task: PartsTask, made: Mapping[str, Any] | None = None) -> PartsProgress:
        if not self.datasets.allow_paths:
            raise NotApplicable("Files of this machine cannot be named while others are let in; upload the file.")
        task.place.check()
        with self._lock:
            known = self._tasks.get(entry.number)
            if known is not None and known.running:
                raise StateInUse("These parts are being worked on already.")
            worker = started_worker(_PROGRAM, _THREADS, fresh=True)
            running = self._tasks[entry.number] = _Running(task, worker, made=made or {})
        worker.send(asdict(task))
        running.thread = threading.Thread(target=self._listen, args=(entry.number, running), daemon=True)
        running.thread.start()
        return running.progress

    def _listen(self, number: str, running: _Running) -> None:
        """Note what the process tells until it ends."""
        ended = False
        while (events := running.worker.lines()) is not None:
            for event in events:
                content: dict[str, Any] = dict(event)
                if content["event"] == "progress":
                    running.told = content
                elif content["event"] == "failed":
                    ended, running.error = True, content["error"]
                else:
                    ended = True
                    with suppress(NoSuchEntry):  # removed meanwhile
                        self._keep(number, running, content["result"])
        running.worker.stop()
        if not ended and not running.cancelled:
            running.error = {"code": "worker-lost", "message": _LOST}
        running.running = False

    def _keep(self, number: str, running: _Running, result: dict[str, Any]) -> None:
        """What came of a task. Rows of the original stay in memory."""
        task = running.task
        if task.task == "look":
            rows = PartsRows(tuple(result["columns"]), tuple(map(tuple, result["rows"])))
            self._looks[number] = (result["facts"], rows)
            if "kind" not in task.section:
                self.workspace.change(KIND, number, lambda content: content.update(section=result["section"]))
            return
        known = result if task.task == "anonymize" else {**(self.entry(number).content.get("result") or {}), **result}
        made = (known.get("made") or {}) if task.task == "verify" else running.made
        known = {**known, "made": made, "checked": task.task == "verify"}
        self.workspace.change(KIND, number, lambda content: content.update(result=known))

    def progress(self, number: str) -> PartsProgress:
        """How far the task is, or how the last one ended."""
        self.entry(number)
        known = self._tasks.get(number)
        return PartsProgress() if known is None else known.progress

    def cancel(self, number: str) -> PartsProgress:
        """End the task at once; the release of before stays, and scratch is removed."""
        known = self._tasks.get(number)
        if known is not None and known.running:
            known.cancelled = True
            with suppress(OSError):  # it leads a group, in which are the workers of a cluster that it started
                os.killpg(known.worker.process.pid, signal.SIGKILL)
            if known.thread is not None:
                known.thread.join(10)
            remove_abandoned(known.task.where.get("scratch"))
        return self.progress(number)

    def close(self) -> None:
        """End every task."""
        for number in list(self._tasks):
            with suppress(NoSuchEntry):
                self.cancel(number)

    # What came of it

    def facts(self, number: str) -> Mapping[str, Any] | None:
        """What the parts hold; None before somebody has looked."""
        known = self._looks.get(number)
        return None if known is None else known[0]

    def first_rows(self, number: str) -> PartsRows | None:
        """The first rows of the parts; None before somebody has looked."""
        known = self._looks.get(number)
        return None if known is None else known[1]

    def is_outdated(self, number: str) -> bool:
        """Whether the release was made of other files or with other settings than those of now."""
        entry = self.entry(number)
        made = (entry.content.get("result") or {}).get("made")
        return made is not None and made != _made_of(entry)

    def changes(self, number: str) -> str:
        """What is not what the release was made with, in words."""
        entry = self.entry(number)
        made = (entry.content.get("result") or {}).get("made")
        return "" if not made else changes_of_parts(made, _made_of(entry))

    def release_folder(self, number: str) -> Path:
        """The folder of the release."""
        folder = self.entry(number).folder / RELEASE
        if not folder.is_dir():
            raise NoSuchEntry("There is no release of these parts yet; run a method first.")
        return folder

    def release_rows(self, number: str) -> PartsRows | None:
        """The first published rows; None where the records do not lie in parts."""
        parts = [*self.release_folder(number).glob(f"*/{part_name(0)}")]
        if not parts:
            return None
        frame = pl.scan_parquet(parts[0]).head(ROWS_SHOWN).collect()
        cells = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in frame.iter_rows())
        return PartsRows(tuple(frame.columns), cells)

    def report(self, number: str) -> str:
        """The report of the release, as it lies in the folder."""
        return (self.release_folder(number) / REPORT).read_text(encoding="utf-8")

    def archive(self, number: str, *, stale: bool = False) -> Path:
        """The verified release as an archive; whoever asked for it removes it. One that was made of other data or with
        other settings is refused unless `stale` says that it is meant."""
        folder = self.release_folder(number)
        result = self.entry(number).content.get("result") or {}
        damage = open_release_folder(folder).damage
        if damage or not result.get("holds"):
            raise VerificationFailed(damage[0] if damage else str(result.get("verdict", "")))
        if not stale and self.is_outdated(number):
            raise StaleResult(
                "This result is stale: the data or the settings have changed since. Run it again, or confirm that the "
                "stale one is meant (stale=true)."
            )
        made = self.workspace.unfinished()
        return pack_folder(folder, made.with_name(f"{made.name}.zip"))

    def private_report(self, number: str) -> Path:
        """What only the publisher may see of the release."""
        return private_paths(self.release_folder(number).with_name(f"{RELEASE}.private.json"))[0]


def _where(entry: Entry) -> dict[str, Any]:
    """Where the work runs; what is not said is left to the executor."""
    return {name: value for name, value in (entry.content["run"].get("where") or {}).items() if value not in (None, "")}


def _made_of(entry: Entry) -> dict[str, Any]:
    """What a release of the entry would be made of now, and how."""
    section, run = entry.content["section"], entry.content["run"]
    return {
        "section": section,
        "method": run.get("method"),
        "params": run.get("params") or {},
        "block_rows": (run.get("where") or {}).get("block_rows") or None,
        "files": _state_of_files(Path(section["path"])),
    }


def _state_of_files(place: Path) -> str | None:
    """A digest of the names, sizes and times of the parts; None where there are none any more."""
    try:
        stamps = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files_of(place, {})]
    except (CrypsisError, OSError):
        return None
    return hashlib.sha256(repr(stamps).encode()).hexdigest()
