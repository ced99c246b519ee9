"""Loading a million trajectories from Parquet and CSV: time, and the memory it takes, each in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import workloads
from benchmarks.comparison import Row

LIMITS = {"parquet": 2.0, "csv": 4.0}
MEMORY_LIMIT = 2**30  # stated for Parquet

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


def _loaded(path: Path) -> tuple[float, int, int, int]:
    done = subprocess.run([sys.executable, "-c", _LOAD, str(path)], capture_output=True, text=True, check=True)
    seconds, peak, trajectories, visits = json.loads(done.stdout)
    return seconds, peak, trajectories, visits
