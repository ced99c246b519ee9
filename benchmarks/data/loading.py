"""Loading a million trajectories and a million rows of seven columns from Parquet and CSV.

Time and memory of trajectories are measured each in its own process; the table stands beside a bare read of polars.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import polars as pl

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis.data.reading import read_table

LIMITS = {"parquet": 2.0, "csv": 4.0}
MEMORY_LIMIT = 2**30  # stated for Parquet
TIMES_POLARS = 3  # a table is read, typed and encoded in at most this many times of reading it

_LOAD = """
import json, resource, sys, time
import polars
from crypsis.data.reading import read_trajectories
started = time.perf_counter()
data = read_trajectories(sys.argv[1])
seconds = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([seconds, peak, len(data), data.visits]))
"""


def rows(quick: bool = False) -> Iterator[Row]:
    """A long table trajectory_id, position, location."""
    size = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        frame = workloads.million(size).to_frame()
        for kind in LIMITS:
            path = Path(place) / f"long.{kind}"
            frame.write_parquet(path) if kind == "parquet" else frame.write_csv(path)
        del frame
        for kind, limit in LIMITS.items():
            path = Path(place) / f"long.{kind}"
            runs = [_loaded(path) for _ in range(2)]
            seconds, peak, trajectories, visits = min(runs)
            words = f"{trajectories:,} trajectories, {visits:,} visits, {peak / 2**30:.2f} GB"
            if kind == "parquet" and peak > MEMORY_LIMIT:
                words += ", MORE MEMORY THAN ALLOWED"
            yield Row("read_trajectories", kind, seconds, limit=limit, note=words)

    yield from _tables(size)


def _tables(size: int) -> Iterator[Row]:
    """A table of seven columns with nothing declared but roles."""
    frame = workloads.people(size)
    roles = {**dict.fromkeys(frame.columns, "quasi"), "income": "other", "disease": "sensitive"}
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        ways: dict[str, tuple[Callable[..., object], Callable[..., object]]] = {
            "csv": (frame.write_csv, pl.read_csv),
            "parquet": (frame.write_parquet, pl.read_parquet),
        }
        for kind, (write, read) in ways.items():
            path = Path(place) / f"people.{kind}"
            write(path)
            theirs = best_of(5, partial(read, path))
            workload, peer = f"{kind}, {size:,} x 7", f"polars.read_{kind}"
            tasks: dict[str, Callable[[], object]] = {
                "read_table": partial(read_table, path, roles, each_row_is_a_person=True),
                "read_table and ask for every code": partial(_every_code, path, roles),
            }
            for task, run in tasks.items():
                ours = best_of(5, run)
                words = f"{ours / theirs:.1f} times polars, at most {TIMES_POLARS}"
                yield Row(task, workload, ours, peer, theirs, required=1 / TIMES_POLARS, note=words)


def _every_code(path: Path, roles: dict[str, str]) -> int:
    """Numbers and dates are encoded when their codes are needed; here those of every column are."""
    return sum(len(column.codes) for column in read_table(path, roles, each_row_is_a_person=True).columns)


def _loaded(path: Path) -> tuple[float, int, int, int]:
    done = subprocess.run([sys.executable, "-c", _LOAD, str(path)], capture_output=True, text=True, check=True)
    seconds, peak, trajectories, visits = json.loads(done.stdout)
    return seconds, peak, trajectories, visits
