"""The first run on a machine: nothing is compiled. Each method on its sample data, the demo, and `crypsis warmup`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison import Row
from benchmarks.processes import CRYPSIS, Spent, spent_by
from crypsis import METHODS

SECONDS_OF_A_METHOD, SECONDS_OF_ALL = 12.0, 140.0
QUICK = ("mondrian", "seq-anon", "ppsg", "disassociation", "rum-bound", "itsa", "safe-path")  # one of each family

_RELEASE = """
import sys
from pathlib import Path
from crypsis.cli.warmup import sample_release
from crypsis.methods import method_named
sample_release(method_named(sys.argv[1])).write(Path(sys.argv[2]))
"""


def rows(quick: bool = False) -> Iterator[Row]:
    """Processor time from command to written release with an empty cache."""
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        folder = Path(place)
        for name in QUICK if quick else [method.name() for method in METHODS.values()]:
            command = (sys.executable, "-c", _RELEASE, name, folder / f"{name}-release")
            try:
                spent = spent_by(command, _fresh(folder / name))
            except RuntimeError as error:  # the sample cannot be published so; what compiles has been compiled
                if "CrypsisError" not in str(error) and "crypsis.errors." not in str(error):
                    raise
                continue
            yield _row(f"{name}, sample data", spent, SECONDS_OF_A_METHOD)
        demo = spent_by((*CRYPSIS, "demo", "--out", folder / "demo"), _fresh(folder / "d"))
        yield _row("crypsis demo", demo, SECONDS_OF_A_METHOD)
        if not quick:
            yield _row("crypsis warmup", spent_by((*CRYPSIS, "warmup"), _fresh(folder / "all")), SECONDS_OF_ALL)


def _fresh(cache: Path) -> dict[str, str]:
    return {"NUMBA_CACHE_DIR": str(cache)}


def _row(what: str, spent: Spent, limit: float) -> Row:
    words = f"processor time; {spent.clock:.0f} s by the clock, {spent.memory / 2**20:.0f} MiB"
    return Row("cold start", what, spent.processor, limit=limit, note=words)
