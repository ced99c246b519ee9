"""How far off the frequency of each item is when it is estimated from the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.arrays import Float64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable


@dataclass(frozen=True)
class ItemFrequencyError:
    """Relative error of each item of the original's vocabulary that occurs, by falling support."""

    errors: Float64s

    def figures(self) -> dict[str, float | int]:
        if not len(self.errors):
            return {}
        return {
            "item_frequency_error_loss": float(self.errors.mean()),
            "item_frequency_error_median": float(np.median(self.errors)),
            "item_frequency_error_max": float(self.errors.max()),
        }


def item_frequency_error(
    original: Transactions, published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions
) -> ItemFrequencyError:
    """|before - expected| / before for every item; 0 is exact.

    In a disassociated release a term occurs as often as in its chunks and once for each term chunk that holds it. A
    generalized item of n items stands for any non-empty subset alike: each of them is meant with 2^(n-1) / (2^n - 1).
    """
    order = np.lexsort((original.vocabulary.label_rank, -original.supports))
    order = order[original.supports[order] > 0]
    expected = expected_frequencies(original, published)[order]
    supports = original.supports[order]
    return ItemFrequencyError(np.abs(supports - expected) / np.maximum(supports, 1))


def expected_frequencies(
    original: Transactions, published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions
) -> Float64s:
    """Records of the release that are expected to hold each item of the original's vocabulary."""
    if isinstance(published, SyntheticTransactions):
        published = published.repeated()
    if isinstance(published, DisassociatedTransactions):
        frequencies = (published.visible_supports + published.hidden_leaves).astype(np.float64)
        vocabulary = published.vocabulary
    elif isinstance(published, PublishedTransactions):
        symbols = published.symbols
        counts = np.bincount(published.codes, minlength=len(symbols))
        chances = 0.5 / -np.expm1(-np.log(2.0) * symbols.sizes)  # 2^(n-1) / (2^n - 1) without the powers
        weights = np.repeat(counts * chances, symbols.sizes)
        frequencies = np.bincount(symbols.members, weights, len(symbols.vocabulary)).astype(np.float64)
        vocabulary = symbols.vocabulary
    else:
        raise NotApplicable(f"Item frequencies are read from published transactions, got {type(published).__name__}.")
    code = vocabulary.encode(original.vocabulary.series)
    found = np.zeros(len(code))
    found[code >= 0] = frequencies[code[code >= 0]]
    return found
