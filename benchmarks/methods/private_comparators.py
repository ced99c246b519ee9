"""NGrams, DiffPart and DiffGen at the sizes of SafePath and DiffMulti, with exact noise and the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from benchmarks import ports, workloads
from benchmarks.comparison import Row, best_of, peak_memory
from crypsis import DiffGen, DiffPart, NGrams
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.item_domain import ItemDomain
from crypsis.methods.private_method import PrivateMethod
from crypsis.run_context import RunContext
from crypsis.verifiers import verify

LIMIT = 6.0  # seconds, from the data in memory to what is published


def rows(quick: bool = False) -> Iterator[Row]:
    """One row per method, and two for the tokens of NGrams."""
    trips = workloads.metro(50_000) if quick else workloads.metro()
    domains: dict[str, Any] = {
        "location_domain": LocationDomain(trips.locations.labels),
        "time_domain": TimeDomain(0, 168),
    }
    for tokens in ("visits", "places"):
        method = NGrams(epsilon=Fraction(1), grams=3, longest=6, tokens=tokens, **domains)
        yield _timed(f"NGrams {tokens}", f"metro {len(trips.people):,} x {len(trips.locations)} x 168", trips, method)
    sets = workloads.baskets(50_000 if quick else 500_000, terms=1_000, length=4.0)
    items = ItemDomain(sets.vocabulary.labels)
    part = DiffPart(epsilon=Fraction(1), item_domain=items)
    yield _timed("DiffPart", f"baskets {len(sets):,} x {len(items):,}", sets, part)
    found = ports.adult_like("adult" if quick else "adult1m")
    if found is not None:
        table, attributes, trees, _ = found
        for score in ("max", "ncp_gain"):
            gen = DiffGen(epsilon=Fraction(1), specializations=20, score=score, domains=attributes, trees=trees)
            yield _timed(f"DiffGen {score} h=20", f"adult-like {len(table):,}", table, gen)


def _timed(task: str, workload: str, data: Any, method: PrivateMethod) -> Row:
    made = method.anonymize(data, RunContext())
    seconds = best_of(2, lambda: method.anonymize(data, RunContext()))
    words = f"{made!r}, {peak_memory() / 2**30:.2f} GB"
    if not verify(made, method.guarantee).holds:
        words += ", NOT AS PROMISED"
    return Row(task, workload, seconds, limit=LIMIT, note=words)
