"""What a person waits for before anything is done: warm commands on little data, and a worker that gets ready."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import workloads
from benchmarks.cli.pipeline import roles
from benchmarks.comparison import Row
from benchmarks.processes import CRYPSIS, least

LIMITS = {"--help": 0.3, "methods": 0.4, "verify": 0.8, "anonymize": 1.2, "worker": 0.7}
_WORKER = "import crypsis.evaluate.worker"


def rows(quick: bool = False) -> Iterator[Row]:
    """Processor time of each command."""
    repeats = 2 if quick else 5
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        folder = Path(place)
        workloads.people(2_000).write_csv(folder / "people.csv")
        release = folder / "release"
        people, setting = str(folder / "people.csv"), ("--method", "mondrian", "-k", "5")
        anonymize = (*CRYPSIS, "anonymize", people, *setting, *roles(), "--out", str(release), "--overwrite")
        commands: dict[str, Sequence[str | Path]] = {
            "--help": (*CRYPSIS, "--help"),
            "methods": (*CRYPSIS, "methods"),
            "anonymize": anonymize,
            "verify": (*CRYPSIS, "verify", str(release)),
            "worker": (sys.executable, "-c", _WORKER),
        }
        for name, command in commands.items():
            spent = least(repeats, command)
            words = f"processor time; {spent.clock:.2f} s by the clock, {spent.memory / 2**20:.0f} MiB"
            yield Row("start", f"{name}, 2,000 x 7, warm", spent.processor, limit=LIMITS[name], note=words)
