"""Normalized certainty penalty of items: the share of all items that a published item may stand for."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import NotApplicable
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric


def item_ncp_loss(original: Transactions, published: PublishedTransactions) -> float:
    """Mean over all original occurrences: 0 for an item published as itself, 1 for one that could be anything or is
    missing.

    Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006, 785-790: NCP.
    """
    return float(item_ncp(original, published))


def item_ncp(original: Transactions, published: PublishedTransactions) -> Fraction:
    """The same as an exact fraction."""
    if not isinstance(published, PublishedTransactions):
        raise NotApplicable(f"item_ncp_loss speaks of generalized items, got {type(published).__name__}.")
    if len(original) != len(published):
        raise NotApplicable(f"There are {len(original)} original and {len(published)} published records.")
    if not original.occurrences:
        return Fraction(0)
    domain = published.domain or int(np.count_nonzero(original.supports))
    sizes = smallest_symbols(original, published)
    missing = int(np.count_nonzero(sizes == 0))
    spread = int(sizes[sizes > 1].sum())
    return Fraction(spread + missing * domain, domain * original.occurrences)


def _may_be_lost(published: PublishedTransactions, original: Transactions) -> set[str]:
    """Items of which occurrences may be missing: those told, or where that is not known those in no symbol."""
    if published.suppressed is not None:
        return set(published.suppressed)
    lists = published.symbols.label_lists
    return set(original.vocabulary.labels).difference(*(lists[code] for code in np.unique(published.codes).tolist()))


def smallest_symbols(original: Transactions, published: PublishedTransactions) -> Int64s:
    """For each original occurrence the size of the smallest symbol that holds it, 0 if there is none.

    Where items have one symbol each, rows may stand in any order; else each is compared with its original.
    """
    symbols = published.symbols
    used = np.zeros(len(symbols), np.bool_)
    used[published.codes] = True
    slot_symbol = np.repeat(np.arange(len(symbols)), symbols.sizes)
    in_use = used[slot_symbol]
    item = np.concatenate([symbols.vocabulary.encode(original.vocabulary.series).astype(np.int64), [-1]])
    by_size = np.argsort(symbols.sizes[slot_symbol], kind="stable")
    by_size = by_size[in_use[by_size]]
    order = by_size[np.argsort(symbols.members[by_size], kind="stable")]  # symbols of each label, smallest first
    starts = offsets_of(np.bincount(symbols.members[order], minlength=len(symbols.vocabulary) + 1))
    holders = slot_symbol[order]
    label = item[original.items]
    label = np.where(label < 0, len(symbols.vocabulary), label)
    count = np.diff(starts)[label]
    result = np.zeros(original.occurrences, np.int64)
    if not len(holders):
        return result
    if int(np.diff(starts).max()) == 1:
        single = count == 1
        result[single] = symbols.sizes[holders[starts[label[single]]]]
        return result
    width = len(symbols)
    rows = np.repeat(np.arange(len(original)), original.lengths)
    shown = np.unique(np.repeat(np.arange(len(published)), published.lengths) * width + published.codes)
    waiting = np.arange(original.occurrences)
    for nth in range(int(count.max(initial=0))):
        waiting = waiting[count[waiting] > nth]
        symbol = holders[starts[label[waiting]] + nth]
        keys = rows[waiting] * width + symbol
        hit = shown[np.minimum(np.searchsorted(shown, keys), len(shown) - 1)] == keys
        result[waiting[hit]] = symbols.sizes[symbol[hit]]
        waiting = waiting[~hit]
    lost = set(original.vocabulary.decode(np.unique(original.items[result == 0])).to_list())
    if not lost <= _may_be_lost(published, original):
        raise NotApplicable(
            "Items have several images and the rows are not in the order of the original, so they cannot be "
            "compared; measure before writing, or write with order='input' for evaluation."
        )
    return result


class ItemNCPLoss(Metric):
    """Share of all items that a published item may stand for."""

    name = "item_ncp_loss"
    measure = staticmethod(item_ncp_loss)
    figures = (
        Figure(
            "item_ncp_loss",
            "Certainty penalty",
            "Share of all items that a published item may stand for, averaged over all occurrences; single items "
            "count nothing, suppressed ones 1.",
            unit=SHARE,
            abbreviation="NCP",
        ),
    )
