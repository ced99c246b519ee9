"""From a file to a verified release with its reports, beside a copy of the file: polars reads, sorts and writes it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison import Row
from benchmarks.processes import CRYPSIS, least, spent_by

TIMES_COPY = {"csv": 4, "parquet": 5}
TIMES_MEMORY = 3  # the most memory, as a multiple of that of the copy
LARGE = 10_000_000
SECONDS_OF_LARGE, MEMORY_OF_LARGE = 60.0, 4_000_000_000

_MAKE = """
import sys
from pathlib import Path
import polars as pl
from benchmarks import workloads
target, size = Path(sys.argv[1]), int(sys.argv[2])
parts = [workloads.people(min(size, 1_000_000), seed) for seed in range(1, 1 + -(-size // 1_000_000))]
table = pl.concat(parts).head(size)
table.write_csv(target.with_suffix(".csv"))
table.write_parquet(target.with_suffix(".parquet"))
target.with_suffix(".bytes").write_text(str(table.estimated_size()))
"""
_COPY = """
import sys
import polars as pl
source, target = sys.argv[1:]
table = pl.read_csv(source) if source.endswith("csv") else pl.read_parquet(source)
table = table.sort(table.columns)
table.write_csv(target) if target.endswith("csv") else table.write_parquet(target)
"""


def roles() -> tuple[str, ...]:
    """The columns of `workloads.people`, as a command is told of them."""
    return "--quasi", "age,zip,sex,education,born", "--sensitive", "disease", "--other", "income"


def rows(quick: bool = False) -> Iterator[Row]:
    """A million rows from CSV and Parquet, and ten million from Parquet."""
    size = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        folder = Path(place)
        spent_by((sys.executable, "-c", _MAKE, folder / "people", str(size)))
        held = int((folder / "people.bytes").read_text())
        for kind, times in TIMES_COPY.items():
            yield _beside_a_copy(folder, kind, size, times, held, repeats=2 if quick else 3)
        if not quick:
            yield _ten_million(folder)


def _anonymize(source: Path, kind: str) -> tuple[str | Path, ...]:
    method = ("--method", "mondrian", "-k", "5", "--format", kind)
    return (*CRYPSIS, "anonymize", source, *method, *roles(), "--out", source.parent / "release", "--overwrite")


def _beside_a_copy(folder: Path, kind: str, size: int, times: int, held: int, repeats: int) -> Row:
    source = folder / f"people.{kind}"
    theirs = least(repeats, (sys.executable, "-c", _COPY, source, folder / f"copy.{kind}"))
    ours = least(repeats, _anonymize(source, kind))
    words = (
        f"processor time, {ours.processor / theirs.processor:.1f} times the copy, at most {times}; by the clock "
        f"{ours.clock:.1f} s, {ours.clock / theirs.clock:.1f} times; {ours.memory / 2**20:.0f} MiB, "
        f"{ours.memory / theirs.memory:.1f} times the copy, at most {TIMES_MEMORY}, and {ours.memory / held:.1f} times "
        f"the input in memory (the copy: {theirs.memory / held:.1f})"
    )
    return Row(
        "anonymize, verify, measure, report",
        f"{kind}, {size:,} x 7, Mondrian k=5",
        ours.processor,
        "polars read, sort, write",
        theirs.processor,
        required=1 / times,
        note=words,
        sound=ours.memory <= TIMES_MEMORY * theirs.memory,
    )


def _ten_million(folder: Path) -> Row:
    spent_by((sys.executable, "-c", _MAKE, folder / "many", str(LARGE)))
    source = folder / "many.parquet"
    spent = spent_by(_anonymize(source, "parquet"))
    return Row(
        "anonymize, verify, measure, report",
        f"parquet, {LARGE:,} x 7, Mondrian k=5",
        spent.clock,
        limit=SECONDS_OF_LARGE,
        note=f"{spent.processor:.0f} s of processor time, {spent.memory / 1e9:.2f} GB, at most 4",
        sound=spent.memory <= MEMORY_OF_LARGE,
    )
