"""Risks of a million records with eight quasi-identifiers, and linking 30,000 people to a release of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.comparison import Row, best_of
from benchmarks.verifiers.table_levels import QUASI, generalized
from crypsis import LinkageAttack, Mondrian
from crypsis.attacks.table_risk import table_risk
from crypsis.data.relational import Table
from crypsis.run_context import RunContext

LIMIT = 5.0  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """Classes, risks of three adversaries, distinction and separation; with all pairs of columns; and linkage."""
    size = 100_000 if quick else 1_000_000
    table = people(size)
    yield Row("risks of a table", f"{size:,} x 8", best_of(2, lambda: table_risk(table, share=0.1)), limit=LIMIT)
    seconds = best_of(1, lambda: table_risk(table, sets=2))
    yield Row("risks of a table, pairs of columns", f"{size:,} x 8", seconds, limit=LIMIT)
    few = people(5_000 if quick else 30_000)
    release = Mondrian(k=5).anonymize(few, RunContext())
    seconds = best_of(1, lambda: LinkageAttack().run(release, few))
    yield Row("attack linkage", f"{len(few):,} x 8, Mondrian k=5", seconds, limit=LIMIT)


def people(records: int) -> Table:
    """People before anything is generalized."""
    frame = generalized(records).drop("sensitive")
    random = np.random.Generator(np.random.PCG64(2))
    frame = frame.with_columns(q0=random.integers(0, 90, records))
    return Table.from_frame(frame, dict.fromkeys(QUASI, "quasi"), dict.fromkeys(QUASI, "int"))
