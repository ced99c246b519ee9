"""SymbolFacts: what reports tell of published symbols, whether they stand for locations or for items."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s
from crypsis.reports.manifest_facts import ManifestFacts


class SymbolFacts(ManifestFacts):
    """Base of facts with symbols that occur in a row, in the order of their labels, and in how many rows each does."""

    names: list[tuple[str, ...]]
    supports: Int64s

    @cached_property
    def sizes(self) -> Int64s:
        """Number of labels behind each symbol."""
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


def occurring_symbols(published: Any) -> tuple[list[tuple[str, ...]], Int32s]:
    """The names of symbols that occur, sorted, and the number of each symbol of the table among them."""
    every_name = published.symbols.label_lists
    occurring = np.flatnonzero(np.bincount(published.codes, minlength=len(every_name))).tolist()
    names = sorted({every_name[symbol] for symbol in occurring})
    number_of = {name: index for index, name in enumerate(names)}
    number = np.zeros(len(every_name), np.int32)
    number[occurring] = [number_of[every_name[symbol]] for symbol in occurring]
    return names, number
