"""Workloads of counting queries that are true of somebody: a record is drawn, and the query built around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any

import numpy as np

from crypsis.arrays import Bools
from crypsis.data.count_query import ITEMS, CountQuery, InList, InRange, Predicate
from crypsis.data.mixed import Mixed
from crypsis.data.relational import Column, Table
from crypsis.data.values import POLARS_TYPES, write_bound, write_values
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.canonical_rows import canonical_rows
from crypsis.parameters import AtLeast, Between, Parameter

N_QUERIES, RELATIONAL, N_ITEMS, SHARE = 100, 2, 2, 0.1

_N_QUERIES = Parameter("n_queries", int, False, (AtLeast(1),), "Queries to draw.", MISSING)
_RELATIONAL = Parameter("relational", int, False, (AtLeast(0),), "Columns that each asks for.", MISSING)
_ITEMS = Parameter("items", int, False, (AtLeast(0),), "Items that each asks for.", MISSING)
_SHARE = Parameter("share", float, False, (Between(0, 1),), "Share of a domain that is asked for.", MISSING)
_SEED = Parameter("seed", int, False, (AtLeast(0),), "Seed of the draw.", MISSING)


def drawn_queries(
    original: Table | Mixed,
    n_queries: int = N_QUERIES,
    *,
    relational: int = RELATIONAL,
    items: int | None = None,
    share: float = SHARE,
    columns: Sequence[str] | None = None,
    seed: int = 0,
) -> tuple[CountQuery, ...]:
    """Each query asks for up to `relational` columns and up to `items` items of a record drawn at random.

    A column is asked for a range, or a list of values, that covers `share` of its domain and holds the record's own
    value; it is one of `columns`, by default of the quasi-identifiers, and never a missing value. `items` is 2 where
    there are items.
    """
    n_queries, seed = _N_QUERIES.check(n_queries, "drawn_queries"), _SEED.check(seed, "drawn_queries")
    relational, share = _RELATIONAL.check(relational, "drawn_queries"), _SHARE.check(share, "drawn_queries")
    table = original.table if isinstance(original, Mixed) else original
    if items is None:
        items = N_ITEMS if isinstance(original, Mixed) else 0
    items = _ITEMS.check(items, "drawn_queries")
    if items and not isinstance(original, Mixed):
        raise BadParameter("drawn_queries: items are asked for, and this table has no set-valued column.")
    if not relational and not items:
        raise BadParameter("drawn_queries: a query asks for at least one column or item; raise relational or items.")
    asked = _askable(table, columns)
    something = _records_with_something(original, asked if relational else [], items)
    in_order = canonical_rows(original)  # whatever the order of the input, the same queries are drawn
    possible = in_order if something.all() else in_order[something[in_order]]
    if not len(possible):
        raise NotApplicable("No record has a value or an item that could be asked for.")
    random = np.random.Generator(np.random.PCG64(seed))
    return tuple(
        _drawn(original, int(record), asked, relational, items, share, random)
        for record in possible[random.integers(0, len(possible), n_queries)]
    )


def _askable(table: Table, columns: Sequence[str] | None) -> list[Column]:
    if columns is not None:
        return [table.column(name) for name in columns]
    return list(table.with_role("quasi")) or [column for column in table.columns if column.role != "identifier"]


def _records_with_something(original: Table | Mixed, columns: list[Column], items: int) -> Bools:
    """Which records have a value or an item."""
    something = np.zeros(len(original), np.bool_)
    for column in columns:
        something |= column.codes >= 0
    if items and isinstance(original, Mixed):
        something |= original.transactions.lengths > 0
    return something


def _drawn(
    original: Table | Mixed,
    record: int,
    columns: list[Column],
    relational: int,
    items: int,
    share: float,
    random: np.random.Generator,
) -> CountQuery:
    known = [column for column in columns if column.codes[record] >= 0]
    chosen = sorted(random.choice(len(known), min(relational, len(known)), replace=False).tolist()) if known else []
    parts = tuple(
        (known[index].name, _around(known[index], int(known[index].codes[record]), share, random)) for index in chosen
    )
    labels: tuple[str, ...] = ()
    column = ITEMS
    if items and isinstance(original, Mixed):
        column = original.column
        transactions = original.transactions
        held = transactions.items[transactions.offsets[record] : transactions.offsets[record + 1]]
        picked = np.sort(random.choice(held, min(items, len(held)), replace=False))
        labels = tuple(transactions.vocabulary[int(item)] for item in picked)
    return CountQuery(parts, labels, column)


def _around(column: Column, code: int, share: float, random: np.random.Generator) -> Predicate:
    """A range or list that covers this share of the domain and holds the value."""
    if column.type == "category":
        size = max(1, round(share * len(column.domain)))
        others = np.delete(np.arange(len(column.domain)), code)
        chosen = [code, *random.choice(others, size - 1, replace=False).tolist()]
        return InList(tuple(write_values(column.domain.gather(sorted(chosen)))))
    lowest, highest, value = column.keys[0].item(), column.keys[-1].item(), column.keys[code].item()
    if column.type == "float":
        width = share * (highest - lowest)
        low = value - random.random() * width
        ends = max(low, lowest), max(min(low + width, highest), value)
    else:
        width = max(1, round(share * (highest - lowest + 1)))
        low = value - int(random.integers(0, width))
        ends = max(low, lowest), min(low + width - 1, highest)
    return InRange(*(write_bound(end) for end in _of_type(column, ends)))


def _of_type(column: Column, keys: tuple[Any, Any]) -> list[Any]:
    if column.type == "int":
        return list(keys)
    import polars as pl

    physical = pl.Series(list(keys), dtype=pl.Float64 if column.type == "float" else pl.Int64)
    return physical.cast(POLARS_TYPES[column.type]).to_list()
