"""Apriori, LRA, VPA, COAT and PCTA: BMS-WebView-1 against the targets, growth with records, items and k."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks import workloads
from benchmarks.comparison import Row, best_of
from crypsis import COAT, LRA, PCTA, VPA, Apriori, Method
from crypsis.data.reading import read_transactions
from crypsis.data.transaction import Transactions
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests import shared_data

LIMITS = {"Apriori": 60.0, "LRA": 60.0, "VPA": 30.0, "COAT": 60.0, "PCTA": 60.0}
METHODS: tuple[type[Method], ...] = (Apriori, LRA, VPA, COAT, PCTA)
RECORDS = (10_000, 100_000, 1_000_000)
ITEMS = (500, 2_000, 5_000)
LEVELS = (2, 10, 50)


def rows(quick: bool = False) -> Iterator[Row]:
    """The clicks of a web shop where the file is there, then synthetic baskets."""
    file = shared_data.dataset("bms_webview1") / "bms_webview1.dat.gz"
    if file.is_file():
        clicks = read_transactions(file)
        for method in METHODS:
            yield timed(method(k=5, m=2), "BMS-WebView-1", clicks, LIMITS[method.__name__])  # type: ignore[call-arg]
        for level in LEVELS[:1] if quick else LEVELS:
            yield timed(Apriori(k=level, m=2), "BMS-WebView-1", clicks)
    for records in RECORDS[:1] if quick else RECORDS:
        yield timed(Apriori(k=5, m=2), "quest", workloads.baskets(records, 1_000))
    for items in ITEMS[:1] if quick else ITEMS:
        baskets = workloads.baskets(20_000, items)
        for method in (Apriori, PCTA):
            yield timed(method(k=5, m=2), "quest", baskets)


def timed(method: Method, name: str, data: Transactions, limit: float | None = None) -> Row:
    published = method.anonymize(data, RunContext())
    seconds = best_of(1, lambda: method.anonymize(data, RunContext()))
    started = time.perf_counter()
    verdict = verify(published, method.guarantee_of(data, published))
    checked = time.perf_counter() - started
    words = f"{len(published.symbols)} symbols, {'verified' if verdict.holds else 'BROKEN'} in {checked:.2f} s"
    settings = method.parameters()
    return Row(
        f"{type(method).__name__} k={settings['k']} m={settings['m']}",
        f"{name} {len(data):,} x {len(data.vocabulary):,}",
        seconds,
        limit=limit,
        note=words,
    )
