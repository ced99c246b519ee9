"""What all methods for mixed data have in common: the pair of methods that they join, their promise, their release."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee, KKmAnonymity, KLmDiversity
from crypsis.guarantees.itemset_km_anonymity import KnownItems
from crypsis.guarantees.kkm_anonymity import SharedByRecords
from crypsis.hierarchy import FANOUT_FIVE, Hierarchies, ItemHierarchy, UtilityPolicy, Weights
from crypsis.hierarchy.item_spread import ItemSpread
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.method import Method, RandomSeed
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_loss import ItemLoss
from crypsis.methods.mixed.item_recoding import ItemRecoder
from crypsis.methods.mixed.mixed_blocks import anonymize_in_blocks, run_blocks
from crypsis.methods.mixed.published_blocks import published_blocks
from crypsis.methods.mixed.recoded_clusters import Prepared, publish_clusters, recode_clusters, refuse_frequent_secrets
from crypsis.methods.relational.bottom_up import BottomUp
from crypsis.methods.relational.cluster import SEED_RECORDS, Cluster
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.incognito import Incognito
from crypsis.methods.relational.mondrian import Mondrian
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import (
    ColumnHierarchies,
    ColumnWeights,
    RelationalMethod,
    SuppressingMethod,
)
from crypsis.methods.relational.top_down import TopDown
from crypsis.methods.scaling import BlockSize, RecodedBlocks, Scaling
from crypsis.methods.transaction.apriori import Apriori
from crypsis.methods.transaction.coat import COAT
from crypsis.methods.transaction.lra import LRA
from crypsis.methods.transaction.pcta import PCTA
from crypsis.methods.transaction.people import unit_of
from crypsis.methods.transaction.vpa import VPA
from crypsis.parameters import AtLeast, Between, Deferred, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.mixed import EncodedMixed, MixedFacts
from crypsis.shards.records import CountedItems

RELATIONAL: dict[str, type[RelationalMethod]] = {
    one.name(): one for one in (Cluster, Mondrian, Incognito, TopDown, BottomUp)
}
TRANSACTION: dict[str, type[Method]] = {one.name(): one for one in (PCTA, Apriori, LRA, VPA, COAT)}
_ABOUT_THE_TABLE = (Hierarchies, Weights)


@dataclass(frozen=True, kw_only=True)
class MixedMethod(Method):
    """A method for tables with a set-valued column: clusters of records, and generalized items in each of them."""

    accepts = Mixed
    truthful = True
    promises = KKmAnonymity
    needs = ("roles",)
    randomized = True
    counts_people = True
    scaling = Scaling.BLOCKS
    publishes_shards = True

    k: SharedByRecords = 5
    m: KnownItems = 2
    l: Annotated[  # noqa: E741
        int, AtLeast(1), "At most one in l of these records may hold the same sensitive item; 1 asks for nothing."
    ] = 1
    relational: Annotated[
        str, OneOf(**{name: method.__name__ for name, method in RELATIONAL.items()}), "Method that forms the clusters."
    ] = "cluster"
    transaction: Annotated[
        str,
        OneOf(**{name: method.__name__ for name, method in TRANSACTION.items()}),
        "Method that generalizes the items of a cluster.",
    ] = "pcta"
    hierarchy: ColumnHierarchies = None
    weights: ColumnWeights = None
    item_hierarchy: Annotated[ItemHierarchy, "For apriori, lra and vpa: a tree whose leaves are the items."] = (
        FANOUT_FIVE  # type: ignore[assignment]
    )
    utility: Annotated[
        UtilityPolicy | None, "For coat and pcta: which items may be generalized together; without it, all."
    ] = None
    max_suppressed: Annotated[
        float, Between(0, 1), "For incognito, top-down and bottom-up: share of the records that may be suppressed."
    ] = 0.0
    seeds: Annotated[
        str, SEED_RECORDS, "For cluster: which record starts a cluster: any, the first, the farthest one."
    ] = "random"
    seed: RandomSeed = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_suppressed and not issubclass(RELATIONAL[self.relational], SuppressingMethod):
            raise BadParameter(
                f"{type(self).__name__}: relational='{self.relational}' suppresses no records, so max_suppressed must "
                f"be 0, got {self.max_suppressed:g}.",
                parameter="max_suppressed",
            )

    @property
    def loss_form(self) -> str:
        """How the loss of items is counted."""
        return "zero"

    @property
    def bounded(self) -> dict[str, Any]:
        """The bound on a loss that is promised, by the name that the guarantee has for it."""
        return {}

    @property
    def complete(self) -> bool:
        return True

    @property
    def guarantee(self) -> Guarantee:
        return KKmAnonymity(k=self.k, m=self.m, **self.bounded)

    def guarantee_of(self, data: Mixed, published: PublishedMixed) -> Guarantee:
        unit = unit_of(data.transactions)
        if not published.sensitive:
            return KKmAnonymity(k=self.k, m=self.m, unit=unit, **self.bounded)
        return KLmDiversity(k=self.k, l=self.l, m=self.m, unit=unit, **self.bounded)

    def resolve(self, data: Mixed | MixedFacts) -> Self:
        """Recipes for columns are carried out on the table, those for items on the items that are not sensitive."""
        made: dict[str, Any] = {
            name: value.make(data.table if value.makes in _ABOUT_THE_TABLE else known_items(data.transactions))
            for name, value in self.parameters().items()
            if isinstance(value, Deferred) and self._uses(name)
        }
        return replace(self, **made) if made else self

    def _uses(self, name: str) -> bool:
        if name == "item_hierarchy":
            return self.transaction in ("apriori", "lra", "vpa") or self.loss_form == "semantic"
        return name != "utility" or self.transaction in ("pcta", "coat")

    def anonymize(self, data: Mixed, context: RunContext) -> PublishedMixed:
        ready = self.resolve(data)
        owner = type(self).__name__
        with context.stage("prepare"):
            prepared = ready.prepare(data)
            refuse_frequent_secrets(prepared.recoder, data.transactions.people)
            prepared.quasi.warn(context)
        clusters = ready.clusters(prepared, context)
        with context.stage("generalize items"):
            recoded = recode_clusters(clusters, prepared.recoder, context, owner)
        with context.stage("publish"):
            return publish_clusters(data, clusters, prepared.recoder, recoded, context)

    def prepare(self, data: Mixed) -> Prepared:
        """What clusters are made of; recipes are carried out already."""
        quasi = QuasiIdentifiers.of(data.table, self.hierarchy, self.weights, type(self).__name__)
        grouping, grouped = self.relational_method(), quasi
        if grouping.every_column_has_a_tree:
            name = type(grouping).__name__
            grouped = QuasiIdentifiers.of(data.table, self.hierarchy, self.weights, name, trees=True)
        return Prepared(data, quasi, grouped, self.recoder(data.transactions))

    def anonymize_parts(
        self, data: EncodedMixed, executor: Executor, context: RunContext, block: BlockSize
    ) -> PublishedMixed | RecodedBlocks:
        if data.is_large:
            return published_blocks(*run_blocks(self, data, executor, context, block), executor)
        return anonymize_in_blocks(self, data, executor, context, block)

    @abstractmethod
    def clusters(self, prepared: Prepared, context: RunContext) -> Clusters:
        """The clusters whose items are generalized and published."""

    def formed(self, prepared: Prepared) -> Clusters:
        """The classes of the relational method; its cells are forgotten for the tightest ones."""
        relational = self.relational_method()
        diversity = Diversity.of(prepared.data.table, relational.promised_parts(), type(relational).__name__)
        published = relational.generalized(prepared.grouped, diversity, RunContext())
        class_of, _ = row_classes(np.ascontiguousarray(published.quasi_codes().astype(np.int32)))
        class_of = np.where(published.suppressed, -1, class_of)
        kept = class_of >= 0
        numbers: Int64s = np.full(len(class_of), -1, np.int64)
        numbers[kept] = np.unique(class_of[kept], return_inverse=True)[1]
        return Clusters(prepared.quasi, numbers).united()

    def recoder(self, transactions: Transactions) -> ItemRecoder:
        """How the items of a cluster are generalized."""
        return ItemRecoder.of(transactions, self.k, self.m, self.l, self._transaction_method(), self._item_loss())

    def relational_method(self) -> RelationalMethod:
        """The method that forms the clusters."""
        kind = RELATIONAL[self.relational]
        given: dict[str, Any] = {"k": self.k, "hierarchy": self.hierarchy, "weights": self.weights}
        if issubclass(kind, SuppressingMethod):
            given["max_suppressed"] = self.max_suppressed
        if kind is Cluster:
            given |= {"seeds": self.seeds, "seed": self.seed}
        return kind(**given)

    def _item_loss(self) -> ItemLoss:
        return ItemLoss(self.loss_form, ItemSpread(self.item_hierarchy) if self.loss_form == "semantic" else None)

    def _transaction_method(self) -> Method | None:
        """None for PCTA without a utility policy, which works on arrays directly."""
        kind = TRANSACTION[self.transaction]
        given: dict[str, Any] = {"k": self.k, "m": self.m}
        if kind in (Apriori, LRA, VPA):
            given["hierarchy"] = self.item_hierarchy
        if kind is Apriori:
            given["l"] = self.l
        if kind is PCTA:
            given["objective"] = "dataset"
        if kind in (PCTA, COAT) and self.utility is not None:
            given["utility"] = self.utility
        return None if kind is PCTA and self.utility is None else kind(**given)


def known_items(transactions: Transactions) -> Transactions:
    """The transactions without their sensitive items."""
    if transactions.sensitive is None:
        return transactions
    if isinstance(transactions, CountedItems):
        return transactions.without_sensitive()
    recoder = ItemRecoder.of(transactions, 1, 1, 1, None)
    return Transactions(recoder.offsets, recoder.items, Vocabulary(list(recoder.labels)))
