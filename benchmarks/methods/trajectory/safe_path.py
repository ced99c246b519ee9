"""SafePath with exact noise at the sizes of the thesis, beside the C++ port with floating-point noise and SeqPT."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks import ports, workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis import SafePath, SeqPT
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

LIMIT = 3.0  # seconds, exact noise, from events to synthetic trajectories
CURVE = (10_000, 50_000, 200_000, 847_668)
HOURS = 168
DEEP: dict[str, Any] = {"epsilon": Fraction(1), "height": 12, "location_height": 6, "time_height": 6}


def rows(quick: bool = False) -> Iterator[Row]:
    """Both datasets under each division of epsilon; SeqPT where it can finish; then the curve against size."""
    for name, data in (("bus", workloads.bus()), ("metro", workloads.metro())):
        port = ports.safepath_seconds(data, times=HOURS, height=12)
        for scheme in ("uniform", "printed", "flat"):
            compared = port if scheme == "printed" else None
            yield _timed(name, data, SafePath(scheme=scheme, **DEEP, **_domains(data)), compared)
        gc.collect()
    for name, data, required in (("bus", workloads.bus(5_000), 100.0), ("metro", workloads.metro(50_000), None)):
        seqpt = ports.safepath_seconds(data, times=HOURS, height=2, seqpt=True, stop=10 if quick else 90)
        method = SafePath(epsilon=Fraction(1), height=2, scheme="flat", **_domains(data))
        yield _timed(name, data, method, seqpt, "SeqPT port", required)
    yield _beside_our_seq_pt(workloads.bus(5_000))
    for size in CURVE[:2] if quick else CURVE:
        data = workloads.metro(size)
        yield _timed("metro", data, SafePath(epsilon=Fraction(1), height=3, scheme="flat", **_domains(data)), None)


def _timed(
    name: str,
    data: Events,
    method: SafePath,
    port: tuple[float, str] | None,
    comparator: str = "C++ port, float noise",
    required: float | None = None,
) -> Row:
    context = RunContext()
    made = method.anonymize(data, context)
    seconds = best_of(2, lambda: method.anonymize(data, RunContext()))
    nodes = " ".join(f"{count:,}" for count in context.private["tree_nodes"])
    words = f"nodes by level {nodes or 'none'}, {made.trajectories:,} trajectories, {peak_memory() / 2**30:.2f} GB"
    if not verify(made, method.guarantee).holds:
        words += ", NOT AS PROMISED"
    if port is not None and "stopped" in port[1]:
        words += "; the comparator did not finish"
    people = len(np.unique(data.persons))
    return Row(
        f"SafePath {method.scheme} h={method.height}",
        f"{name} {people:,} x {len(data.locations)} x {HOURS}",
        seconds,
        comparator if port else "",
        port[0] if port else None,
        required,
        limit=LIMIT,
        note=words,
    )


def _beside_our_seq_pt(data: Events) -> Row:
    """The same tree with the same budgets, every empty child drawn by itself; four hours in a bin, so that it ends."""
    domains = _domains(data) | {"time_domain": TimeDomain(0, HOURS, 4)}
    naive = SeqPT(epsilon=Fraction(1), height=2, **domains)
    begin = time.perf_counter()
    slow = naive.anonymize(data, RunContext())
    seconds = time.perf_counter() - begin
    fast = SafePath(epsilon=Fraction(1), height=2, scheme="flat", **domains)
    made = fast.anonymize(data, RunContext())
    note = f"{made.trajectories:,} trajectories, SeqPT {slow.trajectories:,}, most of them noise"
    return Row(
        "SafePath flat h=2",
        f"bus {len(np.unique(data.persons)):,} x {len(data.locations)} x {len(domains['time_domain'])}",
        best_of(2, lambda: fast.anonymize(data, RunContext())),
        "our SeqPT",
        seconds,
        100.0,
        limit=LIMIT,
        note=note,
    )


def _domains(data: Events) -> dict[str, Any]:
    return {"location_domain": LocationDomain(data.locations.labels), "time_domain": TimeDomain(0, HOURS)}
