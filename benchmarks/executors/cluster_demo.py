"""A release by a scheduler and workers in processes of their own, one of which is killed: the digest of one machine.

    python -m benchmarks.executors.cluster_demo --rows 10000000 --workers 3

Rows are made from a seed, in Parquet parts of a million. `--beside memory` reads them into memory for the comparison;
with `--workers 0` as well, work on parts in this process is compared with that.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crypsis
from benchmarks.executors.generated_parts import ROLES, write_table
from benchmarks.executors.processes import Processes
from crypsis.executors.dask import Dask
from crypsis.executors.serial import Serial
from crypsis.run_context import Progress

METHOD = crypsis.Mondrian(k=10)


def digest(release: Path) -> str:
    """One checksum of all published records."""
    files = json.loads((release / "release.json").read_text())["files"]
    parts = [f"{name} {told['sha256']}" for name, told in sorted(files.items()) if "/part-" in name]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def timed(what: str, work: Callable[[], Path]) -> tuple[str, float]:
    """The digest of a release, and how long it took."""
    started = time.perf_counter()
    told = digest(work())
    seconds = time.perf_counter() - started
    print(f"{what:28} {seconds:8.1f} s  {told}", flush=True)
    return told, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--beside", choices=("serial", "memory"), default="serial")
    parser.add_argument("--no-kill", action="store_true", help="leave all workers alone")
    asked = parser.parse_args()
    if asked.workers == 0 and asked.beside != "memory":
        parser.error("--workers 0 compares work on parts with --beside memory")
    with tempfile.TemporaryDirectory(prefix="crypsis-demo-") as name:
        folder = Path(name)
        write_table(folder / "parts", asked.rows)

        def in_memory() -> Path:
            table = crypsis.read_table(folder / "parts", ROLES, each_row_is_a_person=True)
            return crypsis.anonymize(table, METHOD).write(folder / "alone", format="parts")

        def in_parts(executor: Any, target: str, listener: Any = None) -> Path:
            scanned = crypsis.scan_table(folder / "parts", ROLES, each_row_is_a_person=True)
            release = crypsis.anonymize(scanned, METHOD, executor=executor, listener=listener)
            return Path(release.write(folder / target))

        def serially() -> Path:
            with Serial(memory=asked.memory, scratch=folder) as executor:
                return in_parts(executor, "serial")

        alone, seconds = timed(f"one machine ({asked.beside})", in_memory if asked.beside == "memory" else serially)
        if asked.workers == 0:
            parted, more = timed("serial on parts", serially)
            print(f"ratio of times {more / seconds:.2f}")
            return 0 if parted == alone else 1
        processes = Processes(folder, asked.workers, asked.memory)
        killed: list[str] = []

        def kill_one(progress: Progress) -> None:
            if progress.stage == "publish" and not killed and not asked.no_kill:
                processes.running[-1].kill()
                killed.append(progress.stage)
                print(f"one of {asked.workers} workers is killed", flush=True)

        try:
            with Dask(processes.address, workers=asked.workers, memory=asked.memory, scratch=folder) as executor:
                spread, more = timed(f"{asked.workers} workers", lambda: in_parts(executor, "spread", kill_one))
            peaks = [peak_of(one.pid) for one in processes.running if one.poll() is None]
        finally:
            processes.close()
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(f"peak memory in MiB: driver {own}, scheduler and workers {peaks}; ratio of times {more / seconds:.2f}")
        print("the same digest" if spread == alone else "DIGESTS DIFFER")
        return 0 if spread == alone else 1


def peak_of(pid: int) -> int:
    """The largest resident size of a process so far, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())
