"""SDSeqAnon and USeqAnon beside SeqAnon in one run: being guided may cost them half as much time again."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.comparison import Row
from crypsis import Method, SDSeqAnon, SeqAnon, USeqAnon
from crypsis.data.constraints import AutomaticConstraints
from crypsis.data.trajectory import Trajectories
from crypsis.hierarchy import AutomaticTaxonomy
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

REQUIRED = 1 / 1.5
CURVE = (10_000, 30_000, 100_000, 300_000)


def rows(quick: bool = False) -> Iterator[Row]:
    """Both workloads with the fan-outs and constraint sizes of the specification; then the curve against size."""
    for name, data, fan_out, size in (
        ("walks", workloads.walks(), 5, 25),
        ("checkins", workloads.checkins(), 6, 50),
    ):
        for m in (2, 3):
            if quick and (name, m) == ("checkins", 3):
                continue
            guided: list[Method] = [
                SDSeqAnon(k=5, m=m, taxonomy=AutomaticTaxonomy(fan_out)).resolve(data),  # type: ignore[arg-type]
                USeqAnon(k=5, m=m, constraints=AutomaticConstraints(size), delta=100).resolve(data),  # type: ignore[arg-type]
            ]
            plain, *times = _side_by_side([SeqAnon(k=5, m=m), *guided], data, 5 if name == "walks" else 3)
            for method, ours in zip(guided, times, strict=True):
                yield Row(
                    f"{type(method).__name__} k=5 m={m}",
                    f"{name} {len(data):,} x {len(data.locations)}",
                    ours,
                    "SeqAnon",
                    plain,
                    REQUIRED,
                    limit=1.0 if (name, m) == ("walks", 2) else None,
                    note=_outcome(method, data),
                )
    yield from _curve(CURVE[:1] if quick else CURVE)


def _side_by_side(methods: list[Method], data: Trajectories, repeats: int) -> list[float]:
    """The shortest processor time of each: all run on one core, and they take turns, so that the ratio is fair."""
    best = [float("inf")] * len(methods)
    for turn in range(repeats + 1):
        for number, method in enumerate(methods):
            started = time.process_time()
            method.anonymize(data, RunContext())
            if turn:  # the first may compile
                best[number] = min(best[number], time.process_time() - started)
    return best


def _outcome(method: Method, data: Trajectories) -> str:
    context = RunContext()
    published = method.anonymize(data, context)
    holds = verify(published, method.guarantee_of(data, published), original=data).holds
    suppressed = f", {len(published.suppressed)} suppressed" if published.suppressed else ""
    return f"{len(context.private['merges'])} merges{suppressed}{'' if holds else ', NOT AS PROMISED'}"


def _curve(sizes: tuple[int, ...]) -> Iterator[Row]:
    """k=5, m=2 on 10,000 locations: time as the number of trajectories grows."""
    for size in sizes:
        data = workloads.million(size)
        methods: list[Method] = [
            SeqAnon(k=5, m=2, on_infeasible="truncate"),
            SDSeqAnon(k=5, m=2, on_infeasible="truncate", taxonomy=AutomaticTaxonomy(10)).resolve(data),  # type: ignore[arg-type]
            USeqAnon(k=5, m=2, constraints=AutomaticConstraints(500), delta=100).resolve(data),  # type: ignore[arg-type]
        ]
        plain, *times = _side_by_side(methods, data, 1)
        for method, ours in zip(methods[1:], times, strict=True):
            yield Row(f"{type(method).__name__} k=5 m=2", f"{size:,} x 10,000", ours, "SeqAnon", plain)
