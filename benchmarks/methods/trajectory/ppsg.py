"""PPSG from raw fixes to published sequences on the specification's cars: each stage, the whole, and the curve."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis.data.track import Tracks
from crypsis.journal import Journal
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
from crypsis.verifiers import verify

CURVE = (1_000, 5_707, 20_000, 60_000)
LIMIT = 10.0  # seconds for the 5,707 cars from fixes to sequences, KAMRec included


def rows(quick: bool = False) -> Iterator[Row]:
    """The cars for several k; then how time grows with their number; then the regions of interest."""
    cars = workloads.cars()
    PPSG(k=8, radius=500.0).anonymize(workloads.cars(n=200), Journal())
    for inner, k in (("kam-cut", 8), ("kam-rec", 8), ("kam-rec", 20)):
        yield from _timed(cars, PPSG(k=k, inner=inner, radius=500.0), LIMIT)
    for size in CURVE[:2] if quick else CURVE:
        yield from _timed(workloads.cars(n=size), PPSG(k=8, radius=500.0), None)
    regions = RegionsOfInterest(cell=500, min_density=0.01)
    found = regions.prepare(cars)
    yield Row(
        "regions of interest",
        _name(cars),
        best_of(3, lambda: regions.prepare(cars)),
        note=f"{len(found.rectangles)} regions, {found.lost} tracks lost",
    )


def _timed(tracks: Tracks, method: PPSG, limit: float | None) -> Iterator[Row]:
    gc.collect()
    journal = Journal()
    started = time.perf_counter()
    published = method.anonymize(tracks, journal)
    seconds = time.perf_counter() - started
    started = time.perf_counter()
    verdict = verify(published, method.guarantee, original=tracks)
    checked = time.perf_counter() - started
    slowest = max(journal.timings, key=journal.timings.__getitem__)
    words = (
        f"{len(published.places or ())} cells, {len(published):,} rows, {len(journal.private['merged_cells'])} steps, "
        f"{slowest} {journal.timings[slowest]:.2f} s, {peak_memory() / 2**30:.2f} GB"
    )
    if not verdict.holds:
        words += ", NOT AS PROMISED"
    yield Row(
        f"PPSG {method.inner} k={method.k}",
        _name(tracks),
        seconds,
        limit=limit,
        note=words,
    )
    yield Row(f"verify PPSG k={method.k}", _name(tracks), checked)


def _name(tracks: Tracks) -> str:
    return f"cars {len(tracks):,} x {tracks.points:,}"
