"""A worker: a process that carries out cells, one after another, and keeps the data and the kernels it has loaded.

Started by the runner as `python -m crypsis.evaluate.worker`. Tasks come in as lines of JSON and events go out the same
way. A cell is loaded, anonymized, verified, measured and stored; however it ends, there is a result.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crypsis._api import anonymize
from crypsis.errors import CrypsisError, Infeasible, WriteFailed, describe_bug
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.dataset import forget_loaded
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.inputs import method_with
from crypsis.evaluate.measures import figures_of
from crypsis.evaluate.store import FOLDER_MODE, PUBLISHED, Store
from crypsis.evaluate.warming import warm
from crypsis.journal import Progress
from crypsis.methods import method_named
from crypsis.release import PRIVATE_SCHEMA

Tell = Callable[[dict[str, Any]], None]
TOLD_EVERY = 0.2  # seconds between two messages of one phase
OTHER = "other"  # what a method does outside its stages
_PR_SET_PDEATHSIG = 1


@dataclass
class _Watch:
    """Listens to a method: tells its stages, and notes the processor time of each."""

    cell: str
    tell: Tell
    stage: str = ""
    told: float = 0.0
    since: float = field(default_factory=time.process_time)
    processor: dict[str, float] = field(default_factory=dict)

    def listen(self, message: Progress) -> None:
        now = time.perf_counter()
        if message.stage != self.stage:
            self.close()
            self.stage = message.stage
        elif now - self.told < TOLD_EVERY:
            return
        self.told = now
        self.tell({"event": "phase", "cell": self.cell, "phase": message.stage, "share": message.share})

    def close(self) -> None:
        now = time.process_time()
        if self.stage:
            self.processor[self.stage] = self.processor.get(self.stage, 0.0) + now - self.since
        self.since = now


def carried_out(experiment: Experiment, store: Store, cell: Cell, measured: str, tell: Tell) -> dict[str, Any]:
    """Run one cell and store it; returns its state with the error, if there was one, and where the time went."""
    parts: dict[str, Any] = {"params": cell.to_dict()}
    working = store.cells_folder / f".{cell.id}.{os.getpid()}.work.partial"
    outcome: dict[str, Any]
    try:
        shutil.rmtree(working, ignore_errors=True)
        working.mkdir(mode=FOLDER_MODE, parents=True)
        outcome = _worked(experiment, cell, working, parts, tell)
    except CrypsisError as error:
        state = "infeasible" if isinstance(error, Infeasible) else "failed"
        outcome = {"state": state, "code": error.code, "message": str(error), "exit_code": error.exit_code}
    except OSError as error:
        outcome = _not_written(error)
    except MemoryError:
        outcome = {"state": "failed", "code": "too-large", "message": "not enough memory", "exit_code": 5}
    except Exception as error:
        words = f"This is a bug of Crypsis: {describe_bug(error)}."
        outcome = {"state": "failed", "code": "internal-error", "message": words, "exit_code": 1}
    try:
        started = time.perf_counter()
        published: Path | None = working / PUBLISHED
        shutil.rmtree(store.quarantine / cell.id, ignore_errors=True)
        if outcome["state"] == "unsafe" and published is not None and published.is_dir():
            target = store.quarantine / cell.id
            target.mkdir(mode=FOLDER_MODE, parents=True)
            published.rename(target / PUBLISHED)
        if published is not None and not published.is_dir():
            published = None
        if "phases" in parts:
            parts["phases"]["seconds_write"] += time.perf_counter() - started
        parts["state"] = {**outcome, "measured": measured}
        store.write_cell(cell.id, parts, published)
    except OSError as error:
        outcome = _not_written(error)
    finally:
        shutil.rmtree(working, ignore_errors=True)
    return {**outcome, "phases": parts.get("phases"), "warming": parts.get("warming", 0.0)}


def _not_written(error: OSError) -> dict[str, Any]:
    failed = WriteFailed(f"The results of a cell could not be written: {error.strerror or error}.")
    return {"state": "failed", "code": failed.code, "message": str(failed), "exit_code": failed.exit_code}


def _worked(experiment: Experiment, cell: Cell, working: Path, parts: dict[str, Any], tell: Tell) -> dict[str, Any]:
    data = experiment.data_for(cell)
    method = method_with(method_named(cell.method), experiment.inputs, data, cell.params, cell.seed)
    before = time.perf_counter()
    warm(method, data, working, experiment.metrics, experiment.inputs)
    parts["warming"] = time.perf_counter() - before
    _forget_peak()
    tell({"event": "started", "cell": cell.id})
    watch = _Watch(cell.id, tell)
    began, processor = time.perf_counter(), time.process_time()
    release = anonymize(data, method, listener=watch.listen)
    runtime, cpu = time.perf_counter() - began, time.process_time() - processor
    watch.close()
    stages = dict(release.journal.timings)
    verdict = release.verify()
    review = release.review()
    verified = time.perf_counter()
    tell({"event": "phase", "cell": cell.id, "phase": "measure", "share": None})
    told = experiment.content.get("metrics") or {}
    figures = figures_of(
        data,
        release.data,
        experiment.metrics,
        seed=int(told.get("seed") or 0),
        side_inputs=release.method.side_inputs() if release.method is not None else {},
        inputs=experiment.inputs,
    )
    done = time.perf_counter()
    release.write_working_copy(working / PUBLISHED, figures)
    cells, by_person = release.journal.private.get("cells"), getattr(data, "person", None) is not None
    if release.kind.aligned and (cells is not None or by_person):  # without it a folder cannot be verified or attacked
        facts = release.kind.private_facts(release.data) | ({} if cells is None else {"cells": cells})
        if by_person:
            facts["published_row_of_input_row"] = release.published_rows()
        parts["private"] = {"schema": PRIVATE_SCHEMA, **facts}
    phases = [
        {"name": name, "seconds": seconds, "cpu_seconds": watch.processor.get(name, 0.0)}
        for name, seconds in stages.items()
    ]
    phases.append(
        {
            "name": OTHER,
            "seconds": max(runtime - sum(stages.values()), 0.0),
            "cpu_seconds": max(cpu - sum(watch.processor.values()), 0.0),
        }
    )
    parts["phases"] = {
        "runtime": runtime,
        "phases": phases,
        "seconds_verify": verified - began - runtime,
        "seconds_measure": done - verified,
        "seconds_write": time.perf_counter() - done,
        "cpu_seconds": cpu,
        "peak_memory_mb": _peak(),
    }
    parts["metrics"] = {"figures": figures, "facts": _facts(release.journal.private)}
    parts["verify"] = {
        "guarantee": str(release.guarantee),
        "verified": verdict.holds,
        "achieved": verdict.achieved,
        "required": verdict.required,
        "verdict": verdict.to_dict(),
        "promise": release.guarantee.to_dict(),
        "words": str(verdict),
        "warnings": release.journal.warnings,
    }
    parts["review"] = review.to_dict()
    if verdict.holds:
        return {"state": "done", "code": None, "message": None, "exit_code": 0}
    return {"state": "unsafe", "code": "verification-failed", "message": str(verdict), "exit_code": 4}


_KEPT_FACTS = ("ul_after_each_merge", "merges", "clusters_formed", "largest_cluster", "accounting", "ncp", "ul")


def _facts(private: Mapping[str, Any]) -> dict[str, Any]:
    """What plots of an experiment need of the publisher's private facts: counts and losses, no rows."""
    return {name: private[name] for name in _KEPT_FACTS if name in private}


def _forget_peak() -> None:
    """The peak of memory counts from now on, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _peak() -> float:
    """Megabytes."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Read tasks until there are no more, or whoever gave them is gone."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not be taken for an event
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)  # what stands in the folder of results is for the publisher alone
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def tell(event: dict[str, Any]) -> None:
        channel.write(json.dumps(event, default=str) + "\n")
        channel.flush()

    experiment: Experiment | None = None
    for message in _messages():
        if "content" in message:
            if experiment is not None and experiment.content.get("dataset") != message["content"].get("dataset"):
                forget_loaded()
            experiment = Experiment(message["content"], Path(message["folder"]))
            store, measured = Store(message["store"]), str(message["measured"])
            with suppress(OSError):
                os.chdir(message["here"])
            tell({"event": "ready"})
        elif experiment is not None:
            cell = Cell.from_dict(message)
            began = time.perf_counter()
            outcome = carried_out(experiment, store, cell, measured, tell)
            tell({"event": "finished", "cell": cell.id, **outcome, "seconds": time.perf_counter() - began})


def _messages() -> Iterator[dict[str, Any]]:
    """Experiments and cells, until there are no more or nobody has asked for as long as we were told to wait."""
    pending, patience = b"", None
    while select.select([0], [], [], patience)[0]:
        said = os.read(0, 1 << 16)
        if not said:
            return
        *whole, pending = (pending + said).split(b"\n")
        patience = None
        for line in whole:
            message = json.loads(line)
            if "wait" in message:
                patience = float(message["wait"])
            else:
                yield message


if __name__ == "__main__":
    main()
