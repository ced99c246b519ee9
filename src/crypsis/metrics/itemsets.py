"""tKd: the most frequent itemsets of the original that the release does not show. Plain, and across a hierarchy.

A disassociated release is read as one possible original (tKd) and as the bare bag of its subrecords (tKd-a); of
generalized data the published items are mined together with all nodes above them (tKd-ML2).

Terrovitis, Liagouris, Mamoulis, Skiadopoulos. Privacy preservation by disassociation. PVLDB 5, 2012, 944-955: tKd,
tKd-ML2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadTaxonomy, NotApplicable
from crypsis.hierarchy.taxonomy import Taxonomy
from crypsis.kernels.top_itemsets import TopItemsets, top_itemsets
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric

MOST = 1_000

Itemset = tuple[str, ...]


@dataclass(frozen=True)
class TopItemsetLoss(Measured):
    """`tkd_loss` is the mean over reconstructions; `tkd_a_loss` looks at published subrecords only."""

    tkd_loss: Annotated[
        float | None,
        Figure(
            "tkd_loss",
            "Top itemsets not found",
            "Share of the original's most frequent itemsets that are not among the most frequent of the release; a "
            "disassociated release is read as one dataset that fits it.",
            unit=SHARE,
            abbreviation="tKd",
            rank=4,
        ),
    ]
    tkd_a_loss: Annotated[
        float | None,
        Figure(
            "tkd_a_loss",
            "Top itemsets not found in subrecords (tKd-a)",
            "The same, looking at the published subrecords alone.",
            unit=SHARE,
        ),
    ]
    itemsets: Annotated[
        int, Figure("tkd_itemsets", "Top itemsets", "How many of the most frequent itemsets were compared.")
    ]
    last_support: Annotated[
        int, Figure("tkd_last_support", "Support of the last top itemset", "Records that hold the last one compared.")
    ]
    last_ties: Annotated[
        int,
        Figure(
            "tkd_last_ties",
            "Ties with the last top itemset",
            "Itemsets seen that are as frequent as the last one compared.",
        ),
    ]


def tkd_loss(
    original: Transactions,
    published: DisassociatedTransactions | PublishedTransactions | SyntheticTransactions,
    *,
    seed: int = 0,
    most: int = MOST,
    reconstructions: int = 1,
) -> TopItemsetLoss:
    """Share of the original's `most` best itemsets that are not among the release's `most` best.

    0 when all are found again, 1 when none is; lower is better. On generalized data only items that are published as
    they are can be found, and there is no tKd-a.
    """
    if isinstance(published, SyntheticTransactions):
        published = published.repeated()
    best = _best(original, most)
    wanted = set(_named(best, original))
    ties = int(np.count_nonzero(best.supports == best.supports[-1])) + best.cut if len(best.supports) else 0
    last = int(best.supports[-1]) if len(best.supports) else 0
    if isinstance(published, DisassociatedTransactions):
        drawn = published.reconstruct(reconstructions, seed)
        losses = [_missed(wanted, top_labels(data, most)) for data in drawn]
        bare = _missed(wanted, top_labels(published.subrecords(), most))
        return TopItemsetLoss(_mean(losses), bare, len(wanted), last, ties)
    if isinstance(published, PublishedTransactions):
        return TopItemsetLoss(_missed(wanted, top_labels(_intact(published), most)), None, len(wanted), last, ties)
    raise NotApplicable(f"tkd_loss reads disassociated or generalized transactions, got {type(published).__name__}.")


def tkd_ml2_loss(
    original: Transactions,
    published: Transactions | DisassociatedTransactions | PublishedTransactions,
    *,
    hierarchy: Taxonomy,
    seed: int = 0,
    most: int = MOST,
) -> float:
    """tKd with itemsets across the levels of a hierarchy: items and the nodes above them, the root left out.

    Records hold their items and all nodes above these; no itemset holds a node and one above it. A disassociated
    release is read as one possible original. 0 is best, 1 worst.
    """
    tree = _Tree.of(hierarchy)
    wanted = set(tree.top(original.offsets, tree.nodes_of(original.vocabulary)[original.items], most))
    if isinstance(published, DisassociatedTransactions):
        published = published.reconstruct(1, seed)[0]
    if isinstance(published, PublishedTransactions):
        itemsets = tree.top(published.offsets, tree.nodes_of_symbols(published)[published.codes], most)
    elif isinstance(published, Transactions):
        itemsets = tree.top(published.offsets, tree.nodes_of(published.vocabulary)[published.items], most)
    else:
        raise NotApplicable(f"tkd_ml2_loss reads published transactions, got {type(published).__name__}.")
    missed = _missed(wanted, itemsets)
    return 0.0 if missed is None else missed


def top_labels(data: Transactions, most: int = MOST) -> list[Itemset]:
    """The best itemsets by (support falling, fewer items, labels), each a tuple of sorted labels."""
    return _named(_best(data, most), data)


def _best(data: Transactions, most: int) -> TopItemsets:
    """Mined with items numbered in the order of their labels."""
    return top_itemsets(data.offsets, data.label_ranks, len(data.vocabulary), most)


def _named(best: TopItemsets, data: Transactions) -> list[Itemset]:
    labels = data.vocabulary.series.sort().to_list()
    return [tuple(labels[item] for item in itemset) for itemset in best.as_tuples()]


def _missed(wanted: set[Any], found: Sequence[Any]) -> float | None:
    return 1 - len(wanted.intersection(found)) / len(wanted) if wanted else None


def _mean(losses: Sequence[float | None]) -> float | None:
    known = [loss for loss in losses if loss is not None]
    return sum(known) / len(known) if known else None


def _intact(published: PublishedTransactions) -> Transactions:
    """The published records without generalized items."""
    symbols = published.symbols
    single = symbols.sizes == 1
    code = np.full(len(symbols), -1, np.int32)
    code[single] = symbols.members[symbols.offsets[:-1][single]]
    codes = code[published.codes]
    rows = np.repeat(np.arange(len(published)), published.lengths)[codes >= 0]
    width = max(len(symbols.vocabulary), 1)
    pairs = rows * width + codes[codes >= 0]
    if (np.diff(pairs) <= 0).any():
        pairs = np.unique(pairs)
    offsets = offsets_of(np.bincount(pairs // width, minlength=len(published)))
    return Transactions(offsets, (pairs % width).astype(np.int32), symbols.vocabulary)


@dataclass(frozen=True)
class _Tree:
    """The hierarchy with nodes in the order of their names, the root left out."""

    names: tuple[str, ...]
    above: Any  # bool: above[node, other]: `other` is an ancestor of `node`
    chains: Int64s  # ancestors-or-self of each node, filled up with -1
    taxonomy: Taxonomy
    number: Int64s  # of each node of the taxonomy; -1 for the root

    @classmethod
    def of(cls, taxonomy: Taxonomy) -> _Tree:
        order = sorted(range(1, len(taxonomy.names)), key=taxonomy.names.__getitem__)
        number = np.full(len(taxonomy.names), -1, np.int64)
        number[order] = np.arange(len(order))
        chains = np.full((len(order), taxonomy.levels), -1, np.int64)
        above = np.zeros((len(order), len(order)), np.bool_)
        for index, node in enumerate(order):
            step = 0
            while node > 0:
                chains[index, step] = number[node]
                step += 1
                node = int(taxonomy.parent[node])
            above[index, chains[index, 1:step]] = True
        return cls(tuple(taxonomy.names[node] for node in order), above, chains, taxonomy, number)

    def nodes_of(self, vocabulary: Vocabulary) -> Int64s:
        names = Vocabulary(pl.Series(self.names, dtype=pl.String))
        nodes = names.encode(vocabulary.series)
        if (nodes < 0).any():
            label = vocabulary[int(np.flatnonzero(nodes < 0)[0])]
            raise BadTaxonomy(f"Item {label!r} is not in the taxonomy.", node=label)
        return nodes.astype(np.int64)

    def nodes_of_symbols(self, published: PublishedTransactions) -> Int64s:
        """The node that a symbol is called after, else the lowest one above all its items; -1 for the root."""
        index = {name: node for node, name in enumerate(self.taxonomy.names)}
        nodes = []
        for symbol, labels in enumerate(published.symbols.label_lists):
            called = published.names[symbol] if published.names is not None else None
            if called in index:
                nodes.append(index[called])
                continue
            unknown = [label for label in labels if label not in index]
            if unknown:
                raise BadTaxonomy(f"Item {unknown[0]!r} is not in the taxonomy.", node=unknown[0])
            nodes.append(self.taxonomy.lowest_common_ancestor(index[label] for label in labels))
        return self.number[np.array(nodes, np.int64)] if nodes else np.zeros(0, np.int64)

    def top(self, offsets: Int64s, nodes: Int64s, most: int) -> list[tuple[int, ...]]:
        """The best itemsets of records of nodes, extended by everything above them."""
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[nodes >= 0]
        chains = self.chains[nodes[nodes >= 0]]
        real = chains >= 0
        width = max(len(self.names), 1)
        keys = np.unique((rows[:, None] * width + chains)[real])
        extended = offsets_of(np.bincount(keys // width, minlength=len(offsets) - 1))
        return top_itemsets(extended, (keys % width).astype(np.int32), width, most, self.above).as_tuples()


class TkdLoss(Metric):
    """tKd: share of the most frequent itemsets that the release does not show."""

    name = "tkd_loss"
    seeded = True
    measure = staticmethod(tkd_loss)


class TkdMl2Loss(Metric):
    """tKd-ML2: the same with itemsets across the levels of a hierarchy."""

    name = "tkd_ml2_loss"
    seeded = True
    needs = ("hierarchy",)
    default = False
    measure = staticmethod(tkd_ml2_loss)
    figures = (
        Figure(
            "tkd_ml2_loss",
            "Top itemsets of all levels not found",
            "The same with itemsets of items and of nodes of the hierarchy.",
            unit=SHARE,
            abbreviation="tKd-ML2",
        ),
    )
