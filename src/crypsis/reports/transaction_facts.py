"""What a report shows of published sets, computed once from what is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.transaction import PublishedTransactions
from crypsis.reports.symbol_facts import SymbolFacts, occurring_symbols
from crypsis.reports.symbol_supports import symbol_supports


@dataclass(frozen=True, eq=False)
class TransactionFacts(SymbolFacts):
    """The symbols that occur, in the order of their labels, and in how many records each does."""

    row_words = ("record", "records")

    manifest: Mapping[str, Any]
    names: list[tuple[str, ...]]
    supports: Int64s
    lengths: Int64s

    @classmethod
    def of(cls, manifest: Mapping[str, Any], published: PublishedTransactions) -> TransactionFacts:
        names, number = occurring_symbols(published)
        supports = symbol_supports(published.offsets, number[published.codes], len(names))
        return cls(manifest, names, supports, np.diff(published.offsets))

    @property
    def smallest_by_size(self) -> list[int]:
        """Support of the rarest set of each size, as the verifier counted it."""
        return list(self.section("verdict").get("min_support_by_size") or [])
