"""Baskets disassociated in parts, in a process of their own: processor time per record, and the peak of its memory.

    python -m benchmarks.executors.baskets_in_parts --records 1100000 10000000 --memory 3GiB

Baskets are made from a seed, in Parquet parts of a million, before anything is measured. Each size is published without
refining, verified as read back, and counted again from its files.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

import crypsis
from benchmarks import workloads
from crypsis.executors.serial import Serial
from crypsis.parts_release import verify_release_parts

PART = 1_000_000
METHOD = crypsis.Disassociation(k=5, m=2, refine="none")


def write_parts(folder: Path, records: int) -> None:
    """Baskets of ten terms out of 5,000, one list per row."""
    folder.mkdir()
    for number, first in enumerate(range(0, records, PART)):
        data = workloads.baskets(min(PART, records - first), seed=number + 1)
        lists = pl.DataFrame({"id": data.offsets[:-1].repeat(data.lengths), "item": data.vocabulary.decode(data.items)})
        lists.group_by("id", maintain_order=True).agg("item").select("item").write_parquet(
            folder / f"{number:05d}.parquet"
        )


def release(folder: Path, memory: str) -> str:
    """Publish the parts of a folder; what it took, in a line."""
    started = time.process_time()
    scanned = crypsis.scan_transactions(folder / "parts" / "*.parquet", item="item", each_row_is_a_person=True)
    with Serial(memory=memory, scratch=folder) as executor:
        made = crypsis.anonymize(scanned, METHOD, executor=executor)
        written = made.write(folder / "release", format="parts")
        seconds = time.process_time() - started
        stages = ", ".join(f"{stage} {spent:.0f}" for stage, spent in made.context.timings.items())
        started = time.process_time()
        holds = verify_release_parts(written, executor).holds
        checked = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    verdict = "verified" if holds else "BROKEN"
    return f"{seconds:.1f} s of processor time, peak {peak:.2f} GiB, {verdict} in {checked:.1f} s ({stages})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1_100_000])
    parser.add_argument("--memory", default="3GiB")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)  # of the process that is measured
    asked = parser.parse_args()
    if asked.folder is not None:
        print(release(asked.folder, asked.memory), flush=True)
        return
    for records in asked.records:
        with tempfile.TemporaryDirectory(prefix="crypsis-baskets-") as name:
            write_parts(Path(name) / "parts", records)
            own = [sys.executable, "-m", "benchmarks.executors.baskets_in_parts"]
            done = subprocess.run(
                [*own, "--folder", name, "--memory", asked.memory], check=True, stdout=subprocess.PIPE, text=True
            )
            print(f"{records:>12,} baskets: {done.stdout.strip()}", flush=True)


if __name__ == "__main__":
    main()
