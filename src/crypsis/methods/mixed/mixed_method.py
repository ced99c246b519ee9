"""What all methods for mixed data have in common: the pair of methods that they join, their promise, their release."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, Infeasible, InfeasibleDiversity
from crypsis.executors.threads import available_workers, map_in_threads
from crypsis.guarantees import Guarantee, KKmAnonymity, KLmDiversity
from crypsis.guarantees.itemset_km_anonymity import KnownItems
from crypsis.guarantees.kkm_anonymity import SharedByRecords
from crypsis.hierarchy import FANOUT_FIVE, Hierarchies, ItemHierarchy, UtilityPolicy, Weights
from crypsis.hierarchy.item_spread import ItemSpread
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.method import Method, RandomSeed
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.item_loss import ItemLoss
from crypsis.methods.mixed.item_recoding import ItemRecoder, Recoded
from crypsis.methods.mixed.publishing import published_clusters
from crypsis.methods.relational.applied_mapping import AppliedMapping
from crypsis.methods.relational.bottom_up import BottomUp
from crypsis.methods.relational.cluster import Cluster
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
from crypsis.methods.transaction.apriori import Apriori
from crypsis.methods.transaction.coat import COAT
from crypsis.methods.transaction.lra import LRA
from crypsis.methods.transaction.pcta import PCTA
from crypsis.methods.transaction.people import holders, unit_of
from crypsis.methods.transaction.vpa import VPA
from crypsis.parameters import AtLeast, Between, Deferred, OneOf
from crypsis.run_context import RunContext

RELATIONAL: dict[str, type[RelationalMethod]] = {
    one.name(): one for one in (Cluster, Mondrian, Incognito, TopDown, BottomUp)
}
TRANSACTION: dict[str, type[Method]] = {one.name(): one for one in (PCTA, Apriori, LRA, VPA, COAT)}
_ABOUT_THE_TABLE = (Hierarchies, Weights)


@dataclass(frozen=True, kw_only=True)
class MixedMethod(Method):
    """A method for tables with a set-valued column: clusters of records, and generalized items in each of them."""

    accepts: ClassVar[type] = Mixed
    truthful: ClassVar[bool] = True
    family: ClassVar[str] = "mixed"
    promises: ClassVar[type[Guarantee]] = KKmAnonymity
    needs: ClassVar[tuple[str, ...]] = ("roles",)
    randomized: ClassVar[bool] = True
    counts_people: ClassVar[bool] = True

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
        str,
        OneOf(random="any record", first="the first record", farthest="the farthest record"),
        "For cluster: which record starts a cluster: any, the first, the farthest one.",
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

    def resolve(self, data: Mixed) -> Self:
        """Recipes for columns are carried out on the table, those for items on the items that are not sensitive."""
        made: dict[str, Any] = {
            name: value.make(data.table if value.makes in _ABOUT_THE_TABLE else _known_items(data))
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
            quasi = QuasiIdentifiers.of(data.table, ready.hierarchy, ready.weights, owner)
            recoder = ItemRecoder.of(
                data.transactions, self.k, self.m, self.l, ready._transaction_method(), ready._item_loss()
            )
            _check_sensitive(recoder, data.transactions.people)
            quasi.warn(context)
        clusters = ready.clusters(data, quasi, recoder, context)
        with context.stage("generalize items"):
            recoded = _recoded(clusters, recoder, context, owner)
        with context.stage("publish"):
            published = published_clusters(data, clusters, recoder, recoded)
            sizes = clusters.sizes
            context.private.update(
                clusters=[rows.tolist() for rows in clusters.lists()],
                largest_cluster=int(sizes.max(initial=0)),
                applied_mapping=AppliedMapping(data.table, published.table),
                suppressed_records=np.flatnonzero(published.table.suppressed).tolist(),
                exact_costs=quasi.exact,
                ncp=float(quasi.loss(clusters.cost())),
                ul=_item_loss(recoded, recoder.loss, clusters.suppressed, len(data)),
            )
        return published

    @abstractmethod
    def clusters(self, data: Mixed, quasi: QuasiIdentifiers, recoder: ItemRecoder, context: RunContext) -> Clusters:
        """The clusters whose items are generalized and published."""

    def formed(self, data: Mixed, quasi: QuasiIdentifiers) -> Clusters:
        """The classes of the relational method; its cells are forgotten for the tightest ones."""
        published = self._relational_method().anonymize(data.table, RunContext())
        class_of, _ = row_classes(np.ascontiguousarray(published.quasi_codes().astype(np.int32)))
        class_of = np.where(published.suppressed, -1, class_of)
        kept = class_of >= 0
        numbers: Int64s = np.full(len(class_of), -1, np.int64)
        numbers[kept] = np.unique(class_of[kept], return_inverse=True)[1]
        return Clusters(quasi, numbers).united()

    def _relational_method(self) -> RelationalMethod:
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


def _known_items(data: Mixed) -> Transactions:
    """The transactions without their sensitive items."""
    transactions = data.transactions
    if transactions.sensitive is None:
        return transactions
    recoder = ItemRecoder.of(transactions, 1, 1, 1, None)
    return Transactions(recoder.offsets, recoder.items, Vocabulary(list(recoder.labels)))


def _item_loss(recoded: list[Recoded], loss: ItemLoss, suppressed: int, n_records: int) -> float:
    return (sum(float(one.losses(loss).sum()) for one in recoded) + suppressed) / max(n_records, 1)


def _recoded(clusters: Clusters, recoder: ItemRecoder, context: RunContext, owner: str) -> list[Recoded]:
    """The generalized items of every cluster; largest clusters first, so that no worker is left with one at the end."""
    members = clusters.lists()
    order = sorted(range(len(members)), key=lambda cluster: -len(members[cluster]))
    made = map_in_threads(
        recoder.recoded, [members[one] for one in order], available_workers(), context.report_progress
    )
    recoded: list[Recoded | None] = [None] * len(members)
    for one, found in zip(order, made, strict=True):
        recoded[one] = found
    listed = [one for one in recoded if one is not None]
    if len(listed) < len(members):
        bad = [members[one] for one in range(len(members)) if recoded[one] is None]
        records = sum(map(len, bad))
        limited = getattr(recoder.method, "utility", None) is not None
        reason = "the utility policy keeps items apart, " if limited else ""
        remedy = "allow larger sets in the utility policy, " if limited else ""
        places = "1 cluster" if len(bad) == 1 else f"{len(bad):,} clusters"
        raise Infeasible(
            f"{owner}: the items of {records:,} records in {places} cannot be generalized enough: {reason}fewer "
            f"than k={recoder.k} of a cluster's records have items, or too many share a sensitive one. Raise delta so "
            f"that more clusters are united, {remedy}lower k or l, or leave out records without items.",
            records=records,
            clusters=len(bad),
        )
    return listed


def _check_sensitive(recoder: ItemRecoder, n_records: int) -> None:
    """A sensitive item of more than one in l records, or people, is a secret no longer, whatever is united."""
    held = holders(recoder.secret_offsets, recoder.secrets, len(recoder.secret_labels), recoder.person)
    counted = "people" if len(recoder.person) else "records"
    for label, count in zip(recoder.secret_labels, held.tolist(), strict=True):
        if count * recoder.l > n_records:
            raise InfeasibleDiversity(
                f"Sensitive item {label!r} is in {count} of {n_records} {counted}, more than one in {recoder.l}. "
                "Lower l, or leave the item out.",
                item=label,
                have=count,
                records=n_records,
            )
