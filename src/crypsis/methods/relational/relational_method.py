"""What all methods for tables have in common: their parameters, their promise, and what they tell the publisher."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import BadParameter, Infeasible
from crypsis.executors.executor import Executor
from crypsis.guarantees import AllOf, Guarantee, KAnonymity, LDiversity, TCloseness
from crypsis.guarantees.l_diversity import FORMS
from crypsis.guarantees.t_closeness import DISTANCES
from crypsis.hierarchy import Hierarchies, Weights
from crypsis.kernels.attribute_costs import Attributes
from crypsis.methods.method import Method
from crypsis.methods.relational.applied_mapping import AppliedMapping
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.quasi_identifiers import (
    QuasiIdentifier,
    QuasiIdentifiers,
    attributes_of,
    made_quasi_identifiers,
)
from crypsis.methods.relational.weighted_rows import recode_by_rows
from crypsis.methods.scaling import BlockSize, RecodedBlocks
from crypsis.parameters import Above, AtLeast, Between, Deferred, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.table import EncodedTable

ColumnHierarchies = Annotated[
    Hierarchies | None, "What values may be generalized to, by column; other columns get ranges, sets or bins."
]
ColumnWeights = Annotated[
    Weights | None, "How much the loss of each quasi-identifier counts; all the same if not said."
]


@dataclass(frozen=True, kw_only=True)
class RelationalMethod(Method):
    """A method for tables: k-anonymity, and on request diversity of every sensitive column."""

    accepts = Table
    truthful = True
    promises = KAnonymity
    needs = ("roles",)
    every_column_has_a_tree: ClassVar[bool] = False
    counts_people = True
    publishes_shards = True

    k: Annotated[
        int,
        AtLeast(1),
        "People (or records) that must share each combination of quasi-identifiers.",
    ] = 5
    hierarchy: ColumnHierarchies = None
    weights: ColumnWeights = None
    l: Annotated[int | None, AtLeast(1), "Sensitive values that must be well represented in each class."] = None  # noqa: E741
    diversity: Annotated[str, OneOf(**FORMS), "What well represented means."] = "distinct"
    c: Annotated[
        float | None, Above(0), "For recursive diversity: the most frequent value stays below c times the rare."
    ] = None
    t: Annotated[float | None, Between(0, 1), "Largest distance of a class from the whole table's distribution."] = None
    distance: Annotated[str, OneOf(**DISTANCES), "How far apart two sensitive values are for t."] = "equal"

    def __post_init__(self) -> None:
        super().__post_init__()
        recursive = self.l is not None and self.diversity == "recursive"
        if recursive != (self.c is not None):
            raise BadParameter(
                f"{type(self).__name__}: c belongs to l with diversity='recursive' and to nothing else, got "
                f"l={self.l!r}, diversity={self.diversity!r} and c={self.c!r}.",
                parameter="c",
            )
        if self.l is None and self.diversity != "distinct":
            raise BadParameter(
                f"{type(self).__name__}: diversity={self.diversity!r} says how l is counted; give l, too, or leave "
                "diversity out.",
                parameter="diversity",
            )
        if self.t is None and self.distance != "equal":
            raise BadParameter(
                f"{type(self).__name__}: distance={self.distance!r} says how t is measured; give t, too, or leave "
                "distance out.",
                parameter="distance",
            )

    @property
    def complete(self) -> bool:
        return True

    @property
    def guarantee(self) -> Guarantee:
        return AllOf.of(*self._promised())

    def guarantee_of(self, data: Table | EncodedTable, published: PublishedTable | None) -> Guarantee:
        """The promise counts people where a person has several records."""
        return AllOf.of(*self._promised("record" if data.person is None else "person"))

    def promised_parts(self) -> list[Guarantee]:
        """The promises one by one, counting records."""
        return self._promised()

    def _promised(self, unit: str = "record") -> list[Guarantee]:
        promised: list[Guarantee] = [KAnonymity(k=self.k, unit=unit)]
        if self.l is not None:
            promised.append(LDiversity(l=self.l, form=self.diversity, c=self.c, unit=unit))
        if self.t is not None:
            promised.append(TCloseness(t=self.t, distance=self.distance, unit=unit))
        return promised

    def anonymize(self, data: Table, context: RunContext) -> PublishedTable:
        ready = self.resolve(data)
        owner = type(self).__name__
        with context.stage("prepare"):
            quasi = QuasiIdentifiers.of(data, ready.hierarchy, ready.weights, owner, trees=self.every_column_has_a_tree)
            diversity = Diversity.of(data, self._promised(), owner)
            quasi.warn(context)
        published = replace(ready.generalized(quasi, diversity, context), person=data.person)
        context.private["applied_mapping"] = AppliedMapping(data, published)
        context.private["suppressed_records"] = np.flatnonzero(published.suppressed).tolist()
        context.private["exact_costs"] = quasi.exact
        return published

    def facts_of(self, data: EncodedTable) -> tuple[RelationalMethod, list[QuasiIdentifier], Attributes, int, bool]:
        """The method with hierarchies made of all data, and the quasi-identifiers with the facts of all records."""
        made_from_data = any(isinstance(value, Deferred) for value in self.parameters().values())
        ready = self.resolve(data.marginals) if made_from_data else self
        owner, trees = type(self).__name__, self.every_column_has_a_tree
        return ready, *facts_of_quasi(data, ready.hierarchy, ready.weights, owner, trees=trees)

    @abstractmethod
    def generalized(self, quasi: QuasiIdentifiers, diversity: Diversity, context: RunContext) -> PublishedTable:
        """The published table."""


@dataclass(frozen=True, kw_only=True)
class SuppressingMethod(RelationalMethod):
    """A method that recodes by trees and may leave a few records out."""

    every_column_has_a_tree = True

    max_suppressed: Annotated[float, Between(0, 1), "Share of the records that may be suppressed."] = 0.0

    def anonymize_parts(
        self, data: EncodedTable, executor: Executor, context: RunContext, block: BlockSize
    ) -> RecodedBlocks:
        return recode_by_rows(self, data, executor, context)

    def limit(self, n_records: int) -> int:
        """How many records may be suppressed: the share is the decimal number that was typed."""
        return int(Fraction(repr(self.max_suppressed)) * n_records)

    def refuse_hopeless(self, diversity: Diversity) -> None:
        """Without suppression everything together must be good enough; with it there must at least be k records."""
        if self.max_suppressed == 0:
            diversity.refuse_hopeless(self.k)
        else:
            diversity.without_constraints().refuse_hopeless(self.k)

    def refuse_everything_suppressed(self, suppressed: Bools) -> None:
        """A release in which nobody is left is none."""
        if len(suppressed) and suppressed.all():
            raise Infeasible(
                f"{type(self).__name__}: every record would be suppressed. Lower k or max_suppressed, or add records."
            )


def facts_of_quasi(
    data: EncodedTable, hierarchies: Hierarchies | None, weights: Weights | None, owner: str, *, trees: bool
) -> tuple[list[QuasiIdentifier], Attributes, int, bool]:
    """The quasi-identifiers with the facts of all records; with `trees` every column gets one."""
    columns = [column for column in data.columns if column.role == "quasi"]
    whole = [column for column in data.marginals.columns if column.role == "quasi"] if trees else None
    quasi = made_quasi_identifiers(columns, hierarchies, weights, owner, trees=trees, whole=whole)
    return quasi, *attributes_of(quasi, max(len(data), 1))


def classes_in_order(class_of: Int64s) -> Int64s:
    """Classes numbered by their first record; -1 stays."""
    records = len(class_of)
    first = np.full(int(class_of.max(initial=-1)) + 2, records)  # the last stands for -1
    first[class_of[::-1]] = np.arange(records)[::-1]  # the first record of a class is written last
    first[-1] = records
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    rank[-1] = -1
    renumbered: Int64s = rank[class_of]
    return renumbered


__all__ = ["RelationalMethod", "SuppressingMethod", "classes_in_order", "facts_of_quasi"]
