"""The browser interface on this machine: its first page, a file that is inspected, a jump into a million rows.

A server is started in a process of its own. The first page is timed in Chromium, from a fresh profile to the heading on
the screen, scripts and fonts included; the others over HTTP, as the pages ask. Where a machine is shared the clock says
little, so the note gives the processor time of the server, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import polars as pl

from benchmarks.comparison import Row

PEOPLE, MANY = 131_780, 1_000_000
FIRST_PAGE, INSPECTED, JUMP = 2.0, 3.0, 0.5  # seconds that are allowed
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def rows(quick: bool = False) -> Iterator[Row]:
    """Each against its limit; the best of three first pages and inspections, the slowest of the jumps."""
    many = 100_000 if quick else MANY
    with tempfile.TemporaryDirectory(prefix="crypsis-bench-") as place:
        folder = Path(place)
        _people(PEOPLE).write_csv(folder / "people.csv")
        _people(many).write_csv(folder / "many.csv")
        with _served(folder / "workspace") as (address, process):
            base, token = address.split("/?token=")
            headers = {"Authorization": f"Bearer {token}"}
            with httpx.Client(base_url=base, headers=headers, timeout=120, trust_env=False) as api:
                yield from _first_page(address, api, process)
                yield _inspected(api, folder / "people.csv", process)
                yield _jumps(api, folder / "many.csv", many, process)


def _first_page(address: str, api: httpx.Client, process: int) -> Iterator[Row]:
    before = _processor(process)
    answered = _timed(lambda: api.get("/data").raise_for_status())
    told = f"server {_processor(process) - before:.2f} s of processor"
    yield Row("first page, answered", "GET /data on a new server", answered, limit=FIRST_PAGE, note=told)
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        seconds: list[float] = []
        sizes: list[int] = []
        for _ in range(3):
            context = browser.new_context()
            page = context.new_page()
            started = time.perf_counter()
            page.goto(address)
            page.get_by_role("heading", level=1).wait_for()
            seconds.append(time.perf_counter() - started)
            sizes = page.evaluate("performance.getEntriesByType('resource').map(one => one.transferSize)")
            context.close()
        browser.close()
    words = f"{len(sizes)} answers, {sum(sizes) / 1e6:.1f} MB"
    yield Row("first page, on the screen", "Chromium, fresh profile", min(seconds), limit=FIRST_PAGE, note=words)


def _inspected(api: httpx.Client, file: Path, process: int) -> Row:
    before = _processor(process)
    seconds = [_timed(lambda: api.post("/api/datasets", json={"path": str(file)}).raise_for_status()) for _ in range(3)]
    told = f"server {(_processor(process) - before) / 3:.2f} s of processor each"
    return Row("a file is inspected", f"{PEOPLE:,} rows, 6 columns, CSV", min(seconds), limit=INSPECTED, note=told)


def _jumps(api: httpx.Client, file: Path, many: int, process: int) -> Row:
    number = api.post("/api/datasets", json={"path": str(file)}).json()["id"]
    address = f"/api/datasets/{number}/rows"
    opened = _timed(lambda: api.get(address).raise_for_status())
    seconds = []
    for place in np.random.default_rng(1).integers(0, many, 12).tolist():
        query = {"offset": place, "limit": 100}
        seconds.append(_timed(lambda query=query: api.get(address, params=query).raise_for_status()))  # type: ignore[misc]
    note = f"slowest of {len(seconds)} jumps; opened in {opened:.2f} s"
    return Row("a jump to any row", f"{many:,} rows", max(seconds), limit=JUMP, note=note)


@contextmanager
def _served(workspace: Path) -> Iterator[tuple[str, int]]:
    """The address of a server, and its process."""
    command = [sys.executable, "-m", "crypsis", "serve", str(workspace), "--json", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        yield json.loads(server.stdout.readline())["address"], server.pid
    finally:
        server.terminate()
        server.wait(20)


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _processor(process: int) -> float:
    """Seconds that a process has spent so far; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _people(count: int) -> pl.DataFrame:
    random = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "person": np.arange(count),
            "age": random.integers(18, 90, count),
            "zip": random.integers(10_000, 10_400, count),
            "sex": random.choice(["female", "male"], count),
            "work": random.choice(["office", "field", "home", "none"], count),
            "illness": random.choice(["flu", "cold", "burn"], count),
        }
    )
