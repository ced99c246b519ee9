"""SeqAnon against the plain C++ port on the specification's workloads, and against its own obvious version."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import numpy as np

from benchmarks import ports, workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis import SeqAnon
from crypsis.guarantees import KmAnonymity
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.reference.seq_anon import seq_anon as obvious_seq_anon

REQUIRED = {("walks", 2): 1.0, ("walks", 3): 1.0, ("checkins", 2): 2.0, ("checkins", 3): 3.0}
MERGES = {("walks", 2): 81, ("walks", 3): 96, ("checkins", 2): 515, ("checkins", 3): 636}
CURVE = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MEMORY_LIMIT = 4 * 2**30


def rows(quick: bool = False) -> Iterator[Row]:
    """Time, merges and ratio on both workloads; then the curve against size."""
    for name, data in (("walks", workloads.walks()), ("checkins", workloads.checkins())):
        for m in (2, 3):
            if quick and (name, m) == ("checkins", 3):
                continue
            method = SeqAnon(k=5, m=m)
            context = RunContext()
            method.anonymize(data, context)
            merges = len(context.private["merges"])
            ours = best_of(3 if name == "checkins" else 7, lambda: method.anonymize(data, RunContext()))  # noqa: B023
            port = ports.seqanon_seconds(data, 5, m, repeats=1 if (name, m) == ("checkins", 3) else 3)
            same = merges == MERGES[name, m] and (port is None or port[1] == merges)
            yield Row(
                f"SeqAnon k=5 m={m}",
                f"{name} {len(data):,} x {len(data.locations)}",
                ours,
                "C++ port" if port else "",
                port[0] if port else None,
                REQUIRED[name, m],
                note=f"{merges} merges" if same else f"{merges} MERGES DIFFER",
            )
    yield _against_the_obvious()
    yield from _curve(CURVE[:2] if quick else CURVE)


def _against_the_obvious() -> Row:
    data = workloads.walks().take(np.arange(150))
    method = SeqAnon(k=2, m=2, on_infeasible="truncate")
    assert data.locations.x is not None
    assert data.locations.y is not None
    points = list(zip(data.locations.x.tolist(), data.locations.y.tolist(), strict=True))
    paths = list(data.paths())
    ours = best_of(3, lambda: method.anonymize(data, RunContext()))
    started = time.perf_counter()
    obvious_seq_anon(paths, points, 2, 2, truncate=True)
    return Row("SeqAnon k=2 m=2", "walks 150 x 100", ours, "obvious version", time.perf_counter() - started)


def _curve(sizes: tuple[int, ...]) -> Iterator[Row]:
    """k=5, m=2 on 10,000 locations: time and memory as the number of trajectories grows."""
    for size in sizes:
        data = workloads.million(size)
        gc.collect()
        started = time.perf_counter()
        published = SeqAnon(k=5, m=2, on_infeasible="truncate").anonymize(data, RunContext())
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        verdict = verify(published, KmAnonymity(k=5, m=2))
        checked = time.perf_counter() - started
        peak = peak_memory()
        words = f"{len(published.symbols):,} symbols left, {peak / 2**30:.2f} GB"
        if not verdict.holds or peak > MEMORY_LIMIT:
            words += ", NOT AS PROMISED"
        yield Row("SeqAnon k=5 m=2", f"{size:,} x 10,000", seconds, note=words)
        yield Row("verify k^m m=2", f"{size:,} x 10,000", checked, note=str(verdict.figures["min_support_by_size"]))
