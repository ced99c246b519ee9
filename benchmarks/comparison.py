"""Rows of the table: what was timed, how long ours took, and how much longer every comparator."""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

_BUSY = 2.0  # load of a machine on which others work
SLOWER = 1.25  # times the seconds of the kept run: what took longer than that is marked

Kept = dict[tuple[str, str, str], "Row"]


@dataclass(frozen=True)
class Row:
    """One line: our seconds, a comparator's seconds in the same run, and the ratio (above 1: ours is faster)."""

    task: str
    workload: str
    ours: float
    comparator: str = ""
    theirs: float | None = None
    required: float | None = None  # smallest ratio that is acceptable
    limit: float | None = None  # longest time that is acceptable, in seconds
    note: str = ""
    sound: bool = True  # whether what is asked besides time, such as a loss that is no greater, is so
    before: float | None = None  # seconds of ours in the run that was kept last

    @property
    def key(self) -> tuple[str, str, str]:
        return self.task, self.workload, self.comparator

    @property
    def slower(self) -> bool:
        return self.before is not None and self.ours > SLOWER * self.before

    def beside(self, kept: Kept) -> Row:
        """The same row with what ours took in a kept run; where a comparator ran in both, at its pace of today."""
        last = kept.get(self.key)
        if last is None:
            return self
        pace = self.theirs / last.theirs if self.theirs and last.theirs else 1.0
        return replace(self, before=last.ours * pace)

    @property
    def remarks(self) -> str:
        """What is to be seen besides times."""
        grown = f"SLOWER than {_seconds(self.before)}" if self.before is not None and self.slower else ""
        bound = "" if self.limit is None else f"at most {self.limit:g}:"
        return " ".join(filter(None, ["" if self.holds else "SHORT OF TARGET", grown, bound, self.note]))

    @property
    def ratio(self) -> float | None:
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def holds(self) -> bool:
        fast_enough = self.required is None or self.ratio is None or self.ratio >= self.required
        return self.sound and fast_enough and (self.limit is None or self.ours <= self.limit)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio, "holds": self.holds}


def best_of(repeats: int, work: Callable[[], object]) -> float:
    """The shortest of several runs; the first one, which may compile, is not counted."""
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock and of processor time of one run; where a machine is shared, the first says little."""
    started, spent = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - spent


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes."""
    scale = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def print_table(rows: list[Row]) -> None:
    """The rows for people."""
    header = ("task", "workload", "ours", "comparator", "theirs", "ratio", "")
    lines = [
        (
            row.task,
            row.workload,
            _seconds(row.ours),
            row.comparator,
            "" if row.theirs is None else _seconds(row.theirs),
            "" if row.ratio is None else f"{row.ratio:.1f}x",
            row.remarks,
        )
        for row in rows
    ]
    widths = [max(len(line[place]) for line in [header, *lines]) for place in range(len(header))]
    for line in [header, *lines]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def write_json(rows: list[Row], path: Path) -> None:
    """The rows for programs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "machine": platform.machine()}
    content = {"machine": machine, "rows": [row.to_dict() for row in rows]}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_kept(path: Path) -> Kept:
    """The rows of the run that was written last; none where there is no such file."""
    if not path.is_file():
        return {}
    names = {field.name for field in fields(Row)} - {"before"}
    entries = json.loads(path.read_text(encoding="utf-8"))["rows"]
    rows = [Row(**{name: value for name, value in entry.items() if name in names}) for entry in entries]
    return {row.key: row for row in rows}


def with_kept(rows: Iterable[Row], kept: Kept) -> list[Row]:
    """The rows of this run, and those of the kept one that were not run again."""
    return list({**kept, **{row.key: row for row in rows}}.values())


def write_table_page(rows: list[Row], path: Path) -> None:
    """The rows as a page of the documentation."""
    header = "| task | workload | ours | comparator | theirs | ratio | |\n|---|---|---:|---|---:|---:|---|\n"
    lines = [
        f"| {row.task} | {row.workload} | {_seconds(row.ours)} | {row.comparator} | "
        f"{'' if row.theirs is None else _seconds(row.theirs)} | {'' if row.ratio is None else f'{row.ratio:.1f}x'} | "
        f"{row.remarks} |\n"
        for row in rows
    ]
    load = f", while other work kept {os.getloadavg()[0]:.0f} processes waiting" if os.getloadavg()[0] > _BUSY else ""
    told = (
        "# Benchmarks\n\nThe last rows of `make bench`. A ratio above 1 means that ours is faster; both were timed in "
        "one run. Compare ratios, not seconds. Where a row says cpu or processor time, seconds are those of all "
        "threads; other work on the machine lengthens them, too, but less than the clock. What missed its limit or "
        "target says so.\n\n"
        f"Each row is of the last run that measured it; the page was written on {date.today().isoformat()} with Python "
        f"{platform.python_version()} on "
        f"{os.cpu_count()} cores ({platform.system()}, {platform.machine()}){load}.\n\n"
    )
    path.write_text(told + header + "".join(lines), encoding="utf-8")


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"
