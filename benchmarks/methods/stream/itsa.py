"""ITSA's slide against the plain C++ ports on their own streams, against windows from scratch, and at its worst."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import ports
from benchmarks.comparison import Row, peak_memory
from crypsis.methods.stream.sliding_window import SlidingWindow
from tests import shared_data

METRO: dict[str, Any] = {"L": 4, "K": 120, "N": 7}
PAGES: dict[str, Any] = {"L": 2, "K": 20, "N": 10}
HORIZON = 14  # timestamps, of the cumulative row
MEMORY_LIMIT = 3 * 2**30
DENSE_LIMIT = 1.5
LEVEL = 1.0  # no row may be slower than the port


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
    ours, theirs = _in_turn(
        5 if people < 10**6 else 3,
        lambda: _run(stream, 53, (0,), METRO),
        lambda: ports.stream_seconds("itsa", file, 54, **METRO, C=0.6),
    )
    scratch, their_scratch = _in_turn(
        2,
        lambda: _run(stream, 10, (0,), METRO | {"mode": "static"}),
        lambda: ports.stream_seconds("lkc_static", file, 10, **METRO, C=0.6),
    )
    cumulative = _best([_run(stream, 30, (0,), METRO | {"mode": "cumulative", "horizon": HORIZON}) for _ in range(2)])
    yield Row("ITSA slide", words, ours.slide, "C++ port", theirs[0], LEVEL, note=_note(ours))
    yield Row("ITSA first window", words, ours.first, "C++ port", theirs[1], LEVEL)
    yield Row("static window", words, scratch.window, "C++ port", their_scratch[0], LEVEL)
    yield Row("ITSA slide", words, ours.slide, "window from scratch", scratch.window, LEVEL)
    yield Row(
        f"cumulative slide, H={HORIZON}",
        words,
        cumulative.slide,
        "window from scratch",
        scratch.window,
        LEVEL,
        note=_note(cumulative),
    )


def _pages(file: Path, stream: ports.Stream) -> Iterator[Row]:
    words = "MSNBC, N=10 L=2 K=20 C=60%"
    ours, theirs = _in_turn(
        2,
        lambda: _run(stream, 12, (0, 1), PAGES),
        lambda: ports.stream_seconds("itsa", file, 12, **PAGES, C=0.6, pages=50),
    )
    scratch = _best([_run(stream, 6, (0, 1), PAGES | {"mode": "static"})])
    yield Row("ITSA slide", words, ours.slide, "C++ port", theirs[0], LEVEL, note=_note(ours))
    yield Row("ITSA first window", words, ours.first, "C++ port", theirs[1], LEVEL)
    yield Row("ITSA slide", words, ours.slide, "window from scratch", scratch.window, LEVEL)


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
    _run(stream, 2, (0,), METRO)  # compiles
    ours = _best([_run(stream, 6, (0,), METRO) for _ in range(2)])
    return Row(
        "ITSA slide",
        f"uniform {people:,} x 8 places, N=7 L=4 K=120",
        ours.slide,
        limit=DENSE_LIMIT,
        note=f"first {ours.first:.2f} s; {_note(ours)}",
    )


class Measured(NamedTuple):
    """Seconds of the first window, mean of the slides after it and of all windows; processor time of those slides."""

    first: float
    slide: float
    window: float
    processor: float
    suppressed: float  # share


def _in_turn(
    repeats: int, ours: Callable[[], Measured], theirs: Callable[[], tuple[float, float] | None]
) -> tuple[Measured, tuple[float, float]]:
    """Best of each, run in turn, so that both meet the same machine; ours compiles before."""
    ours()
    mine, others = [], []
    for _ in range(repeats):
        mine.append(ours())
        other = theirs()
        assert other is not None
        others.append(other)
    return _best(mine), (min(one[0] for one in others), min(one[1] for one in others))


def _best(runs: list[Measured]) -> Measured:
    return Measured(*(min(values) for values in zip(*runs, strict=True)))


def _note(ours: Measured) -> str:
    slide = f"{1000 * ours.processor:.1f} ms" if ours.processor < 1 else f"{ours.processor:.2f} s"
    return f"{ours.suppressed:.1%} suppressed; {slide} of processor time, load {os.getloadavg()[0]:.1f}"


def _run(stream: ports.Stream, windows: int, sensitive: tuple[int, ...], settings: dict[str, Any]) -> Measured:
    people, places, times, value = stream
    window = SlidingWindow(origin=1, tokens=[Fraction(3, 5)] * len(sensitive), **settings)
    classes = np.zeros(len(value), np.int32)
    for token, chosen in enumerate(sensitive):
        classes[value == chosen] = window.declare_class([token])
    spent: list[float] = []
    used: list[float] = []
    suppressed = instances = 0
    gc.collect()
    while len(spent) < windows and window.next_end <= int(times[-1]):
        lower, upper = np.searchsorted(times, [window.y + 1, window.next_end + 1])
        new = people[lower:upper], places[lower:upper], times[lower:upper], classes[people[lower:upper]]
        started, before = time.perf_counter(), time.thread_time()
        slide = window.slide(*new)
        used.append(time.thread_time() - before)
        spent.append(time.perf_counter() - started)
        suppressed, instances = suppressed + slide.suppressed_instances, instances + slide.instances
    means = float(np.mean(spent[1:])), float(np.mean(spent)), float(np.mean(used[1:]))
    return Measured(spent[0], *means, suppressed / max(instances, 1))
