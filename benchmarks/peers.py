"""Other libraries, timed in a process of their own: in this interpreter, or in the one that CRYPSIS_PEERS names.

They pin other versions of what we use, so they live in an environment of their own:

    python -m venv peers && peers/bin/pip install pycanon anjana anonypy
    CRYPSIS_PEERS=peers/bin/python python -m benchmarks table_levels beside_peers
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

PEERS = ("pycanon", "anjana", "anonypy")


def interpreter() -> str:
    """The interpreter that the peers are installed for."""
    return os.environ.get("CRYPSIS_PEERS", sys.executable)


@cache
def installed(name: str) -> bool:
    """Whether a peer can be imported there."""
    return subprocess.run([interpreter(), "-c", f"import {name}"], capture_output=True, timeout=120).returncode == 0


def missing() -> str:
    """A sentence that names the peers that cannot be timed, empty where all can."""
    absent = [name for name in PEERS if not installed(name)]
    return f"not timed, because not installed: {', '.join(absent)} (set CRYPSIS_PEERS)" if absent else ""


def measured(name: str, code: str, table: Path, repeats: int = 2, limit: float = 300.0) -> tuple[float, Any] | None:
    """Seconds of processor time of the best run, and what came out; None where the peer is missing or fails.

    `code` defines work(frame) for a pandas frame of the table, and where that does not return what JSON can say also
    told(result), which is not timed. Processor time, because these machines are shared: under load a run that takes a
    minute waits for most of it, and one that takes a tenth of a second does not.
    """
    if not installed(name):
        return None
    script = (
        "import json, sys, time, warnings\n"
        "warnings.simplefilter('ignore')\n"
        "import pandas\n"
        "def told(result):\n"
        "    return result\n"
        f"{code}\n"
        "frame = pandas.read_csv(sys.argv[1])\n"
        "times = []\n"
        f"for _ in range({repeats}):\n"
        "    started = time.process_time()\n"
        "    result = work(frame)\n"
        "    times.append(time.process_time() - started)\n"
        "print(json.dumps([min(times), told(result)]))\n"
    )
    try:
        done = subprocess.run(
            [interpreter(), "-c", script, str(table)], capture_output=True, text=True, timeout=limit, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    seconds, result = json.loads(done.stdout.strip().splitlines()[-1])
    return float(seconds), result


def processor_time(repeats: int, work: Callable[[], object]) -> float:
    """The same for ours, threads included; the first run, which may compile, is not counted."""
    work()
    times = []
    for _ in range(repeats):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)
