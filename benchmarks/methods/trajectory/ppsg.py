"""PPSG from raw fixes to published sequences on the specification's cars: each stage, the whole, and the curve."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import crypsis
from benchmarks import workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis.data.projection import unproject
from crypsis.data.track import Tracks
from crypsis.methods.trajectory.ppsg import PPSG
from crypsis.methods.trajectory.regions_of_interest import RegionsOfInterest
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

CURVE = (1_000, 5_707, 20_000, 60_000)
LIMIT = 10.0  # seconds for the 5,707 cars from fixes to sequences, KAMRec included


def rows(quick: bool = False) -> Iterator[Row]:
    """The cars for several k; then how time grows with their number; then the regions of interest."""
    cars = workloads.cars()
    PPSG(k=8, radius=500.0).anonymize(workloads.cars(n=200), RunContext())
    for inner, k in (("kam-cut", 8), ("kam-rec", 8), ("kam-rec", 20)):
        yield from _timed(cars, PPSG(k=k, inner=inner, radius=500.0), LIMIT)
    for size in CURVE[:2] if quick else CURVE:
        yield from _timed(workloads.cars(n=size), PPSG(k=8, radius=500.0), None)
    yield _from_file_to_report(cars)
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
    context = RunContext()
    started = time.perf_counter()
    published = method.anonymize(tracks, context)
    seconds = time.perf_counter() - started
    started = time.perf_counter()
    verdict = verify(published, method.guarantee, original=tracks)
    checked = time.perf_counter() - started
    slowest = max(context.timings, key=context.timings.__getitem__)
    words = (
        f"{len(published.places or ())} cells, {len(published):,} rows, {len(context.private['merged_cells'])} steps, "
        f"{slowest} {context.timings[slowest]:.2f} s, {peak_memory() / 2**30:.2f} GB"
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


def _from_file_to_report(tracks: Tracks) -> Row:
    """Degrees in a CSV file, as a cab company has them: read, projected, anonymized, verified, measured and written."""
    longitude, latitude = unproject(tracks.x + 545_000, tracks.y + 4_170_000, "EPSG:32610")
    rows = np.repeat(np.arange(len(tracks)), tracks.lengths)
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "cabs.csv"
        pl.DataFrame({"id": rows, "lat": latitude, "lon": longitude, "t": tracks.t}).write_csv(raw)
        started = time.perf_counter()
        release = crypsis.anonymize(crypsis.read_tracks(raw), PPSG(k=8, radius=500.0))
        written = release.write(Path(folder) / "release")
        seconds = time.perf_counter() - started
        words = f"report {(written / 'report.html').stat().st_size / 2**20:.1f} MB, {peak_memory() / 2**30:.2f} GB"
    return Row("PPSG k=8, CSV to report", _name(tracks), seconds, note=words)


def _name(tracks: Tracks) -> str:
    return f"cars {len(tracks):,} x {tracks.points:,}"
