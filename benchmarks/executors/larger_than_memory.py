"""What work on parts costs beside work in memory, as the data grow: time, processor time, and memory of each process.

    python -m benchmarks.executors.larger_than_memory million
    python -m benchmarks.executors.larger_than_memory ten-million
    python -m benchmarks.executors.larger_than_memory hundred-million
    python -m benchmarks.executors.larger_than_memory trajectories

Each run is a process of its own, from reading to the release that is written and verified; its kernels are warmed up
on a little of the same data first. Processor time is that of all its processes, because machines are shared; limits are
compared with it. Data are made from a seed in parts of a million, and kept in `--folder` if given.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import crypsis
from benchmarks.executors.cluster_demo import digest, peak_of
from benchmarks.executors.generated_parts import PART, ROLES, write_table, write_walks
from benchmarks.executors.processes import Processes
from crypsis.executors.dask import Dask
from crypsis.executors.serial import Serial

GIB = 1 << 30
_FEW = 30_000  # records on which kernels are warmed up
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Setting:
    """One run: how many records of what, and where."""

    kind: str  # table or walks
    records: int
    where: str  # memory, serial or workers
    memory: str = "2GiB"

    def __str__(self) -> str:
        return f"{self.records:>11,} {self.kind:6} {self.where:8}"


@dataclass(frozen=True)
class Spent:
    """What a run took. Memory is in MiB, of the driver and of each worker; stages are the driver's clock."""

    clock: float
    processor: float
    driver: int
    workers: list[int]
    stages: dict[str, float]
    digest: str

    def __str__(self) -> str:
        return (
            f"clock {self.clock:8.1f} s  processor {self.processor:8.1f} s  driver {self.driver:5} MiB  "
            f"workers {self.workers} MiB  {self.digest[:16]}"
        )


@dataclass(frozen=True)
class Limit:
    """What a figure may be at most."""

    what: str
    figure: float
    most: float

    @property
    def holds(self) -> bool:
        return self.figure <= self.most

    def __str__(self) -> str:
        return f"{self.what}: {self.figure:.2f}, at most {self.most:g}{'' if self.holds else '  EXCEEDED'}"


# The suites


def million(run: Callable[[Setting], Spent]) -> Iterator[Limit]:
    """A million rows on parts in one process, beside a table in memory: the least of three runs each."""
    serial, memory = Setting("table", PART, "serial"), Setting("table", PART, "memory")
    pairs = [(run(serial), run(memory)) for _ in range(3)]
    parts, whole = (min(spent, key=lambda one: one.processor) for spent in zip(*pairs, strict=True))
    yield _beside(parts, whole, 1.2)


def ten_million(run: Callable[[Setting], Spent]) -> Iterator[Limit]:
    """Ten million rows with two workers of a GiB, beside a table in memory."""
    spread = run(Setting("table", 10 * PART, "workers", "1GiB"))
    yield _beside(spread, run(Setting("table", 10 * PART, "memory")), 1.3)
    yield from _within(spread, worker=1024, driver=700)


def hundred_million(run: Callable[[Setting], Spent]) -> Iterator[Limit]:
    """A hundred million rows with two workers of three GiB, beside ten million with the same workers."""
    yield from _growth(run, "table", 100 * PART, most=1.5)


def trajectories(run: Callable[[Setting], Spent]) -> Iterator[Limit]:
    """Ten million trajectories with two workers of three GiB, beside a million with the same workers."""
    yield from _growth(run, "walks", 10 * PART, most=2)


def _growth(run: Callable[[Setting], Spent], kind: str, records: int, most: float) -> Iterator[Limit]:
    small = run(Setting(kind, records // 10, "workers", "3GiB"))
    large = run(Setting(kind, records, "workers", "3GiB"))
    yield Limit("processor time per record, beside a tenth", large.processor / small.processor / 10, most)
    yield from _within(large, worker=3072, driver=2048)


def _beside(parts: Spent, memory: Spent, most: float) -> Limit:
    assert parts.digest == memory.digest, "the releases differ"
    return Limit("processor time beside memory", parts.processor / memory.processor, most)


def _within(spent: Spent, worker: int, driver: int) -> Iterator[Limit]:
    yield Limit("peak of a worker in MiB", max(spent.workers), worker)
    yield Limit("peak of the driver in MiB", spent.driver, driver)


SUITES: dict[str, Callable[[Callable[[Setting], Spent]], Iterator[Limit]]] = {
    "million": million,
    "ten-million": ten_million,
    "hundred-million": hundred_million,
    "trajectories": trajectories,
}


# One run, in a process of its own


def measured(setting: Setting, folder: Path) -> Spent:
    """Read, anonymize, verify and write; what this process and those below it took."""
    method: Any = (
        crypsis.Mondrian(k=10) if setting.kind == "table" else crypsis.SeqAnon(k=5, m=2, on_infeasible="truncate")
    )
    data, few = _data(setting.kind, setting.records, folder), _data(setting.kind, _FEW, folder)
    with _executor(setting, folder) as (executor, processes):
        _written(setting, few, method, executor, folder / "few")
        started, before = time.perf_counter(), processor_of_tree(os.getpid())
        stages = _written(setting, data, method, executor, folder / "release")
        spent = processor_of_tree(os.getpid()) - before
        clock = time.perf_counter() - started
        peaks = [peak_of(worker.pid) for worker in processes]
    return Spent(clock, spent, peak_of(os.getpid()), peaks, stages, digest(folder / "release"))


def _data(kind: str, records: int, folder: Path) -> Path:
    """The parts, made unless they are there: in another process, because making them takes memory, too."""
    parts = folder / f"{kind}-{records}"
    if not parts.exists():
        making = get_context("spawn").Process(target=make_data, args=(kind, records, parts))
        making.start()
        making.join()
    return parts


def make_data(kind: str, records: int, parts: Path) -> None:
    """Write the parts, and the places beside them."""
    making = parts.with_name(f".{parts.name}")
    shutil.rmtree(making, ignore_errors=True)
    if kind == "table":
        write_table(making, records)
    else:
        places = write_walks(making, records)
        places.to_frame().write_csv(parts.parent / "places.csv")
    making.rename(parts)


@contextmanager
def _executor(setting: Setting, folder: Path) -> Iterator[tuple[Any, list[Any]]]:
    if setting.where == "memory":
        yield None, []
    elif setting.where == "serial":
        with Serial(memory=setting.memory, scratch=folder) as serial:
            yield serial, []
    else:
        logs = Path(tempfile.mkdtemp(prefix="engine-", dir=folder))
        processes = Processes(logs, 2, setting.memory)
        try:
            with Dask(processes.address, workers=2, memory=setting.memory, scratch=folder) as spread:
                yield spread, processes.running[1:]
        finally:
            processes.close()
            shutil.rmtree(logs, ignore_errors=True)


def _written(setting: Setting, parts: Path, method: Any, executor: Any, target: Path) -> dict[str, float]:
    """Write the release; seconds of each stage."""
    if setting.kind == "table":
        read, scan = crypsis.read_table, crypsis.scan_table
        options: dict[str, Any] = {"roles": ROLES, "each_row_is_a_person": True}
    else:
        read, scan = crypsis.read_trajectories, crypsis.scan_trajectories  # type: ignore[assignment]
        options = {"locations": parts.parent / "places.csv"}
    data: Any = (read if executor is None else scan)(parts, **options)
    release = crypsis.anonymize(data, method, executor=executor)
    release.write(target, format="parts", overwrite=True)
    return {name: round(seconds, 1) for name, seconds in release.context.timings.items()}


def processor_of_tree(root: int) -> float:
    """Seconds of processor time of a process and all below it, also of those that have ended and were waited for."""
    ticks: dict[int, int] = {}
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue  # ended since
            parents[int(folder.name)] = int(fields[1])
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    return sum(own for pid, own in ticks.items() if _is_below(pid, root, parents)) / _TICKS


def _is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid and pid != root:
        pid = parents.get(pid, 0)
    return pid == root


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=[*SUITES, "run"])
    parser.add_argument("--folder", type=Path, help="where data and scratch lie (default: temporary)")
    parser.add_argument("--out", type=Path, help="also write figures as JSON, a line for each run")
    parser.add_argument("--setting", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.suite == "run":
        print(json.dumps(asdict(measured(Setting(**json.loads(asked.setting)), asked.folder))))
        return 0
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)

        def run(setting: Setting) -> Spent:
            command = [sys.executable, "-m", "benchmarks.executors.larger_than_memory", "run", "--folder", str(folder)]
            done = subprocess.run(
                [*command, "--setting", json.dumps(asdict(setting))], stdout=subprocess.PIPE, text=True, check=True
            )
            spent = Spent(**json.loads(done.stdout.splitlines()[-1]))
            print(f"{setting}  {spent}\n{'':30}{spent.stages}", flush=True)
            if asked.out is not None:
                with asked.out.open("a") as lines:
                    lines.write(json.dumps({**asdict(setting), **asdict(spent)}) + "\n")
            return spent

        limits = list(SUITES[asked.suite](run))
    for limit in limits:
        print(limit)
    return 0 if all(limit.holds for limit in limits) else 1


if __name__ == "__main__":
    sys.exit(main())
