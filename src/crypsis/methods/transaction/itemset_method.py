"""What methods share that protect sets of items: kind of data, guarantee, and records in memory or in shards."""

from __future__ import annotations

from abc import abstractmethod

from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee, ItemsetKmAnonymity
from crypsis.methods.method import Method
from crypsis.methods.scaling import BlockSize, RecodedRecords, Scaling
from crypsis.methods.transaction.people import unit_of
from crypsis.methods.transaction.shard_recoding import Spread
from crypsis.run_context import RunContext
from crypsis.shards.records import EncodedTransactions


class ItemsetMethod(Method):
    """A method that publishes generalized items, so that every set of up to m of them is shared."""

    accepts = Transactions
    truthful = True
    promises = ItemsetKmAnonymity
    counts_people = True
    scaling = Scaling.EXACT

    k: int  # not a field here: each method lists its parameters in its own order
    m: int

    @property
    def guarantee(self) -> ItemsetKmAnonymity:
        return ItemsetKmAnonymity(k=self.k, m=self.m)

    def guarantee_of(self, data: Transactions, published: PublishedTransactions) -> Guarantee:
        return ItemsetKmAnonymity(k=self.k, m=self.m, unit=unit_of(data))

    def anonymize(self, data: Transactions, context: RunContext) -> PublishedTransactions:
        published = self.recode(data, context)
        assert isinstance(published, PublishedTransactions)  # as records in memory are
        return published

    def anonymize_parts(
        self, data: EncodedTransactions, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedTransactions | RecodedRecords:
        return self.recode(data.one_of_each, context, Spread(data, executor))

    @abstractmethod
    def recode(
        self, data: Transactions, context: RunContext, spread: Spread | None = None
    ) -> PublishedTransactions | RecodedRecords:
        """Publish generalized items. Where the records are in shards, these are asked for counts, and the data are one
        record that holds every item."""
