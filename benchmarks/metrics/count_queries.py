"""A hundred counting queries on records with six columns and sets of items, as large as the YouTube sample."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from benchmarks.comparison import Row, best_of
from crypsis.arrays import offsets_of
from crypsis.data.cells import Cell, Cells
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedColumn, PublishedTable, Table
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import KKmAnonymity
from crypsis.metrics.count_query_error import count_query_error
from crypsis.metrics.query_answers import actual_counts, estimated_counts
from crypsis.metrics.query_workload import drawn_queries
from crypsis.verifiers import verify

DOMAINS = (1000, 60, 5000, 16, 700, 41)
N_ITEMS = 936
RECORDS_PER_CLASS, ITEMS_PER_SYMBOL = 100, 8
LIMIT = 2.0  # seconds


def rows(quick: bool = False) -> Iterator[Row]:
    """Drawing, exact counts, estimates, and all together; and the (k,k^m) recount of the same release."""
    size = 10_000 if quick else 131_780
    original = people(size)
    published = released(original)
    workload = f"100 queries, {size:,} x 6 + items"
    queries = drawn_queries(original)
    yield Row("exact counts", workload, best_of(2, lambda: actual_counts(original, queries)), limit=LIMIT)
    yield Row(
        "estimated counts", workload, best_of(2, lambda: estimated_counts(original, published, queries)), limit=LIMIT
    )
    yield Row(
        "average relative error", workload, best_of(2, lambda: count_query_error(original, published)), limit=LIMIT
    )
    yield Row("bounds of counts", workload, best_of(2, lambda: published.bound_counts(queries)), limit=5.0)
    for m in (1, 2, 3):
        seconds = best_of(1, lambda: verify(published, KKmAnonymity(k=5, m=m)))  # noqa: B023
        yield Row(f"verify (k,k^m) m={m}", f"{size:,} x 6 + items", seconds, limit=5.0)


def people(records: int, seed: int = 1) -> Mixed:
    """Records with items of different popularity, in the order of their first column."""
    random = np.random.Generator(np.random.PCG64(seed))
    values = {f"q{place}": random.integers(0, domain, records) for place, domain in enumerate(DOMAINS)}
    table = Table.from_frame(pl.DataFrame(values).sort("q0"), dict.fromkeys(values, "quasi"))
    offsets = offsets_of(random.integers(1, 16, records))
    codes = (N_ITEMS * random.random(int(offsets[-1])) ** 2).astype(np.int64)
    items = Transactions.from_columns(offsets, pl.Series(codes).cast(pl.String))
    return Mixed(table, items, "items", ("items",))


def released(original: Mixed) -> PublishedMixed:
    """Ranges over groups of neighbouring records, and neighbouring items as one."""
    classes = np.arange(len(original)) // RECORDS_PER_CLASS
    starts = np.arange(0, len(original), RECORDS_PER_CLASS)
    columns = []
    for column in original.table.columns:
        values = column.keys[column.codes]
        ends = zip(np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts), strict=True)
        cells = [Cell.range(int(low), int(high)) for low, high in ends]
        place = {cell: number for number, cell in enumerate(dict.fromkeys(cells))}
        codes = np.array([place[cell] for cell in cells], np.int32)[classes]
        columns.append(PublishedColumn(column.name, "quasi", codes, Cells.of("int", cells)))
    items = original.transactions
    codes_of = (np.arange(len(items.vocabulary)) // ITEMS_PER_SYMBOL).astype(np.int32)
    symbols, symbol_of = Symbols.of_partition(items.vocabulary, codes_of)
    pairs = np.repeat(np.arange(len(items)), items.lengths) * len(symbols) + symbol_of[items.items]
    pairs = pl.Series(pairs).unique().sort().to_numpy()
    offsets = offsets_of(np.bincount(pairs // len(symbols), minlength=len(items)))
    shown = PublishedTransactions(offsets, (pairs % len(symbols)).astype(np.int32), symbols)
    return PublishedMixed(PublishedTable(tuple(columns)), shown, "items")
