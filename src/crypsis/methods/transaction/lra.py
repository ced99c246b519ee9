"""LRA: Apriori anonymization part by part, after sorting records so that similar ones share a part.

Guarantees k^m-anonymity of itemsets. Costs a sort and, per part, what Apriori costs on it.

Terrovitis, Mamoulis, Kalnis. The VLDB Journal 20(1), 2011, 83-106.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, take_records
from crypsis.data.privacy_policy import check_combinations_of
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import load
from crypsis.kernels.gray_order import gray_order
from crypsis.methods.scaling import BlockSize, RecodedRecords
from crypsis.methods.transaction.hierarchy_recoding import (
    HierarchyMethod,
    Raised,
    TreeRecords,
    accounting,
    check_enough,
    raise_part,
    refuse_sensitive,
)
from crypsis.methods.transaction.shard_recoding import Spread
from crypsis.methods.transaction.sorted_recoding import recode_sorted
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTransactions


@dataclass(frozen=True, kw_only=True)
class LRA(HierarchyMethod):
    """Sort records so that neighbours are alike, and generalize each part of them only as far as it needs.

    An item may stay itself in one part and be generalized in another, so less is lost than with one recoding for all;
    what is lost is that counts of single items can no longer be added up directly.
    Records are sorted in Gray order of their items along the hierarchy. Each part is k^m-anonymous, so all are.
    Differs from the paper: parts have fixed sizes instead of being cut where neighbours differ most.

    >>> import crypsis
    >>> baskets = crypsis.Transactions.from_lists([["milk"], ["milk"], ["beer"], ["wine"]])
    >>> kinds = crypsis.ItemHierarchy(
    ...     [("milk", "food"), ("beer", "drinks"), ("wine", "drinks"), ("drinks", "food")])
    >>> method = crypsis.LRA(k=2, m=1, hierarchy=kinds, partition_size=2)
    >>> crypsis.anonymize(baskets, method).data.to_lists()
    [['milk'], ['milk'], [['beer', 'wine']], [['beer', 'wine']]]

    Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
    The VLDB Journal 20(1), 2011, 83-106: LRA.
    """

    choose_when = "When records fall into groups, and detail inside a group matters more than totals."
    costs = "An item may have several names, so its total is spread over them."
    stages = ("read hierarchy", "sort", "raise the cuts", "publish")

    publishes_shards = True

    partition_size: Annotated[
        int | None,
        AtLeast(1),
        "Records per part, at least k of them; without it 10 k, or a two-hundredth of the records if that is more.",
    ] = None

    def anonymize_parts(
        self, data: EncodedTransactions, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTransactions | RecodedRecords:
        if not data.is_large:
            return self.recode(data.whole, context, Spread(data, executor))
        known = data.one_of_each
        refuse_sensitive(known, "LRA")
        with context.stage("read hierarchy"):
            ready = self.resolve(known)
            records = TreeRecords.of(known, ready.hierarchy, ready.attach_to_root)
            check_enough(data.n_filled, self.k, known)
            for size in range(3, self.m + 1):
                check_combinations_of(np.arange(len(data.lengths)), data.lengths, size)
        return recode_sorted(ready, data, records, executor, context)

    def recode(self, data: Transactions, context: RunContext, spread: Spread | None = None) -> PublishedTransactions:
        """Parts are anonymized one after another, or where the executor says."""
        refuse_sensitive(data, "LRA")
        with context.stage("read hierarchy"):
            records = self.resolve(data).tree_records(data)
        with context.stage("sort"):
            order = _ordered(records)
            parts = self._parts(order) if not len(records.person) else self._parts_of_people(order, records.person)
        part_of_record = np.empty(len(records), np.int64)
        cuts: list[Int32s] = []
        steps = []
        with context.stage("raise the cuts"):
            taken = [records.take(rows) for rows in parts]
            elsewhere = []
            if spread is not None:
                folder = spread.executor.scratch.below("parts")
                files = [folder.save(f"part-{index:06d}", part) for index, part in enumerate(taken)]
                elsewhere = spread.executor.map(raise_saved, files, records.without_records(), self)
            for slot, (rows, part) in enumerate(zip(parts, taken, strict=True)):
                context.report_progress(slot / len(parts))
                part_of_record[rows] = slot
                raised = elsewhere[slot] if spread is not None else raise_part(part, records, self)
                cuts.append(raised.cut)
                steps.append(records.named_steps(raised))
        with context.stage("publish"):
            published = records.published(cuts, part_of_record)
            filled = np.flatnonzero(records.filled)
            context.private.update(
                parts=[filled[rows].tolist() for rows in parts], steps=steps, accounting=accounting(data, published)
            )
        return published

    def _parts_of_people(self, order: Int64s, person: Int64s) -> list[Int64s]:
        """Contiguous parts of about equally many records, each of at least k people; a last part of fewer joins the one
        before. Equal records stand in the order of their people, so that the parts do not follow the input's order."""
        size = max(self.partition_size or max(10 * self.k, len(order) // 200), self.k)
        parts: list[Int64s] = []
        start, inside = 0, set[int]()
        for end, whose in enumerate(person[order].tolist(), start=1):
            inside.add(whose)
            if end - start >= size and len(inside) >= self.k:
                parts.append(order[start:end])
                start, inside = end, set()
        if start < len(order):
            rest = order[start:]
            if len(inside) >= self.k or not parts:
                parts.append(rest)
            else:
                parts[-1] = np.concatenate([parts[-1], rest])
        return parts

    def _parts(self, order: Int64s) -> list[Int64s]:
        """Contiguous parts whose sizes differ by at most one, larger ones first."""
        return np.array_split(order, self.n_parts(len(order)))

    def n_parts(self, n_records: int) -> int:
        """How many parts so many records have."""
        size = self.partition_size or max(10 * self.k, n_records // 200)
        return max(1, n_records // max(size, self.k))


def raise_saved(file: str, records: TreeRecords, method: LRA) -> Raised:
    """Apriori anonymization of a part in a file."""
    return raise_part(load(file), records, method)


def _ordered(records: TreeRecords) -> Int64s:
    """The records in Gray order; equal ones in the order of their people, where these are counted."""
    if not len(records.person):
        return gray_order(records.offsets, records.items)
    by_person = np.argsort(records.person, kind="stable")
    offsets, positions = take_records(records.offsets, by_person)
    ordered: Int64s = by_person[gray_order(offsets, records.items[positions])]
    return ordered
