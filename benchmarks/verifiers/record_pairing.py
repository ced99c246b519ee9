"""Sorted rows against the original (`verify --original`) where some columns are unchanged: time and its exponent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks import workloads
from benchmarks.comparison import Row, clocked
from crypsis import Mondrian
from crypsis.data.relational import Table
from crypsis.guarantees import KAnonymity
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

SIZES = (5_000, 20_000, 80_000, 199_523)
LIMIT = 10.0  # seconds for the largest
MOST_EXPONENT = 1.2
ROLES = {"age": "quasi", "zip": "quasi", "sex": "quasi", "education": "other", "born": "other", "income": "other"}


def rows(quick: bool = False) -> Iterator[Row]:
    """Shuffled releases of growing tables; processor time, and its exponent since the size before."""
    _check(2_000)  # compiles
    before: tuple[int, float] | None = None
    for size in SIZES[:2] if quick else SIZES:
        busy = _check(size)
        grown = 0.0 if before is None else float(np.log(busy / before[1]) / np.log(size / before[0]))
        before = size, busy
        last = size == SIZES[-1]
        yield Row(
            "verify --original, sorted rows",
            f"{size:,} x 7, three columns unchanged",
            busy,
            limit=LIMIT if last else None,
            note=f"cpu, exponent {grown:.2f}" if grown else "cpu",
            sound=not last or grown <= MOST_EXPONENT,
        )


def _check(records: int) -> float:
    table = Table.from_frame(workloads.people(records), {**ROLES, "disease": "sensitive"})
    published = Mondrian(k=5).anonymize(table, RunContext())
    shuffled = published.take(np.random.Generator(np.random.PCG64(5)).permutation(records))

    def check() -> None:
        assert verify(shuffled, KAnonymity(k=5), table).holds

    return clocked(check)[1]
