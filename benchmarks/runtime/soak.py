"""An hour of a stream as fast as it goes: memory must be flat.

    python -m benchmarks.runtime.soak [--minutes 60] [--page docs/guides]

3,600 timestamps of one second; the same passengers come back again and again. The stream runs in a process of its own
as `crypsis stream run` would; after each window that process says what memory it holds. With --page the figure and the
numbers are written as a page of the guide.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.comparison import Row, peak_memory

PEOPLE, STATIONS, PER_SECOND = 50_000, 30, 1_000
SETTLED = 1 / 3  # of the run, after which memory must not grow
GROWTH = 1.05  # what still counts as flat
_SHOWN = 12  # lines of the table
TABLES: dict[str, dict[str, Any]] = {
    "privacy": {"L": 3, "K": 20, "C": "60%", "N": 10, "step_size": 2, "sensitive_values": ["concession"], "t0": 1},
    "source": {"kind": "ndjson", "path": "events.ndjson"},
    "sink": {"kind": "stdout"},
    "run": {"state": "state", "verify": "sample:10%", "checkpoint_every": 20},
}


@dataclass(frozen=True)
class Sample:
    """After a window: seconds of the run and of the stream, events so far, bytes in memory."""

    seconds: float
    stream: int
    events: int
    memory: int


def rows(quick: bool = False) -> Iterator[Row]:
    """Growth of memory after the first third, as a factor."""
    samples = measured(6 if quick else 60)
    events = f"{samples[-1].events:,} events, {len(samples):,} windows"
    yield Row(
        "soak: memory at most / after a third",
        events,
        _growth(samples),
        limit=GROWTH,
        note=f"a factor, not seconds; {samples[-1].memory / 2**20:,.0f} MB at the end",
    )


def measured(minutes: int) -> list[Sample]:
    """Run so many minutes of the stream in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="crypsis-soak-") as place:
        folder = Path(place)
        _write_events(folder / "events.ndjson", 60 * minutes)
        command = [sys.executable, "-m", "benchmarks.runtime.soak", "--child", str(folder)]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        lines = (folder / "samples.ndjson").read_text(encoding="utf-8").splitlines()
    return [Sample(**json.loads(line)) for line in lines]


def _write_events(file: Path, timestamps: int) -> None:
    """Passengers move on along a line of stations every few seconds, and begin again."""
    random = np.random.Generator(np.random.PCG64(6))
    pace, start = random.integers(20, 60, PEOPLE), random.integers(0, STATIONS, PEOPLE)
    with file.open("w", encoding="utf-8") as out:
        for t in range(1, timestamps + 1):
            seen = random.choice(PEOPLE, PER_SECOND, replace=False)
            where = (start[seen] + t // pace[seen]) % STATIONS // 3
            for person, place in zip(seen.tolist(), where.tolist(), strict=True):
                fare = "concession" if person % 10 == 0 else "full"
                out.write(f'{{"id":"passenger {person}","loc":"zone {place}","t":{t},"sa":"{fare}"}}\n')


def _child(folder: Path) -> None:
    from crypsis.runtime import StreamConfiguration, StreamRun
    from crypsis.runtime.observation import Observation

    started = time.perf_counter()
    with (folder / "samples.ndjson").open("w", encoding="utf-8") as out:

        def sample(observed: Observation) -> None:
            if observed.latest is not None:
                said = {
                    "seconds": time.perf_counter() - started,
                    "stream": observed.latest.slide.y,
                    "events": sum(run.engine.intake.counters.values()),
                    "memory": _memory(),
                }
                out.write(json.dumps(said) + "\n")

        run = StreamRun(StreamConfiguration.from_tables(TABLES, folder), sample)
        run.execute()


def _memory() -> int:
    """Resident bytes of this process; the largest so far where the system does not tell the present."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return peak_memory()
    return pages * os.sysconf("SC_PAGE_SIZE")


def _growth(samples: list[Sample]) -> float:
    """Largest memory after the first third, by what it was at its end."""
    after = samples[int(len(samples) * SETTLED) :]
    until = samples[: int(len(samples) * SETTLED) + 1]
    return max(one.memory for one in after) / max(one.memory for one in until)


# The page.


def write_page(samples: list[Sample], folder: Path) -> None:
    """Figure, numbers and what they mean."""
    (folder / "soak.svg").write_text(figure(samples), encoding="utf-8")
    last, growth = samples[-1], _growth(samples)
    step = max(len(samples) // _SHOWN, 1)
    shown = [*samples[step - 1 :: step]]
    table = "".join(
        f"| {one.stream:,} | {one.events:,} | {one.seconds:,.0f} | {one.memory / 2**20:,.0f} |\n" for one in shown
    )
    verdict = "flat" if growth <= GROWTH else "NOT flat"
    privacy = TABLES["privacy"]
    settings = f"step {privacy['step_size']}, L = {privacy['L']}, K = {privacy['K']}, C = {privacy['C']}"
    told = [
        "# An hour of a stream",
        f"{last.stream // 60:,} minutes of a stream of {PEOPLE:,} passengers, {PER_SECOND:,} events a second, through "
        "the whole runtime as fast as it went: context, checkpoints, a tenth of the windows verified. "
        f"{last.events:,} events and {len(samples):,} windows took {last.seconds:,.0f} seconds, "
        f"{last.stream / last.seconds:,.0f} times as fast as they happened.",
        f"**Memory is {verdict}**: after the first third of the run it never rose above {growth:.3f} times what it had "
        "been until then.",
        "![Memory of the process over the hour of the stream](soak.svg)",
        "| second of the stream | events | seconds of the run | memory, MB |\n|---:|---:|---:|---:|\n" + table,
        f"A window of {privacy['N']} timestamps, {settings}. Made by `python -m benchmarks.runtime.soak --page "
        "docs/guides`; what bounds memory is said in [Running a stream](running-a-stream.md#memory).",
    ]
    page = "\n\n".join(part.rstrip("\n") for part in told) + "\n"
    (folder / "soak.md").write_text(page, encoding="utf-8")


def figure(samples: list[Sample]) -> str:
    """Memory over the time of the stream as SVG, from 0."""
    width, height, left, low = 720, 260, 60, 220
    highest = max(one.memory for one in samples) * 1.2
    across = (width - left - 20) / samples[-1].stream
    points = " ".join(
        f"{left + one.stream * across:.1f},{low - (low - 20) * one.memory / highest:.1f}"
        for one in samples[:: max(len(samples) // 400, 1)]
    )
    unit = 50 * 2**20
    lines = "".join(
        f'<line x1="{left}" x2="{width - 20}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{memory >> 20} MB</text>'
        for memory in range(0, int(highest), unit)
        for y in [low - (low - 20) * memory / highest]
    )
    marks = "".join(
        f'<text x="{left + minute * 60 * across:.1f}" y="{low + 18}" text-anchor="middle">{minute}</text>'
        for minute in range(0, samples[-1].stream // 60 + 1, 10)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        f'font-size="12" fill="#333"><title>Memory of the process over the hour of the stream</title>{lines}{marks}'
        f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">minute of the stream</text>'
        f'<polyline points="{points}" fill="none" stroke="#2a6fb0" stroke-width="2"/></svg>\n'
    )


def main() -> None:
    """Run the soak; exit with 1 where memory grew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtime.soak", description=__doc__)
    parser.add_argument("--minutes", type=int, default=60, help="minutes of the stream")
    parser.add_argument("--page", type=Path, help="folder in which the page and its figure are written")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child is not None:
        _child(asked.child)
        return
    samples = measured(asked.minutes)
    if asked.page is not None:
        write_page(samples, asked.page)
    print(f"{samples[-1].events:,} events in {samples[-1].seconds:,.0f} s; memory grew {_growth(samples):.3f} times")
    sys.exit(0 if _growth(samples) <= GROWTH else 1)


if __name__ == "__main__":
    main()
