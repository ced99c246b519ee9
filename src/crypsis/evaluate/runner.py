"""Running an experiment: cells go to worker processes, results appear as each ends, and nothing finished runs again.

Events are plain dictionaries:

    {"event": "experiment", "name", "folder", "cells", "waiting", "reused", "workers"}
    {"event": "cell", "cell": id, "label", "method", "params", "repeat", "state": "running" | … , "code", "message"}
    {"event": "phase", "cell": id, "phase", "share"}           share is None where the end cannot be told
    {"event": "done", "folder", "counts": {state: number}, "exit_code", "seconds"}
"""

from __future__ import annotations

import hashlib
import json
import os
import selectors
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from crypsis.errors import BadParameter, CrypsisError, WriteFailed
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.results import write_results
from crypsis.evaluate.store import Store
from crypsis.evaluate.stored_cell import FINISHED, End, StoredCell
from crypsis.evaluate.validation import Limits
from crypsis.evaluate.worker_process import WorkerEvent, WorkerProcess, release_worker, started_worker
from crypsis.executors.scratch import remove_abandoned

OnEvent = Callable[[dict[str, Any]], None]
RESULTS_EVERY = 1.0  # seconds between two writings of the table of results
LOOK_EVERY = 0.1  # seconds between two looks at the limits
WORKER = "crypsis.evaluate.worker"
_NOT_MEASURED = ("infeasible",)


class Cancel(Protocol):
    """A `threading.Event`, or anything like it."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True)
class Outcome:
    """How an experiment ended. `occupied` are the seconds that workers had cells, their first start and the loading of
    kernels aside; `inside` those of them that methods, verifiers and metrics took."""

    folder: Path
    counts: Mapping[str, int]
    ran: int
    reused: int
    exit_code: int
    seconds: float
    inside: float = 0.0
    occupied: float = 0.0

    def _repr_html_(self) -> str:
        return self.store()._repr_html_()

    def store(self) -> Store:
        """The results."""
        return Store(self.folder)

    def to_dict(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "counts": dict(self.counts),
            "ran": self.ran,
            "reused": self.reused,
            "exit_code": self.exit_code,
            "seconds": self.seconds,
        }


def run(
    experiment: Experiment,
    folder: str | Path,
    *,
    workers: int | None = None,
    fresh: bool = False,
    limits: Limits | Mapping[str, float | None] | None = None,
    on_event: OnEvent | None = None,
    cancel: Cancel | None = None,
) -> Outcome:
    """Run what is not finished yet and store it in `folder`; `BadExperiment` lists all problems before anything runs.

    `workers` are processes, by default as the experiment says, or two, or one that asks a cluster. Ctrl-C and `cancel`
    stop the workers; what they were at is cancelled and runs again next time.
    """
    experiment.require_sound()
    usual = 1 if experiment.where is not None and experiment.where.is_cluster else min(2, os.cpu_count() or 1)
    wanted = workers if workers is not None else experiment.workers or usual
    if wanted < 1:
        raise BadParameter(f"run: workers must be an int of at least 1, got {wanted}.", parameter="workers")
    store = Store(folder)
    cells = experiment.cells()
    try:
        with store.in_use():
            session = _Session(
                experiment, store, cells, experiment.limits.tightened(limits), on_event or (lambda event: None)
            )
            if fresh:
                for cell in cells:
                    store.forget(cell.id)
            store.begin(experiment, cells)
            return session.run(wanted, cancel)
    except CrypsisError:
        raise
    except BrokenPipeError:
        raise  # whoever listened to the events is gone
    except OSError as error:
        raise WriteFailed(
            f"The results could not be written: {error.strerror or error}. Free space, or choose another folder.",
            where=str(folder),
        ) from error


def measured_digest(experiment: Experiment) -> str:
    """Return the digest of what is measured: a cell that was measured otherwise runs again."""
    text = json.dumps([experiment.content.get("metrics"), experiment.inputs.queries_digest], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass
class _Session:
    """One call of `run`."""

    experiment: Experiment
    store: Store
    cells: list[Cell]
    limits: Limits
    tell: OnEvent
    states: dict[str, str] = field(default_factory=dict)
    failures: list[int] = field(default_factory=list)  # exit codes
    inside: float = 0.0
    occupied: float = 0.0
    written: float = 0.0
    here: Path = field(default_factory=lambda: Path().absolute())

    def run(self, wanted: int, cancel: Cancel | None) -> Outcome:
        began = time.perf_counter()
        measured = measured_digest(self.experiment)
        waiting: deque[Cell] = deque()
        seen: set[str] = set()
        for cell in self.cells:
            if cell.id in seen:
                continue  # two runs with the same setting share one result
            seen.add(cell.id)
            end = self.store.cell(cell.id).end
            if self._is_finished(end, measured):
                self.states[cell.id] = end.state
                if end.state != "done":
                    self.failures.append(end.exit_code)
            else:
                waiting.append(cell)
                self.states[cell.id] = "waiting"
        todo, reused = len(waiting), len(seen) - len(waiting)
        count = min(wanted, todo)
        self.tell(
            {
                "event": "experiment",
                "name": self.experiment.name,
                "folder": str(self.store.folder),
                "cells": len(self.cells),
                "waiting": todo,
                "reused": reused,
                "workers": count,
            }
        )
        write_results(self.store)
        workers: list[WorkerProcess] = []
        cancelled = False
        with selectors.DefaultSelector() as selector:
            try:
                for _ in range(count):
                    self._start(workers, selector, measured)
                while waiting or any(worker.cell for worker in workers):
                    if cancel is not None and cancel.is_set():
                        cancelled = True
                        break
                    self._listen(workers, waiting, selector, measured)
                    self._enforce_limits(workers, waiting, selector, measured)
                    if time.perf_counter() - self.written > RESULTS_EVERY:
                        self._write_results()
            except KeyboardInterrupt:
                self._cancel(workers)
                self._write_results()
                raise
            finally:
                self._cancel(workers)
                now = time.perf_counter()
                self.occupied += sum(now - worker.ready_at for worker in workers if worker.ready_at is not None)
                for worker in workers:
                    release_worker(worker)
        self._write_results()
        counts: dict[str, int] = {}
        for cell in self.cells:
            state = self.states[cell.id]
            counts[state] = counts.get(state, 0) + 1
        code = 130 if cancelled else exit_code(counts, self.failures)
        seconds = time.perf_counter() - began
        self.tell(
            {
                "event": "done",
                "folder": str(self.store.folder),
                "counts": counts,
                "exit_code": code,
                "seconds": seconds,
            }
        )
        ran = todo - len(waiting)
        return Outcome(self.store.folder, counts, ran, reused, code, seconds, self.inside, self.occupied)

    def _is_finished(self, end: End, measured: str) -> bool:
        if end.state == "too_slow":
            return end.limit is not None and self.limits.seconds is not None and self.limits.seconds <= end.limit
        return end.state in FINISHED and (end.state in _NOT_MEASURED or end.measured == measured)

    def _start(self, workers: list[WorkerProcess], selector: selectors.BaseSelector, measured: str) -> None:
        share = max(1, (os.cpu_count() or 1) // max(1, len(workers) + 1))
        worker = started_worker(WORKER, share, fresh=self.limits.memory_mb is not None)
        workers.append(worker)
        selector.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
        with suppress(BrokenPipeError):
            worker.send(
                {
                    "content": self.experiment.content,
                    "folder": str(self.experiment.folder.resolve()),
                    "store": str(self.store.folder.resolve()),
                    "measured": measured,
                    "here": str(self.here),
                }
            )

    def _listen(
        self, workers: list[WorkerProcess], waiting: deque[Cell], selector: selectors.BaseSelector, measured: str
    ) -> None:
        for key, _ in selector.select(LOOK_EVERY):
            worker: WorkerProcess = key.data
            lines = worker.lines()
            if lines is None:
                self._lost(worker, workers, waiting, selector, measured)
                continue
            for event in lines:
                self._heard(worker, event, waiting)

    def _heard(self, worker: WorkerProcess, event: WorkerEvent, waiting: deque[Cell]) -> None:
        kind = event.get("event")
        if kind == "ready":
            worker.ready = True
            self._next(worker, waiting)
        elif kind == "started":
            worker.started = time.perf_counter()
            worker.ready_at = worker.ready_at or worker.started
        elif kind == "phase":
            self.tell(dict(event))
        elif kind == "finished" and worker.cell is not None and worker.cell.id == event["cell"]:
            inside = float(event["inside"])
            late = self._is_late(worker, inside)
            cell, worker.cell, worker.started = worker.cell, None, None
            self.inside += inside
            if worker.ready_at is not None and worker.warmed:  # the first warming came before ready_at
                self.occupied -= event["warming"]
            worker.warmed = True
            end = End.from_dict(event["end"])
            if late and end.state == "done":
                self._store_end(cell, self._too_slow())
            else:
                self._ended(cell, end)
            self._next(worker, waiting)

    def _next(self, worker: WorkerProcess, waiting: deque[Cell]) -> None:
        if waiting:
            worker.cell = waiting.popleft()
            self.states[worker.cell.id] = "running"
            self._tell_cell(worker.cell, {"state": "running"})
            with suppress(BrokenPipeError):
                worker.send(worker.cell.to_dict())
        elif worker.ready_at is not None:
            self.occupied += time.perf_counter() - worker.ready_at
            worker.ready_at = None

    def _ended(self, cell: Cell, end: End) -> None:
        self.states[cell.id] = end.state
        if end.state != "done":
            self.failures.append(end.exit_code)
        self._tell_cell(cell, {"state": end.state, "code": end.code, "message": end.message})

    def _tell_cell(self, cell: Cell, more: Mapping[str, Any]) -> None:
        event = cell.to_dict()
        self.tell({"event": "cell", "cell": event.pop("id"), **event, **more})

    def _lost(
        self,
        worker: WorkerProcess,
        workers: list[WorkerProcess],
        waiting: deque[Cell],
        selector: selectors.BaseSelector,
        measured: str,
        end: End | None = None,
    ) -> None:
        """A worker is gone: its cell has failed, the others go on with a new one."""
        selector.unregister(worker.process.stdout)  # type: ignore[arg-type]
        worker.stop()
        workers.remove(worker)
        if worker.ready_at is not None:
            self.occupied += time.perf_counter() - worker.ready_at
        if worker.cell is not None:
            status = worker.process.returncode
            words = f"The worker ended with signal {-status}" if status and status < 0 else "The worker ended"
            reason = f"{words} in the middle of the cell; perhaps memory ran out."
            self._store_end(worker.cell, end or End("failed", "worker-lost", reason, 1))
        elif not worker.ready and not worker.again:
            raise BadParameter("run: a worker could not be started; is the package importable from other processes?")
        if waiting:
            self._start(workers, selector, measured)

    def _store_end(self, cell: Cell, end: End) -> None:
        """Note how a cell ended whose worker cannot."""
        self.store.remove_partial(cell.id)
        if self.experiment.where is not None:  # of a process that was ended
            remove_abandoned(self.experiment.where.scratch)
        with suppress(OSError):
            self.store.write_cell(StoredCell(cell.id, end, cell))
        if end.state == "cancelled":
            self.states[cell.id] = "cancelled"
            self._tell_cell(cell, {"state": "cancelled"})
        else:
            self._ended(cell, end)

    def _enforce_limits(
        self, workers: list[WorkerProcess], waiting: deque[Cell], selector: selectors.BaseSelector, measured: str
    ) -> None:
        for worker in list(workers):
            if worker.cell is None or worker.started is None:
                continue
            memory = self.limits.memory_mb
            end: End | None = None
            if self._is_late(worker):
                end = self._too_slow()
            elif memory is not None and worker.memory_mb() > memory:
                message = f"The cell needed more than its limit of {memory:g} MB of memory."
                end = End("failed", "too-large", message, 5)
            if end is not None:
                worker.process.kill()
                self._lost(worker, workers, waiting, selector, measured, end)

    def _is_late(self, worker: WorkerProcess, spent: float = 0.0) -> bool:
        """By our clock, or by what the worker says it spent: where we look late, a cell begins and ends at once."""
        limit = self.limits.seconds
        if limit is None or worker.started is None:
            return False
        return max(time.perf_counter() - worker.started, spent) > limit

    def _too_slow(self) -> End:
        """The end of a cell that was stopped at its limit, or had ended later than that before anybody looked."""
        limit = self.limits.seconds
        message = f"The cell took longer than its limit of {limit:g} s."
        return End("too_slow", "limit-reached", message, 5, limit)

    def _cancel(self, workers: list[WorkerProcess]) -> None:
        for worker in workers:
            if worker.cell is not None:
                worker.process.kill()
                worker.process.wait()
                cell, worker.cell = worker.cell, None
                self._store_end(cell, End("cancelled", "cancelled", "Stopped.", 130))

    def _write_results(self) -> None:
        write_results(self.store)
        self.written = time.perf_counter()


def exit_code(counts: Mapping[str, int], failures: list[int]) -> int:
    """Exit code of `crypsis run`: 4 broken guarantee, 1 or 2 failed cell, 5 limit, 3 nothing feasible, else 0."""
    if counts.get("unsafe"):
        return 4
    codes = [code for code in failures if code not in (0, 3, 4, 130)]
    if 1 in codes or (counts.get("failed") and not codes):
        return 1
    if codes:
        return min(codes)
    if counts.get("infeasible") and not counts.get("done"):
        return 3
    return 130 if counts.get("cancelled") else 0
