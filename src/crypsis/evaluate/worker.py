"""A worker: a process that carries out cells, one after another, and keeps the data and the kernels it has loaded.

Started by the runner as `python -m crypsis.evaluate.worker`. Tasks come in as lines of JSON and events go out the same
way. A cell is loaded, anonymized, verified, measured and stored; however it ends, there is a result.
"""

from __future__ import annotations

import json
import os
import resource
import select
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from crypsis._api import anonymize
from crypsis.errors import CrypsisError, Infeasible, WriteFailed, describe_bug
from crypsis.evaluate.cells import Cell
from crypsis.evaluate.child_process import channel_to_starter
from crypsis.evaluate.dataset import forget_loaded
from crypsis.evaluate.experiment import Experiment
from crypsis.evaluate.inputs import method_with
from crypsis.evaluate.measures import figures_of
from crypsis.evaluate.store import FOLDER_MODE, PUBLISHED, Store
from crypsis.evaluate.stored_cell import End, Phase, Proof, StoredCell, Times
from crypsis.evaluate.warming import warm
from crypsis.executors.executor import Executor
from crypsis.methods import Method, method_named
from crypsis.methods.scaling import BLOCK_ROWS
from crypsis.release import PRIVATE_SCHEMA, Release
from crypsis.run_context import Progress

Tell = Callable[[Mapping[str, Any]], None]
TOLD_EVERY = 0.2  # seconds between two messages of one phase
OTHER = "other"  # what a method does outside its stages


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

    def phases(self, stages: Mapping[str, float], runtime: float, cpu: float) -> tuple[Phase, ...]:
        """The stages with their seconds, and what the method did outside them."""
        known = [Phase(name, seconds, self.processor.get(name, 0.0)) for name, seconds in stages.items()]
        outside = max(runtime - sum(stages.values()), 0.0)
        return (*known, Phase(OTHER, outside, max(cpu - sum(self.processor.values()), 0.0)))

    def close(self) -> None:
        now = time.process_time()
        if self.stage:
            self.processor[self.stage] = self.processor.get(self.stage, 0.0) + now - self.since
        self.since = now


@dataclass(frozen=True)
class Outcome:
    """How a cell ended, and the seconds of method, verifier and metrics (`inside`) and of loading kernels."""

    end: End
    inside: float = 0.0
    warming: float = 0.0


def carry_out(experiment: Experiment, store: Store, cell: Cell, measured: str, tell: Tell) -> Outcome:
    """Run one cell and store it, however it ends."""
    working = store.cells_folder / f".{cell.id}.{os.getpid()}.work.partial"
    work = _Work(experiment, cell, working, tell)
    try:
        shutil.rmtree(working, ignore_errors=True)
        working.mkdir(mode=FOLDER_MODE, parents=True)
        stored = work.run()
    except CrypsisError as error:
        state = "infeasible" if isinstance(error, Infeasible) else "failed"
        stored = StoredCell(cell.id, End(state, error.code, str(error), error.exit_code), cell)
    except OSError as error:
        stored = StoredCell(cell.id, _not_written(error), cell)
    except MemoryError:
        stored = StoredCell(cell.id, End("failed", "too-large", "not enough memory", 5), cell)
    except Exception as error:
        words = f"This is a bug of Crypsis: {describe_bug(error)}."
        stored = StoredCell(cell.id, End("failed", "internal-error", words, 1), cell)
    end = stored.end
    try:
        started = time.perf_counter()
        published: Path | None = working / PUBLISHED
        shutil.rmtree(store.quarantine / cell.id, ignore_errors=True)
        if end.state == "unsafe" and published is not None and published.is_dir():
            target = store.quarantine / cell.id
            target.mkdir(mode=FOLDER_MODE, parents=True)
            published.rename(target / PUBLISHED)
        if published is not None and not published.is_dir():
            published = None
        times = stored.times
        if times is not None:
            times = replace(times, seconds_write=times.seconds_write + time.perf_counter() - started)
        stored = replace(stored, end=replace(end, measured=measured), times=times)
        store.write_cell(stored, private=work.private, published=published)
    except OSError as error:
        end = _not_written(error)
    finally:
        shutil.rmtree(working, ignore_errors=True)
    return Outcome(end, 0.0 if stored.times is None else stored.times.inside, work.warming)


def _not_written(error: OSError) -> End:
    failed = WriteFailed(f"The results of a cell could not be written: {error.strerror or error}.")
    return End("failed", failed.code, str(failed), failed.exit_code)


@dataclass
class _Work:
    """One cell from the data to what is stored of it. `private` is what only the publisher may keep."""

    experiment: Experiment
    cell: Cell
    working: Path
    tell: Tell
    private: dict[str, Any] | None = None
    warming: float = 0.0

    def run(self) -> StoredCell:
        experiment, cell = self.experiment, self.cell
        self._tell_phase("read")
        started = time.perf_counter()
        data = experiment.data_for(cell)
        method = method_with(method_named(cell.method), experiment.inputs, data, cell.params, cell.seed)
        before = time.perf_counter()
        seconds_read = before - started
        self._tell_phase("compile")
        warm(
            method,
            data,
            self.working,
            experiment.measuring.list,
            experiment.inputs,
            lambda share: self._tell_phase("compile", share),
        )
        self.warming = time.perf_counter() - before
        _forget_peak()
        self.tell({"event": "started", "cell": cell.id})
        watch = _Watch(cell.id, self.tell)
        with ExitStack() as stack:
            executor = None if experiment.where is None else experiment.where.start()
            if executor is not None:
                stack.callback(executor.close)
            began, processor = time.perf_counter(), time.process_time()
            release = self._anonymized(data, method, watch, executor)
            runtime, cpu = time.perf_counter() - began, time.process_time() - processor
        watch.close()
        phases = watch.phases(release.context.timings, runtime, cpu)
        self._tell_phase("verify")
        verdict = release.verify()
        review = release.review()
        verified = time.perf_counter()
        self._tell_phase("measure")
        figures = figures_of(
            data,
            release.data,
            experiment.measuring.list,
            seed=experiment.measuring.seed or 0,
            side_inputs=release.method.side_inputs() if release.method is not None else {},
            inputs=experiment.inputs,
            tell_share=lambda share: self._tell_phase("measure", share),
        )
        done = time.perf_counter()
        self._tell_phase("write")
        release.write_working_copy(self.working / PUBLISHED, figures)
        self._keep_private(release, data)
        return StoredCell(
            cell.id,
            End("done") if verdict.holds else End("unsafe", "verification-failed", str(verdict), 4),
            cell,
            figures,
            _facts(release.context.private),
            Times(
                runtime,
                phases,
                seconds_verify=verified - began - runtime,
                seconds_measure=done - verified,
                seconds_write=time.perf_counter() - done,
                cpu_seconds=cpu,
                peak_memory_mb=_peak(),
                seconds_read=seconds_read,
            ),
            Proof(
                str(release.guarantee),
                verdict.holds,
                verdict.achieved,
                verdict.required,
                verdict.to_dict(),
                release.guarantee.to_dict(),
                str(verdict),
                release.context.warnings,
            ),
            review,
        )

    def _anonymized(self, data: Any, method: Method, watch: _Watch, executor: Executor | None) -> Release:
        """The release, in this process or in parts by the executor; it is the same."""
        where = self.experiment.where
        if executor is None or where is None:
            local: Release = anonymize(data, method, listener=watch.listen)
            return local
        rows = where.block_rows or BLOCK_ROWS
        release: Any = anonymize(data, method, listener=watch.listen, executor=executor, block_rows=rows)
        whole: Release = release if isinstance(release, Release) else release.in_memory()
        return whole

    def _tell_phase(self, phase: str, share: float | None = None) -> None:
        """What is done around the stages of a method; mostly its end cannot be told."""
        self.tell({"event": "phase", "cell": self.cell.id, "phase": phase, "share": share})

    def _keep_private(self, release: Release, data: Any) -> None:
        """What a folder cannot be verified or attacked without, and nobody else may see."""
        cells, by_person = release.context.private.get("cells"), getattr(data, "person", None) is not None
        if release.kind.aligned and (cells is not None or by_person):
            facts = release.kind.private_facts(release.data) | ({} if cells is None else {"cells": cells})
            if by_person:
                facts["published_row_of_input_row"] = release.published_rows()
            self.private = {"schema": PRIVATE_SCHEMA, **facts}


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
    tell = channel_to_starter()
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
            outcome = carry_out(experiment, store, cell, measured, tell)
            seconds = time.perf_counter() - began
            tell({"event": "finished", "cell": cell.id, **asdict(outcome), "seconds": seconds})


def _messages() -> Iterator[dict[str, Any]]:
    """Experiments and cells, until there are no more or nobody has asked for as long as we were told to wait."""
    pending, patience = b"", None
    while select.select([0], [], [], patience)[0]:
        data = os.read(0, 1 << 16)
        if not data:
            return
        *whole, pending = (pending + data).split(b"\n")
        patience = None
        for line in whole:
            message = json.loads(line)
            if "wait" in message:
                patience = float(message["wait"])
            else:
                yield message


if __name__ == "__main__":
    main()
