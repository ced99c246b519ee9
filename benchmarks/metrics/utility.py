"""The default metrics on full-size check-ins, and PrefixSpan beside a slow miner."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis import SeqAnon, measure
from crypsis.metrics.patterns import frequent_patterns, minimum_support
from crypsis.run_context import RunContext
from tests.reference.pattern_mining import joined_patterns


def rows(quick: bool = False) -> Iterator[Row]:
    """All default figures of one release; patterns at the paper's threshold."""
    data = workloads.checkins()
    published = SeqAnon(k=5, m=2).anonymize(data, RunContext())
    yield Row("default metrics", f"checkins {len(data):,} x 662", best_of(2, lambda: measure(data, published)))
    walks = workloads.walks()
    support = minimum_support(0.0083, len(walks))
    ours = best_of(3, lambda: frequent_patterns(walks, support))
    paths = list(walks.paths())
    started = time.perf_counter()
    joined_patterns(paths, support)
    theirs = time.perf_counter() - started
    yield Row("PrefixSpan at 0.83 %", "walks 18,143 x 100", ours, "slow joining miner", theirs)
