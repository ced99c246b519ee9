"""DiffPart: synthetic sets of items with noisy counts, under differential privacy.

Guarantees epsilon-differential privacy for each person, who has one record. Costs a walk over the items of the records
that are still there for each step down the tree of items.

Chen, Mohammed, Fung, Desai, Xiong. Publishing set-valued data via differential privacy. PVLDB 4, 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of, take_records
from crypsis.data.item_domain import ItemDomain
from crypsis.data.synthetic_sets import SyntheticTransactions
from crypsis.data.transaction import Transactions
from crypsis.errors import TooLarge
from crypsis.methods.contributions import bounded
from crypsis.methods.noise_thresholds import deviations_threshold, flat_threshold
from crypsis.methods.private_records import PrivateRecordMethod
from crypsis.methods.transaction.item_tree import ItemTree
from crypsis.methods.transaction.noisy_partitions import UNITS, ItemsetCounts, counted_itemsets
from crypsis.methods.transaction.partitioned_sets import MEMORY_PER_FILE_BYTE, PartitionedSets, SetsHere, SetsInShards
from crypsis.noise import Noise, provider_named, terms_of
from crypsis.noise.opendp import check_zeros
from crypsis.parameters import Above, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts

THRESHOLDS = {"bounded": "few empty combinations may pass", "printed": "as many as in the paper"}

MOST_ITEMS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class DiffPart(PrivateRecordMethod):
    """Publish sets of items that are about as frequent as the real records, found by dividing the items step by step.

    Records are divided by which parts of the list of items they touch, then by parts of these parts, down to itemsets.
    Noise is added to the number of records of every possible combination of parts, and only what passes a threshold is
    divided further. Half of epsilon goes into this; what a way has not used is added to the other half, for the count
    of its itemset. Time grows with the items that are kept, times the height of the tree. Differs from the paper: noise
    is discrete and exact, the widest part is divided first, and thresholds also bound how many empty combinations pass,
    without which long records drown in noise.

    >>> import crypsis
    >>> baskets = crypsis.Transactions.from_lists([["bread", "milk"]] * 900 + [["beer"]] * 700)
    >>> release = crypsis.anonymize(baskets, crypsis.DiffPart(
    ...     epsilon=2, fan_out=2, item_domain=crypsis.ItemDomain(["beer", "bread", "milk", "tea"])))
    >>> 1500 < release.data.records < 1700
    True
    >>> release.verify().holds
    True

    Chen, Mohammed, Fung, Desai, Xiong. Publishing set-valued data via differential privacy. PVLDB 4, 2011, 1087-1098:
    DiffPart.
    """

    choose_when = "When the baskets of very many people are published for counting, whatever an adversary knows."
    costs = "Made-up baskets; only sets that clearly more people have than the noise are in them."
    example_options = "--item-domain public-in-data"
    accepts = Transactions
    publishes = SyntheticTransactions
    stages = ("read records", "divide", "publish")

    item_domain: Annotated[ItemDomain | None, "The items that there are, whoever holds them."] = None
    fan_out: Annotated[int, Between(2, 16), "Parts that a range of the list of items is split into."] = 10
    deviations: Annotated[
        int, Between(1, 100), "Standard deviations that a combination needs, for each level that is left below it."
    ] = 2
    itemset_deviations: Annotated[int, Between(1, 100), "Standard deviations that a published itemset needs."] = 2
    thresholds: Annotated[
        str, OneOf(**THRESHOLDS), "Whether few empty combinations may pass, or as many as the paper's allow."
    ] = "bounded"
    false_children: Annotated[
        Fraction, Above(0), "Bounded thresholds: combinations made of noise alone that may pass a step on average."
    ] = Fraction(1, 20)

    def anonymize(self, data: Transactions | PrivateParts, context: RunContext) -> SyntheticTransactions:
        return self.synthesized(data, context, provider_named(self.noise))

    def synthesized(
        self, data: Transactions | PrivateParts, context: RunContext, noise: Noise
    ) -> SyntheticTransactions:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        domain = self._domain()
        with context.stage("read records"):
            tree = ItemTree.balanced(len(domain), self.fan_out)
            sets = self._sets(data, domain, tree)
        metered = self.charged(noise, records=self.records_per_person)
        with context.stage("divide"):
            itemsets = counted_itemsets(sets, tree, self.epsilon, self._threshold, metered)
        with context.stage("publish"):
            kept = self._passing(itemsets)
            published, positions = take_records(itemsets.offsets, kept)
            told, ledger = self.accounted(metered)
            told |= {"thresholds": self.thresholds, "fan_out": self.fan_out}
            told |= {"records_per_person": self.records_per_person}
            self.note_reading(data, context)
            context.private["ledger"] = ledger
            context.private["itemsets_reached"] = len(itemsets.noisy)
            context.private["records_with_an_item"] = int(sets.sizes.sum())
            return SyntheticTransactions(
                published,
                itemsets.items[positions],
                itemsets.noisy[kept],
                domain,
                told,
                ledger,
                metered.unpublishable,
            )

    def _sets(self, data: Transactions | PrivateParts, domain: ItemDomain, tree: ItemTree) -> PartitionedSets:
        """The records in the declared domain, all in one partition."""
        if isinstance(data, PrivateParts):
            shards = data.encode(encode_sets, domain)
            data.check_fits(shards, MEMORY_PER_FILE_BYTE)
            return SetsInShards(shards, tree, data.executor)
        return SetsHere(*_within(bounded(data, self.records_per_person), domain), tree)

    def _domain(self) -> ItemDomain:
        """The declared items; refuses, before anything is charged, what does not fit into the samplers."""
        if self.item_domain is None:
            raise self.missing("item_domain", "the items that there are")
        if len(self.item_domain) > MOST_ITEMS:
            raise TooLarge(f"A domain of {len(self.item_domain):,} items is too large (at most {MOST_ITEMS:,}).")
        if self.noise == "opendp":
            check_zeros(2**self.fan_out)
        terms_of(self.epsilon / UNITS / self.records_per_person)
        terms_of(self.epsilon * UNITS)
        return self.item_domain

    def _threshold(self, budget: Fraction, height: int, siblings: int) -> int:
        """From which noisy count a combination is divided further; public, whatever was counted."""
        budget /= self.records_per_person  # what the noise is drawn with
        printed = deviations_threshold(self.deviations * height, budget)
        if self.thresholds == "printed":
            return printed
        return max(printed, _bounding(budget, siblings, self.false_children))

    def _passing(self, found: ItemsetCounts) -> Int64s:
        """The itemsets that are published, in the order of their items."""
        least = np.zeros(len(found.noisy), np.int64)
        for units in np.unique(found.units).tolist():
            budget = self.epsilon * units / UNITS / self.records_per_person
            least[found.units == units] = deviations_threshold(self.itemset_deviations, budget)
        kept = np.flatnonzero(found.noisy >= least)
        bounds, items = found.offsets.tolist(), found.items.tolist()
        return np.array(sorted(kept.tolist(), key=lambda row: items[bounds[row] : bounds[row + 1]]), np.int64)


@lru_cache(maxsize=65536)
def _bounding(budget: Fraction, siblings: int, false_children: Fraction) -> int:
    return flat_threshold(budget, siblings, false_children)


def encode_sets(data: Transactions, domain: ItemDomain) -> tuple[int, tuple[Int64s, Int32s]]:
    """The records of a part in the declared domain, and how many of them have an item."""
    offsets, items = _within(data, domain)
    return int(np.count_nonzero(np.diff(offsets))), (offsets, items)


def _within(data: Transactions, domain: ItemDomain) -> tuple[Int64s, Int32s]:
    """Records in the codes of the domain, ascending; items outside it are left out, record by record."""
    codes = domain.vocabulary.encode(data.vocabulary.series)[data.items]
    records = np.repeat(np.arange(len(data)), data.lengths)[codes >= 0]
    codes = codes[codes >= 0].astype(np.int64)
    keys = np.sort(records * len(domain) + codes)
    lengths = np.bincount(keys // len(domain), minlength=len(data))
    return offsets_of(lengths), (keys % len(domain)).astype(np.int32)
