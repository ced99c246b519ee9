"""Data in parts, worked on for somebody who watches: a look at them, a release of them, and its verification.

A task runs in a process of its own (`python -m crypsis.evaluate.parts_run`): it comes in as a line of JSON, and what
happens goes out as lines of JSON. Who started the process ends it to cancel: a release is written whole or not at all,
and the scratch folder of a process that is gone is removed by whoever looks for it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crypsis._api import anonymize, read_release
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.scanned import Part, ScannedTable
from crypsis.data.scanned_records import ScannedRecords
from crypsis.errors import CrypsisError, InternalError, NotApplicable, describe_bug
from crypsis.evaluate.child_process import channel_to_starter
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.first_look import first_look
from crypsis.evaluate.inputs import Inputs, Queries
from crypsis.evaluate.scanned_facts import facts_of
from crypsis.executors.choice import WhereToRun
from crypsis.executors.counted import CountedExecutor
from crypsis.methods import METHODS, Method, method_named
from crypsis.methods.scaling import BLOCK_ROWS, Scaling
from crypsis.parameters import parameters_of
from crypsis.parts_release import PartsRelease, verify_release_parts
from crypsis.publication.table_parts import PARTS
from crypsis.release import Release
from crypsis.release_folder import open_release_folder
from crypsis.reports.about import About
from crypsis.run_context import Progress, RunContext

ROWS_SHOWN = 20
TOLD_EVERY = 0.25  # seconds between two messages
KINDS = ("table", "transactions", "trajectories", "tracks")

Tell = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class PartsTask:
    """What is to be done: `look`, `anonymize` or `verify`. `section` is a table `[dataset]` whose path is of parts."""

    task: str
    section: Mapping[str, Any]
    where: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    target: str = ""
    confirm: tuple[str, ...] = ()
    about: Mapping[str, Any] | None = None

    @property
    def place(self) -> WhereToRun:
        """Where the work runs; this process unless something else is said."""
        told = WhereToRun(**self.where)
        return told if told.executor is not None else replace(told, executor="serial")


def methods_on_parts(kind: str) -> list[str]:
    """The methods for data of a kind that work on them in parts."""
    return [
        name
        for name, method in METHODS.items()
        if kind in KINDS and method.accepts.__name__.lower() == kind and method.scaling is not Scaling.NONE
    ]


def _suggested_section(section: Mapping[str, Any]) -> dict[str, Any]:
    """How parts would be read, as the first of them suggests; what is said already holds."""
    first = Dataset(section, Path.cwd()).file
    options = {name: value for name, value in section.items() if name != "path"}
    found = dict(first_look(first, options).section)
    if found["kind"] not in KINDS:
        if "columns" not in found:
            raise NotApplicable(
                f"These files look like {found['kind']} data; tables, sets, trajectories and tracks are worked on in "
                "parts."
            )
        found["kind"] = "table"
    if found["kind"] == "table":
        found["columns"] = {name: _plain(column) for name, column in found["columns"].items()}
    return {**found, "path": section["path"]}


def _plain(column: Mapping[str, Any]) -> dict[str, Any]:
    """A column with a role; the type is told by all parts together. Sets in cells are left out until somebody says."""
    return {"role": column.get("role", "identifier")}


def scanned_of(section: Mapping[str, Any]) -> ScannedTable | ScannedRecords:
    """The parts that a table `[dataset]` describes."""
    dataset = Dataset(section, Path.cwd())
    kind: Any = ScannedTable if dataset.kind == "table" else ScannedRecords
    scanned: ScannedTable | ScannedRecords = kind.of(dataset.source, dataset.data_file)
    return scanned


def first_rows(scanned: ScannedTable | ScannedRecords) -> pl.DataFrame:
    """The first rows of the first part."""
    file = scanned.file.first
    if isinstance(scanned, ScannedTable):
        frame, _ = read_table_file(file, format=scanned.file.format, **scanned.file.options)
        return frame.head(ROWS_SHOWN)
    part = Part(file, scanned.stamps[file], scanned.file.format, scanned.file.options)
    if scanned.source.kind == "tracks":
        return scanned.read_rows(part).head(ROWS_SHOWN)
    data = scanned.read_part(part)
    rows = data.take(np.arange(min(ROWS_SHOWN, len(data)))).to_lists()
    return pl.DataFrame({"record": range(1, len(rows) + 1), "content": [" ".join(map(str, row)) for row in rows]})


def method_of(task: PartsTask) -> Method:
    """The method with what was typed for it."""
    kind = method_named(task.method)
    inputs = Inputs({}, {}, Queries(), Path.cwd())
    known = {parameter.name: parameter for parameter in parameters_of(kind)}
    given = {name: inputs.value(known[name], value, kind.__name__) for name, value in task.params.items()}
    return kind(**given)


class _Watch:
    """Tells twice a second how far the work is: stage, share, rounds, workers."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._stage = tell, "read"
        self._share: float | None = None
        self._executor: CountedExecutor | None = None
        self._began = time.perf_counter()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def listen(self, message: Progress) -> None:
        self._stage, self._share = message.stage, message.share

    def _run(self) -> None:
        while not self._ended.wait(TOLD_EVERY):
            self.say()

    def say(self) -> None:
        executor = self._executor
        self._tell(
            {
                "event": "progress",
                "stage": self._stage,
                "share": self._share,
                "rounds": 0 if executor is None else executor.rounds,
                "workers": 1 if executor is None else executor.workers,
                "seconds": round(time.perf_counter() - self._began, 1),
            }
        )

    @contextmanager
    def watching(self, where: WhereToRun, stage: str) -> Iterator[CountedExecutor]:
        """The executor, watched until the work ends."""
        where.check()
        self._stage = stage
        self._thread.start()
        try:
            with CountedExecutor(where.start()) as executor:
                self._executor = executor
                yield executor
        finally:
            self._ended.set()
            self._thread.join()


def carry_out(task: PartsTask, tell: Tell) -> None:
    """Do what is asked; what comes of it, or why nothing does, is the last thing that is told."""
    try:
        tell({"event": "done", "result": _WORK[task.task](task, tell)})
    except CrypsisError as error:
        tell({"event": "failed", "error": _told(error)})
    except MemoryError:
        tell({"event": "failed", "error": {"code": "too-large", "message": "There was not enough memory."}})
    except Exception as error:
        bug = InternalError(f"This is a bug of Crypsis: {describe_bug(error)}.")
        tell({"event": "failed", "error": _told(bug)})


def _told(error: CrypsisError) -> dict[str, Any]:
    names = ("parameter", "columns", "column", "block_rows")
    details = {name: error.details[name] for name in names if name in error.details}
    return {"code": error.code, "message": str(error), **details}


def _look(task: PartsTask, tell: Tell) -> dict[str, Any]:
    """How parts are read, what they hold, and their first rows."""
    section = dict(task.section)
    if "kind" not in section:
        section = _suggested_section(section)
    scanned = scanned_of(section)
    rows = first_rows(scanned)
    watch = _Watch(tell)
    with watch.watching(task.place, "read") as executor:
        facts = facts_of(scanned, executor, RunContext(watch.listen))
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows.iter_rows()]
    return {"section": section, "facts": facts.to_dict(), "columns": rows.columns, "rows": cells}


def _anonymize(task: PartsTask, tell: Tell) -> dict[str, Any]:
    """A verified release in parts, written to the target."""
    method, scanned, where = method_of(task), scanned_of(task.section), task.place
    watch = _Watch(tell)
    with watch.watching(where, "read") as executor:
        rows = where.block_rows or BLOCK_ROWS
        release: Release | PartsRelease = anonymize(
            scanned, method, listener=watch.listen, executor=executor, block_rows=rows
        )
        release.about = None if task.about is None else About.of(task.about)
        verdict = release.verify()
        target = Path(task.target)
        folder = release.write(
            target,
            format=PARTS if PARTS in release.kind.files else None,
            overwrite=True,
            confirm=task.confirm,
            private_report=target.with_name(f"{target.name}.private.json"),
        )
        return {
            "verdict": str(verdict),
            "holds": verdict.holds,
            "review": release.review().to_dict(),
            "figures": release.figures(),
            "records": len(release.data),
            "files": sum(1 for path in folder.rglob("*") if path.is_file()),
            "rounds": executor.rounds,
            "workers": executor.workers,
            "timings": {name: round(seconds, 3) for name, seconds in release.context.timings.items()},
            "warnings": list(release.context.warnings),
        }


def _verify(task: PartsTask, tell: Tell) -> dict[str, Any]:
    """The verdict on the release, from its files alone."""
    watch = _Watch(tell)
    with watch.watching(task.place, "verify") as executor:
        in_parts = _is_in_parts(Path(task.target))
        verdict = verify_release_parts(task.target, executor) if in_parts else read_release(task.target).verify()
    return {"verdict": str(verdict), "holds": verdict.holds}


def _is_in_parts(folder: Path) -> bool:
    """Whether the records of a release lie in parts; those of some methods are put together in one file."""
    return bool(open_release_folder(folder).manifest["data"]["format"] == PARTS)


_WORK: dict[str, Callable[[PartsTask, Tell], dict[str, Any]]] = {
    "look": _look,
    "anonymize": _anonymize,
    "verify": _verify,
}


def main() -> None:
    """One task from standard input."""
    tell = channel_to_starter()
    message = json.loads(sys.stdin.readline())
    carry_out(PartsTask(**{**message, "confirm": tuple(message.get("confirm") or ())}), tell)


if __name__ == "__main__":
    main()
