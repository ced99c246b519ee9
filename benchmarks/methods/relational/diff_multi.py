"""DiffMulti with exact noise on a million Adult-like records, beside the C++ port with floating-point noise.

What counts is the time per specialization, because both stop where the shares of small regions run out: the port and we
make different numbers of them from the same limit. That is compared at depth 63, where ways may be as long as the
port's. At our usual depth of 12 few are made from one reading of the records, and how many varies from run to run;
there the whole run is compared with the port's. All seconds are processor time of one core, the port's too: the clock
of a busy machine tells how busy it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from benchmarks import ports
from benchmarks.comparison import Row, peak_memory
from crypsis import DiffMulti
from crypsis.data.relational import Table
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

LIMITS = (1_000, 100_000)
ALLOWED = 1.5  # times the port's time per specialization
MOST_MEMORY = 4 << 30


def rows(quick: bool = False) -> Iterator[Row]:
    """Few and many specializations by class; then the other scores."""
    found = ports.adult_like("adult" if quick else "adult1m")
    if found is None:
        return
    table, domains, trees, folder = found
    for limit in LIMITS:
        port = ports.diffmulti_seconds(folder, limit)
        for depth in (None, 63):
            method = DiffMulti(
                epsilon=Fraction(1), specializations=limit, score="max", domains=domains, trees=trees, max_depth=depth
            )
            yield _timed(table, method, port)
    for score in ("ncp_gain", "discernibility"):
        method = DiffMulti(epsilon=Fraction(1), specializations=10_000, score=score, domains=domains, trees=trees)
        yield _timed(table, method, None)


def _timed(table: Table, method: DiffMulti, port: tuple[float, int] | None) -> Row:
    made = method.anonymize(table, RunContext())  # the first run, which may compile
    runs = []
    for _ in range(2):
        context = RunContext()
        seconds = _processor_seconds(partial(method.anonymize, table, context))
        runs.append((seconds, max(int(context.private["specializations"]), 1)))
    seconds, done = min(runs)
    words = f"{done:,} specializations made, {1e6 * seconds / done:.0f} µs each, {peak_memory() / 2**30:.2f} GB"
    comparator, theirs = "", None
    if port is not None:
        words += f"; the port made {port[1]:,}, {1e6 * port[0] / port[1]:.0f} µs each"
        alike = method.max_depth is not None
        comparator = f"C++ port, float noise, {'for as many' if alike else 'its whole run'}"
        theirs = port[0] / port[1] * done if alike else port[0]
    if peak_memory() > MOST_MEMORY:
        words += ", TOO MUCH MEMORY"
    if not verify(made, method.guarantee).holds:
        words += ", NOT AS PROMISED"
    depth = "12" if method.max_depth is None else str(method.max_depth)
    return Row(
        f"DiffMulti {method.score} h={method.specializations:,} depth {depth}",
        f"adult-like {len(table):,} x {len(made.attributes)}",
        seconds,
        comparator,
        theirs,
        1 / ALLOWED if port else None,
        note=words,
    )


def _processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
