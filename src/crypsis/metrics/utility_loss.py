"""Utility loss of generalized sets: of how many sets a record may stand for, the share that generalization added.

With 2^size possible readings of a generalized item the numbers are astronomic, so powers are never formed: everything
is divided by the power of the record's length first.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import BadParameter, NotApplicable
from crypsis.hierarchy.item_spread import ItemSpread
from crypsis.hierarchy.taxonomy import Taxonomy
from crypsis.metrics.exact_sums import total
from crypsis.metrics.figure import Figure
from crypsis.metrics.metric import Metric

LEAST_EXPONENT = -1070  # below it nothing is left of a float


def utility_loss(
    original: Transactions | Mixed,
    published: PublishedTransactions | PublishedMixed,
    *,
    ul: str = "zero",
    hierarchy: Taxonomy | None = None,
) -> float:
    """Mean loss of all original records: 0 where nothing is generalized; a record that is not published counts 1.

    In mixed data sensitive items, which are published as they are, do not count. `ul="literal"` charges an item that is
    published as itself, as the formula is printed. With a hierarchy of the items a generalized one counts by how far
    apart its items are in it: their mean distance over the largest.

    Loukides, Gkoulalas-Divanis, Malin. COAT: COnstraint-based anonymization of transactions. Knowledge and Information
    Systems 28(2), 2011, 251-282: utility loss; here an item published as itself costs nothing.
    """
    if ul not in ("zero", "literal"):
        raise BadParameter(f"utility_loss: ul must be 'zero' or 'literal', got {ul!r}.", parameter="ul")
    if isinstance(published, PublishedMixed):
        return _mixed_loss(published, ul == "literal", hierarchy)
    if not isinstance(published, PublishedTransactions):
        raise NotApplicable(f"utility_loss speaks of generalized items, got {type(published).__name__}.")
    if not len(original):
        return 0.0
    losses = losses_of_sets(published, ul == "literal", hierarchy)
    missing = max(len(original) - len(published), 0)
    return (total(losses) + missing) / max(len(original), len(published))


def _weights(
    published: PublishedTransactions, hierarchy: Taxonomy | None, secret: Collection[str] = ()
) -> Float64s | None:
    if hierarchy is None:
        return None
    spread = ItemSpread(hierarchy)
    lists = published.symbols.label_lists
    spreads = [1.0 if len(labels) == 1 or labels[0] in secret else float(spread.of(labels)) for labels in lists]
    return np.array(spreads, np.float64)


def losses_of_sets(
    published: PublishedTransactions, literal: bool = False, hierarchy: Taxonomy | None = None
) -> Float64s:
    """What each published record lost."""
    weights = _weights(published, hierarchy)
    sizes = published.symbols.sizes
    return record_losses(published.offsets, published.codes, sizes, literal=literal, weights=weights)


def _mixed_loss(published: PublishedMixed, literal: bool, hierarchy: Taxonomy | None) -> float:
    losses = losses_of_mixed(published, literal, hierarchy)
    suppressed = int(np.count_nonzero(published.table.suppressed))
    return (total(losses) + suppressed) / max(len(published), 1)


def losses_of_mixed(published: PublishedMixed, literal: bool = False, hierarchy: Taxonomy | None = None) -> Float64s:
    """What the items of each published record lost; sensitive ones do not count, and a suppressed record shows none."""
    secret = set(published.sensitive)
    shown = published.transactions
    known = np.array([labels[0] not in secret for labels in shown.symbols.label_lists], np.bool_)
    kept = known[shown.codes] if len(shown.codes) else np.zeros(0, np.bool_)
    rows = np.repeat(np.arange(len(published)), shown.lengths)[kept]
    offsets = offsets_of(np.bincount(rows, minlength=len(published)))
    weights = _weights(shown, hierarchy, secret)
    return record_losses(offsets, shown.codes[kept], shown.symbols.sizes, literal=literal, weights=weights)


def record_losses(
    offsets: Int64s, codes: Int32s, sizes: Int64s, *, literal: bool = False, weights: Float64s | None = None
) -> Float64s:
    """Loss of each record: the sum of w (2^|g| - 1) over its generalized items, over 2^s - 1, s the sum of all sizes.

    `literal` charges single items too, as the printed formula does. `weights` gives w by symbol, 1 without it.
    """
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    size = sizes[codes].astype(np.float64)
    total = np.bincount(rows, weights=size, minlength=len(lengths)).astype(np.float64)
    exponent = np.maximum(size - total[rows], LEAST_EXPONENT - 5)
    shares = np.where(
        size - total[rows] < LEAST_EXPONENT,
        0.0,
        np.exp2(exponent) * np.expm1(-size * np.log(2)) / _all_sets(total)[rows],
    )
    if not literal:
        shares = np.where(size >= 2, shares, 0.0)
    if weights is not None:
        shares = shares * weights[codes]
    return np.bincount(rows, weights=shares, minlength=len(lengths)).astype(np.float64)


def _all_sets(total: Float64s) -> Float64s:
    """-(1 - 2^-total), and -1 where there is nothing to divide."""
    return np.where(total > 0, np.expm1(-np.maximum(total, 1) * np.log(2)), -1.0)


class UtilityLoss(Metric):
    """Share of the sets that a published record may stand for which generalization added."""

    name = "utility_loss"
    measure = staticmethod(utility_loss)
    figures = (
        Figure(
            "utility_loss",
            "Utility loss",
            "Share of the sets of items that a published record may stand for which generalization added, on average; "
            "0 means that nothing was generalized.",
            abbreviation="UL",
            rank=1,
        ),
    )
