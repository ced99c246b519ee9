"""What the generalized items of a record lose (UL), in the forms that the literature has for it.

`zero`: an item that is published as itself loses nothing. `literal`: it does, as the formula is printed. `semantic`:
as zero, and a generalized item counts the more the farther apart its items are in a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Float64s
from crypsis.hierarchy.item_spread import ItemSpread

FORMS = {"zero": "nothing", "literal": "what the printed formula says", "semantic": "weighed by a hierarchy"}


@dataclass(frozen=True)
class ItemLoss:
    """How symbols are charged; `spread` tells how far apart the items of a symbol are, for the semantic form."""

    form: str = "zero"
    spread: ItemSpread | None = None

    def exact_weights(self, symbols: Sequence[tuple[str, ...]]) -> list[Fraction]:
        """What each symbol is charged, as a share of what it would be charged at most."""
        if self.form == "literal":
            return [Fraction(1)] * len(symbols)
        if self.spread is None:
            return [Fraction(len(labels) > 1) for labels in symbols]
        return [self.spread.of(labels) for labels in symbols]

    def weights(self, symbols: Sequence[tuple[str, ...]]) -> Float64s:
        """The same as floats."""
        if self.form == "zero":
            return np.fromiter((len(labels) > 1 for labels in symbols), np.float64, len(symbols))
        return np.array([float(weight) for weight in self.exact_weights(symbols)], np.float64)


ZERO = ItemLoss()
