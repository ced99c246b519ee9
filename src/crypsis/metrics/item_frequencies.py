"""How far off the frequency of each item is when it is estimated from the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Float64s
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.count_errors import error_figures
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class ItemFrequencyError:
    """Relative error of each item of the original's vocabulary that occurs, by falling support.

    `subset` holds the errors under the other estimate, where the release has generalized items.
    """

    errors: Float64s
    subset: Float64s | None = None

    def figures(self) -> dict[str, float | int]:
        return error_figures("item_frequency", self.errors, self.subset)


def item_frequency_error(
    original: Transactions, published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions
) -> ItemFrequencyError:
    """|before - expected| / before for every item; 0 is exact.

    In a disassociated release a term occurs as often as in its chunks and once for each term chunk that holds it. A
    generalized item of n items is read as one of them, each as likely. Where a release has generalized items, the error
    is also told for the reading as any non-empty subset, each as likely (`subset`), under which every item of a large
    one is there half of the time.
    """
    order = np.lexsort((original.vocabulary.label_rank, -original.supports))
    order = order[original.supports[order] > 0]
    supports = original.supports[order]

    def errors(estimator: str) -> Float64s:
        expected = expected_frequencies(original, published, estimator)[order]
        off: Float64s = np.abs(supports - expected) / np.maximum(supports, 1)
        return off

    generalized = isinstance(published, PublishedTransactions) and bool((published.symbols.sizes > 1).any())
    return ItemFrequencyError(errors("uniform"), errors("subset") if generalized else None)


def expected_frequencies(
    original: Transactions,
    published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions,
    estimator: str = "uniform",
) -> Float64s:
    """Records of the release that are expected to hold each item of the original's vocabulary.

    `uniform`: a generalized item of n items is one of them, each with the chance 1 / n. `subset`: it is any non-empty
    subset alike, so that each item is meant with 2^(n-1) / (2^n - 1).
    """
    if estimator not in ("uniform", "subset"):
        raise BadParameter(f"estimator must be 'uniform' or 'subset', got {estimator!r}.")
    if isinstance(published, SyntheticTransactions):
        published = published.repeated()
    if isinstance(published, DisassociatedTransactions):
        frequencies = (published.visible_supports + published.hidden_leaves).astype(np.float64)
        vocabulary = published.vocabulary
    elif isinstance(published, PublishedTransactions):
        symbols = published.symbols
        counts = np.bincount(published.codes, minlength=len(symbols))
        chances = 1.0 / symbols.sizes
        if estimator == "subset":
            chances = 0.5 / -np.expm1(-np.log(2.0) * symbols.sizes)  # 2^(n-1) / (2^n - 1) without the powers
        weights = np.repeat(counts * chances, symbols.sizes)
        frequencies = np.bincount(symbols.members, weights, len(symbols.vocabulary)).astype(np.float64)
        vocabulary = symbols.vocabulary
    else:
        raise NotApplicable(f"Item frequencies are read from published transactions, got {type(published).__name__}.")
    code = vocabulary.encode(original.vocabulary.series)
    expected = np.zeros(len(code))
    expected[code >= 0] = frequencies[code[code >= 0]]
    return expected


class ItemFrequencyLoss(Metric):
    """Relative error of how often each item occurs."""

    name = "item_frequency_loss"
    former_name = "item_frequency_error"
    measure = staticmethod(item_frequency_error)
    figures = (
        Figure(
            "item_frequency_loss",
            "Error of item frequencies",
            "How far off the frequency of an item is when estimated from the release, on average.",
            unit=SHARE,
            rank=5,
            former_name="item_frequency_error_loss",
        ),
        Figure(
            "item_frequency_median_loss",
            "Error of item frequencies, median",
            "The same for the median item.",
            former_name="item_frequency_error_median",
        ),
        Figure(
            "item_frequency_max_loss",
            "Error of item frequencies, largest",
            "The same for the worst item.",
            former_name="item_frequency_error_max",
        ),
        Figure(
            "item_frequency_subset_loss",
            "Error of item frequencies (subset estimate)",
            "The same with a generalized item read as any subset of its items, which says little of large ones.",
            unit=SHARE,
            alternative_to="item_frequency_loss",
            former_name="item_frequency_error_subset_loss",
        ),
    )
