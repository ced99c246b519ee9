"""LmAnon, ZGA and SGA with a sensitive set of places: time against the targets, the clusters, and the size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis import SGA, ZGA, LmAnon
from crypsis.data.trajectory import Trajectories
from crypsis.methods.trajectory.diverse_method import DiverseMethod
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.reference.lm_anon import lm_anon as obvious_lm_anon

LIMITS = {("walks", "ZGA"): 1.0, ("walks", "SGA"): 1.0}
METHODS: tuple[DiverseMethod, ...] = (LmAnon(), ZGA(), SGA(), ZGA(clusters=100))
CURVE = (2_000, 5_000, 10_000, 18_143)


def rows(quick: bool = False) -> Iterator[Row]:
    """Both workloads with every method; the curve against size; the obvious version on a small piece."""
    data_by_name = {"walks": walks(18_143), "checkins": checkins()}
    for name in ("walks",) if quick else data_by_name:
        data = data_by_name[name]
        for method in METHODS:
            yield _timed(method, name, data)
    yield _against_the_obvious()
    for size in CURVE[:2] if quick else CURVE:
        yield _timed(ZGA(), "walks", walks(size))


def walks(n: int) -> Trajectories:
    return _marked(workloads.walks(n=n), [7, 37, 52, 90])


def checkins() -> Trajectories:
    return _marked(workloads.checkins(), range(20, 662, 40))


def _marked(data: Trajectories, codes: object) -> Trajectories:
    return replace(data, locations=data.locations.marked(str(code) for code in codes))  # type: ignore[attr-defined]


def _timed(method: DiverseMethod, name: str, data: Trajectories) -> Row:
    published = method.anonymize(data, RunContext())
    seconds = best_of(3, lambda: method.anonymize(data, RunContext()))
    started = time.perf_counter()
    verdict = verify(published, method.guarantee)
    checked = time.perf_counter() - started
    clusters = getattr(method, "clusters", 1)
    words = f"{len(published.symbols)} symbols, verified in {checked:.2f} s"
    return Row(
        f"{type(method).__name__} k=5 l=2 m=2 C={clusters}",
        f"{name} {len(data):,} x {len(data.locations)}",
        seconds,
        limit=LIMITS.get((name, type(method).__name__)),
        note=words if verdict.holds else words + ", NOT AS PROMISED",
    )


def _against_the_obvious() -> Row:
    data = walks(200).take(np.arange(200))
    method = LmAnon(k=2, l=2, m=1)
    x, y = data.locations.coordinates("benchmark")
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    sensitive = {7, 37, 52, 90}
    ours = best_of(3, lambda: method.anonymize(data, RunContext()))
    started = time.perf_counter()
    obvious_lm_anon(list(data.paths()), points, sensitive, 2, 2, 1, labels=data.locations.labels)
    return Row("LmAnon k=2 l=2 m=1", "walks 200 x 100", ours, "obvious version", time.perf_counter() - started)
