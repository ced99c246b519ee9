"""Apriori: k^m-anonymous sets by raising items in a hierarchy, small sets first; also with bounded sensitive items.

Guarantees k^m-anonymity of itemsets, or l^m-diversity where items are marked sensitive. Costs one count of the sets of
each size, plus per step the records of the nodes that were raised.

Terrovitis, Mamoulis, Kalnis. PVLDB 1(1), 2008, 115-125; The VLDB Journal 20(1), 2011, 83-106.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.errors import InfeasibleDiversity, NotApplicable
from crypsis.guarantees import Guarantee, ItemsetDiversity
from crypsis.methods.scaling import RecodedRecords
from crypsis.methods.transaction.hierarchy_recoding import HierarchyMethod, TreeRecords
from crypsis.methods.transaction.people import count_people, persons_to_count, unit_of
from crypsis.methods.transaction.shard_recoding import Spread
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class Apriori(HierarchyMethod):
    """Replace items by what they have in common until k records share every set of up to m of them.

    Single items are made frequent first, then pairs, up to sets of m. A rare set is mended by raising its items to
    ancestors, the cheapest way of all; every item below a raised node is published as that node, everywhere.
    Time grows with the number of sets of m items in the records; for m = 2 a record of a thousand items is no problem.
    Where items are marked sensitive they are published as they are, and at most one in l records that fit what is known
    holds the same one. Where records tell whose they are, people are counted in place of records.
    Differs from the paper: every choice is settled exactly, so a run repeats, and rare sets are kept in order instead
    of in a tree that holds all ancestors.

    >>> import crypsis
    >>> baskets = crypsis.Transactions.from_lists([["milk", "beer"], ["cream", "wine"], ["milk", "wine"], ["cream"]])
    >>> kinds = crypsis.ItemHierarchy(
    ...     [("milk", "dairy"), ("cream", "dairy"), ("beer", "drinks"), ("wine", "drinks"),
    ...      ("dairy", "food"), ("drinks", "food")])
    >>> release = crypsis.anonymize(baskets, crypsis.Apriori(k=2, m=2, hierarchy=kinds))
    >>> release.data.to_lists()[0]
    [['beer', 'wine'], ['cream', 'milk']]
    >>> release.verify().holds
    True

    Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008, 115-125: AA.
    """

    choose_when = "When there is a hierarchy that people understand: whole milk is milk, milk is dairy."
    costs = "Rare items become their group everywhere; every item has one meaning throughout."
    stages = ("read hierarchy", "raise the cut", "publish")
    publishes_shards = True

    l: Annotated[int, AtLeast(1), "At most one in l records may hold the same sensitive item; 1 asks for nothing."] = 1  # noqa: E741

    def guarantee_of(self, data: Transactions, published: PublishedTransactions) -> Guarantee:
        if data.sensitive is None or not data.sensitive.any():
            return super().guarantee_of(data, published)
        return ItemsetDiversity(k=self.k, l=self.l, m=self.m, unit=unit_of(data))

    def recode(
        self, data: Transactions, context: RunContext, spread: Spread | None = None
    ) -> PublishedTransactions | RecodedRecords:
        resolved = self.resolve(data)
        with context.stage("read hierarchy"):
            records = resolved.tree_records(data, spread)
            _check_shares(data, self.l, spread)
        with context.stage("raise the cut"):
            raised = records.raised(
                self.k,
                self.m,
                l=self.l,
                most_deleted=self.allowed_deletions(int(records.occurrences_of_leaf.sum())),
                method="Apriori",
            )
        with context.stage("publish"):
            published, found_again = records.recoded(raised.cut, spread)
            context.private.update(
                steps=records.named_steps(raised), cut=named_cut(records, raised.cut), accounting=found_again
            )
        return published


def named_cut(records: TreeRecords, cut: Any) -> dict[str, str | None]:
    """What each item is published as; None if it was deleted."""
    names = records.tree.names
    nodes = records.tree.node_of_item
    return {
        label: None if cut[node] < 0 else names[cut[node]]
        for label, node in zip(records.data.vocabulary.labels, nodes.tolist(), strict=True)
        if node >= 0
    }


def _check_shares(data: Transactions, l: int, spread: Spread | None) -> None:  # noqa: E741
    """A sensitive item of more than one in l records, or people, is a secret no longer, whatever is generalized."""
    if data.sensitive is None or not data.sensitive.any():
        if l > 1:
            raise NotApplicable(
                f"Apriori: l={l} needs data with sensitive items. Name them when the data are read, or leave l out."
            )
        return
    person = persons_to_count(data)
    by_person = len(person) > 0
    if spread is None:
        n_counted = count_people(person, data.lengths > 0)
        holders = data.unite_by_person().supports if by_person else data.supports
    else:
        n_counted, holders = spread.encoded.individuals, spread.encoded.holders
        by_person = spread.encoded.person is not None
    what = ("of", "people") if by_person else ("in", "non-empty records")
    for code in np.flatnonzero(data.sensitive).tolist():
        if int(holders[code]) * l > n_counted:
            label = data.vocabulary.labels[code]
            raise InfeasibleDiversity(
                f"Sensitive item {label!r} is {what[0]} {holders[code]} of {n_counted} {what[1]}, more than one in "
                f"{l}. Lower l, or leave the item out.",
                item=label,
                have=int(holders[code]),
                records=n_counted,
            )
