"""What a report shows of published sets, computed once from what is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from crypsis.data.arrays import Bools, Int64s
from crypsis.data.transaction import PublishedTransactions
from crypsis.reports.manifest_facts import ManifestFacts
from crypsis.reports.symbol_supports import symbol_supports


@dataclass(frozen=True, eq=False)
class TransactionFacts(ManifestFacts):
    """The symbols that occur, in the order of their labels, and in how many records each does."""

    row_words: ClassVar[tuple[str, str]] = ("record", "records")

    manifest: Mapping[str, Any]
    names: list[tuple[str, ...]]
    supports: Int64s
    lengths: Int64s

    @classmethod
    def of(cls, manifest: Mapping[str, Any], published: PublishedTransactions) -> TransactionFacts:
        every_name = published.symbols.label_lists
        occurring = np.flatnonzero(np.bincount(published.codes, minlength=len(every_name))).tolist()
        names = sorted({every_name[symbol] for symbol in occurring})
        number_of = {name: number for number, name in enumerate(names)}
        number = np.zeros(len(every_name), np.int32)
        number[occurring] = [number_of[every_name[symbol]] for symbol in occurring]
        supports = symbol_supports(published.offsets, number[published.codes], len(names))
        return cls(manifest, names, supports, np.diff(published.offsets))

    @cached_property
    def sizes(self) -> Int64s:
        """Number of items behind each symbol."""
        return np.fromiter(map(len, self.names), np.int64, len(self.names))

    @cached_property
    def intact(self) -> Bools:
        return np.equal(self.sizes, 1)

    @cached_property
    def largest_first(self) -> list[int]:
        """Generalized symbols by size, then support, both falling, then by name."""
        order = np.lexsort((np.arange(len(self.names)), -self.supports, -self.sizes))
        return [int(symbol) for symbol in order if not self.intact[symbol]]

    @property
    def n_intact(self) -> int:
        return int(self.intact.sum())

    @property
    def n_generalized(self) -> int:
        return len(self.names) - self.n_intact

    @property
    def smallest_by_size(self) -> list[int]:
        """Support of the rarest set of each size, as the verifier counted it."""
        return list(self.section("verdict").get("min_support_by_size") or [])
