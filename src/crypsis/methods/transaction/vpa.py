"""VPA: Apriori anonymization of groups of items first, then of everything, starting where these ended.

Guarantees k^m-anonymity of itemsets. Costs Apriori on each group of items, and on all of them from a higher cut.

Terrovitis, Mamoulis, Kalnis. The VLDB Journal 20(1), 2011, 83-106.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.methods.scaling import RecodedRecords
from crypsis.methods.transaction.apriori import named_cut
from crypsis.methods.transaction.hierarchy_recoding import HierarchyMethod, Part, TreeRecords, refuse_sensitive
from crypsis.methods.transaction.shard_recoding import Spread
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class VPA(HierarchyMethod):
    """Mend rare sets inside neighbouring parts of the hierarchy first, then whatever is still rare across them.

    Each part of the items is anonymized by itself, using only nodes inside the part; then all items together, from the
    cut that the parts reached. It often generalizes less than Apriori where rare sets lie close together, and holds
    fewer sets at a time. The result is one recoding for all records.

    >>> import crypsis
    >>> baskets = crypsis.Transactions.from_lists([["milk", "beer"], ["cream", "wine"], ["milk", "wine"], ["cream"]])
    >>> kinds = crypsis.ItemHierarchy(
    ...     [("milk", "dairy"), ("cream", "dairy"), ("beer", "drinks"), ("wine", "drinks"),
    ...      ("dairy", "food"), ("drinks", "food")])
    >>> release = crypsis.anonymize(baskets, crypsis.VPA(k=2, m=2, hierarchy=kinds, parts=2))
    >>> release.verify().holds
    True

    Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
    The VLDB Journal 20(1), 2011, 83-106: VPA.
    """

    choose_when = "In place of Apriori when there are many items, or m is 3."
    costs = "The fastest with a hierarchy; sometimes it goes a little further than needed."
    stages = ("read hierarchy", "raise the cuts of the parts", "raise the cut", "publish")
    publishes_shards = True

    parts: Annotated[int, AtLeast(1), "Parts of the items, of about equally many occurrences."] = 4

    def recode(
        self, data: Transactions, context: RunContext, spread: Spread | None = None
    ) -> PublishedTransactions | RecodedRecords:
        refuse_sensitive(data, "VPA")
        with context.stage("read hierarchy"):
            records = self.resolve(data).tree_records(data, spread)
        with context.stage("raise the cuts of the parts"):
            bounds = domain_bounds(records, self.parts)
            cut = records.identity
            for first, end in pairwise(bounds):
                context.report_progress(first / records.tree.n_leaves)
                cut = self._raised_inside(records, cut, first, end)
        with context.stage("raise the cut"):
            raised = records.raised(
                self.k,
                self.m,
                start=cut,
                most_deleted=self.allowed_deletions(int(records.occurrences_of_leaf.sum())),
                method="VPA",
            )
        with context.stage("publish"):
            published, found_again = records.recoded(raised.cut, spread)
            names, leaves = records.tree.names, records.tree.leaf_nodes.tolist()
            context.private.update(
                domains=[[names[leaf] for leaf in leaves[first:end]] for first, end in pairwise(bounds)],
                steps=records.named_steps(raised),
                cut=named_cut(records, raised.cut),
                accounting=found_again,
            )
        return published

    def _raised_inside(self, records: TreeRecords, cut: Int32s, first: int, end: int) -> Int32s:
        """The cut after anonymizing the leaves from first to end, with nodes above no other leaf."""
        tree = records.tree
        allowed = (tree.first_leaf >= first) & (tree.first_leaf + tree.leaf_count <= end)
        inside = allowed[records.items]
        rows = np.repeat(np.arange(len(records)), np.diff(records.offsets))
        lengths = np.bincount(rows[inside], minlength=len(records))
        filled = lengths > 0
        person = records.person[filled] if len(records.person) else records.person
        part = Part(offsets_of(lengths[filled]), records.items[inside], person)
        raised = records.raised(self.k, self.m, part=part, start=cut, allowed=allowed)
        return raised.cut


def domain_bounds(records: TreeRecords, parts: int) -> list[int]:
    """Where domains of leaves begin and end: a domain is closed when the occurrences reach the next part of all."""
    tree = records.tree
    occurrences: Int64s = records.occurrences_of_leaf[tree.leaf_nodes]
    total = int(occurrences.sum())
    bounds, running, due = [0], 0, 1
    for leaf, count in enumerate(occurrences.tolist(), start=1):
        running += count
        if running * parts >= due * total and len(bounds) < parts and leaf < tree.n_leaves:
            bounds.append(leaf)
            due = running * parts // total + 1
    return [*bounds, tree.n_leaves]
