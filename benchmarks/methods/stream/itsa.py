"""ITSA's slide against the plain C++ ports on their own streams, against windows from scratch, and at its worst."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ports
from benchmarks.comparison import Row, peak_memory
from crypsis.methods.stream.sliding_window import SlidingWindow
from tests import shared_data

METRO: dict[str, Any] = {"L": 4, "K": 120, "N": 7}
PAGES: dict[str, Any] = {"L": 2, "K": 20, "N": 10}
MEMORY_LIMIT = 3 * 2**30
DENSE_LIMIT = 1.5
LEVEL = 0.7  # differences below 30 % are noise


def rows(quick: bool = False) -> Iterator[Row]:
    """Mean slide and first window on metro-like streams, MSNBC and uniform places; seconds each."""
    for people in (100_000,) if quick else (100_000, 1_000_000):
        made = ports.metro_like(people)
        if made is not None:
            yield from _metro(people, *made)
    if not quick and shared_data.dataset("msnbc").is_dir():
        made = ports.pages_like(shared_data.dataset("msnbc") / "msnbc990928.txt.xz", 50)
        if made is not None:
            yield from _pages(*made)
    yield _dense(100_000 if quick else 1_000_000)
    peak = peak_memory()
    yield Row(
        "ITSA memory", "all of the above", peak / 2**30, limit=MEMORY_LIMIT / 2**30, note="gigabytes, not seconds"
    )


def _metro(people: int, file: Path, stream: ports.Stream) -> Iterator[Row]:
    words = f"metro-like {people:,}, N=7 L=4 K=120 C=60%"
    repeats = 3 if people < 10**6 else 2
    first, slide, suppressed = _best(repeats, stream, 53, (0,), METRO)
    theirs = ports.stream_seconds("itsa", file, 54, repeats, **METRO, C=0.6)
    scratch, _, _ = _best(1, stream, 10, (0,), METRO | {"mode": "static"}, mean=True)
    their_scratch = ports.stream_seconds("lkc_static", file, 10, 1, **METRO, C=0.6)
    assert theirs is not None
    assert their_scratch is not None
    note = f"{suppressed:.1%} suppressed"
    yield Row("ITSA slide", words, slide, "C++ port", theirs[0], LEVEL, note=note)
    yield Row("ITSA first window", words, first, "C++ port", theirs[1], 0.5)
    yield Row("static window", words, scratch, "C++ port", their_scratch[0], 0.5)
    yield Row("ITSA slide", words, slide, "window from scratch", scratch, 1.0)


def _pages(file: Path, stream: ports.Stream) -> Iterator[Row]:
    words = "MSNBC, N=10 L=2 K=20 C=60%"
    first, slide, suppressed = _best(2, stream, 12, (0, 1), PAGES)
    theirs = ports.stream_seconds("itsa", file, 12, 1, **PAGES, C=0.6, pages=50)
    scratch, _, _ = _best(1, stream, 6, (0, 1), PAGES | {"mode": "static"}, mean=True)
    assert theirs is not None
    yield Row("ITSA slide", words, slide, "C++ port", theirs[0], LEVEL, note=f"{suppressed:.1%} suppressed")
    yield Row("ITSA first window", words, first, "C++ port", theirs[1], 0.5)
    yield Row("ITSA slide", words, slide, "window from scratch", scratch, 1.0)


def _dense(people: int) -> Row:
    """Everybody is at one of eight places at every timestamp: hardly two rows are equal."""
    random = np.random.Generator(np.random.PCG64(3))
    times = 12
    stream = (
        np.tile(np.arange(people, dtype=np.int32), times),
        random.integers(0, 8, people * times).astype(np.int32),
        np.repeat(np.arange(1, times + 1), people),
        random.integers(0, 10, people).astype(np.int32),
    )
    # Processor time: the limit is absolute, and the machine may be busy with other things.
    first, slide, _ = _best(1, stream, 6, (0,), METRO, clock=time.thread_time)
    return Row(
        "ITSA slide",
        f"uniform {people:,} x 8 places, N=7 L=4 K=120",
        slide,
        limit=DENSE_LIMIT,
        note=f"processor time; first {first:.2f} s",
    )


def _best(
    repeats: int,
    stream: ports.Stream,
    windows: int,
    sensitive: tuple[int, ...],
    settings: dict[str, Any],
    *,
    mean: bool = False,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float, float]:
    """Best first window (or mean of all, with `mean`), best mean of the later slides, share suppressed."""
    _run(stream, 2, sensitive, clock, settings)  # compiles
    runs = [_run(stream, windows, sensitive, clock, settings) for _ in range(repeats)]
    firsts = [float(np.mean(times)) if mean else times[0] for times, _ in runs]
    return min(firsts), min(float(np.mean(times[1:])) for times, _ in runs), runs[0][1]


def _run(
    stream: ports.Stream,
    windows: int,
    sensitive: tuple[int, ...],
    clock: Callable[[], float],
    settings: dict[str, Any],
) -> tuple[list[float], float]:
    people, places, times, value = stream
    window = SlidingWindow(origin=1, tokens=[Fraction(3, 5)] * len(sensitive), **settings)
    classes = np.zeros(len(value), np.int32)
    for token, chosen in enumerate(sensitive):
        classes[value == chosen] = window.declare_class([token])
    spent: list[float] = []
    suppressed = instances = 0
    gc.collect()
    while len(spent) < windows and window.next_end <= int(times[-1]):
        lower, upper = np.searchsorted(times, [window.y + 1, window.next_end + 1])
        new = people[lower:upper], places[lower:upper], times[lower:upper], classes[people[lower:upper]]
        started = clock()
        slide = window.slide(*new)
        spent.append(clock() - started)
        suppressed, instances = suppressed + slide.suppressed_instances, instances + slide.instances
    return spent, suppressed / max(instances, 1)
