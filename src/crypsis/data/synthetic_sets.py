"""Synthetic transactions: sets of items with noisy numbers of copies, as a private method publishes them.

Row r holds the items `items[offsets[r]:offsets[r + 1]]`, codes into the declared domain, ascending and distinct. No row
was made from any one person's record, so nothing aligns rows with the original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.data.count_conditions import Asked
from crypsis.data.count_query import CountQuery
from crypsis.data.item_domain import ItemDomain
from crypsis.data.microdata import ITEMS
from crypsis.data.symbols import Symbols
from crypsis.data.synthetic_rows import SyntheticRows
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import InputError


@dataclass(frozen=True, eq=False)
class SyntheticTransactions(SyntheticRows):
    """What a private release of sets says. `budget`, `ledger` and `unpublishable` as for synthetic trajectories."""

    value_columns = ("items",)

    offsets: Int64s
    items: Int32s
    copies: Int64s
    domain: ItemDomain
    budget: Mapping[str, Any] = field(default_factory=dict)
    ledger: Mapping[str, Any] | None = field(default=None, repr=False)
    unpublishable: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.copies) != len(self.offsets) - 1 or int(self.offsets[-1]) != len(self.items):
            raise InputError("The parts of synthetic transactions do not have the same number of rows or items.")

    @classmethod
    def from_lists(cls, rows: Sequence[tuple[int, Sequence[str]]], domain: ItemDomain) -> SyntheticTransactions:
        """From copies and items: `[(6, ["a", "b"]), …]`; a label outside the domain gets the code -1."""
        codes = {label: code for code, label in enumerate(domain.labels)}
        return cls(
            offsets_of(np.array([len(row) for _, row in rows], np.int64)),
            np.array([codes.get(label, -1) for _, row in rows for label in row], np.int32),
            np.array([copies for copies, _ in rows], np.int64),
            domain,
        )

    @property
    def records(self) -> int:
        """Rows, each counted as often as it has copies."""
        return self.published_rows

    @property
    def occurrences(self) -> int:
        """Items of all copies."""
        return self.contents

    def to_frame(self) -> pl.DataFrame:
        """Columns copies and items, the last with a list for every row."""
        lists = pl.Series([items for _, items in self.to_lists()], dtype=pl.List(pl.String))
        return pl.DataFrame({"copies": pl.Series(self.copies), ITEMS: lists})

    def to_texts(self) -> pl.DataFrame:
        return self.texts_in(ITEMS)

    def expected_count(self, query: CountQuery) -> float:
        """Copies of the rows that hold all the items."""
        wanted = set(Asked.of(query, None, ITEMS).items)
        return float(sum(copies for copies, items in self.to_lists() if wanted <= set(items)))

    def repeated(self) -> PublishedTransactions:
        """Every row as often as it has copies, for whatever counts records."""
        rows = np.repeat(np.arange(len(self)), self.copies)
        offsets, positions = take_records(self.offsets, rows)
        vocabulary = self.domain.vocabulary
        single = Symbols(vocabulary, np.arange(len(vocabulary) + 1), np.arange(len(vocabulary), dtype=np.int32))
        return PublishedTransactions(offsets, self.items[positions], single)

    def to_lists(self) -> list[tuple[int, list[str]]]:
        """Copies and items of each row; an item outside the domain, which no verifier accepts, is a `?`."""
        labels = self.domain.labels
        names = [labels[item] if 0 <= item < len(labels) else "?" for item in self.items.tolist()]
        return list(zip(self.copies.tolist(), self.cut_into_rows(names), strict=True))

    def __repr__(self) -> str:
        return f"SyntheticTransactions({self.records} records, {len(self)} of them distinct)"
