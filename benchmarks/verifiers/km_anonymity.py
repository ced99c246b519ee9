"""The k^m verifier on the specification's workloads, beside the obvious count with Python dictionaries."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis import SeqAnon
from crypsis.guarantees import KmAnonymity
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.reference.km_anonymity import check as obvious_check


def rows(quick: bool = False) -> Iterator[Row]:
    """m=2 must take under half a second on each; the obvious version is timed on the smaller one."""
    for name, data in (("walks", workloads.walks()), ("checkins", workloads.checkins())):
        for m in (2, 3):
            published = SeqAnon(k=5, m=m).anonymize(data, RunContext())
            promised = KmAnonymity(k=5, m=m)
            ours = best_of(3, lambda: verify(published, promised))  # noqa: B023
            theirs = None
            if name == "walks":
                names = published.symbols.label_lists
                named = [[names[code] for code in path] for path in published.paths()]
                started = time.perf_counter()
                obvious_check(named, 5, m)
                theirs = time.perf_counter() - started
            yield Row(
                f"verify k^m m={m}",
                f"{name} {len(data):,} x {len(data.locations)}",
                ours,
                "obvious version" if theirs else "",
                theirs,
                limit=0.5 if m == 2 else None,
            )
