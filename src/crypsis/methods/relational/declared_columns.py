"""The columns of a table as their publisher declared them, for private methods that divide the declared domain.

Only names and roles of the data are looked at. Records are encoded one by one: what lies outside the domain is moved to
its end or left out by a rule that looks at no other record, so privacy is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl

from crypsis.arrays import Int32s
from crypsis.data.attribute_domains import AttributeDomains, CategoryDomain, NumericDomain
from crypsis.data.category_trees import CategoryTree, CategoryTrees
from crypsis.data.counted_regions import RECORDS, RegionAttribute, missing_domain
from crypsis.data.relational import Column, Table
from crypsis.errors import BadTaxonomy, NotApplicable

DeclaredDomains = Annotated[
    AttributeDomains | None, "Bounds of numbers and lists of categories, also of the class; declared public."
]
DeclaredTrees = Annotated[
    CategoryTrees | None, "Trees over categories, declared public; a column without one is not generalized in steps."
]
ClampNumbers = Annotated[bool, "Numbers outside their domain count as its nearest end; else their record is left out."]


@dataclass(frozen=True)
class ClassLabel:
    """The class that records are counted by; without a name there is one class of all records."""

    name: str | None
    domain: CategoryDomain


@dataclass(frozen=True)
class DeclaredColumns:
    """Attributes in the order of the table, the class, and who declared their domains."""

    attributes: tuple[RegionAttribute, ...]
    label: ClassLabel
    declared: str

    @classmethod
    def of(
        cls, method: str, data: Table, domains: AttributeDomains | None, trees: CategoryTrees | None
    ) -> DeclaredColumns:
        """The declared columns of a table; says in words what is not declared."""
        columns = [column for column in data.columns if column.role in ("quasi", "sensitive")]
        if not columns:
            raise NotApplicable(f"{method} needs at least one column with the role quasi or sensitive.")
        labels = data.with_role("label")
        if len(labels) > 1:
            raise NotApplicable(
                f"{method} counts by one class; {', '.join(column.name for column in labels)} are labels. Give all "
                "but one of them another role."
            )
        attributes = tuple(RegionAttribute(column.name, _domain(method, column, domains, trees)) for column in columns)
        label = (
            ClassLabel(labels[0].name, _class_domain(method, labels[0].name, domains))
            if labels
            else ClassLabel(None, CategoryDomain((RECORDS,)))
        )
        return cls(attributes, label, "declared by the publisher" if domains is None else domains.declared)

    def encoded(self, data: Table, *, clamp: bool) -> tuple[Int32s, Int32s]:
        """Cells and classes of the records that lie in the domain with all their values."""
        cells = np.stack(
            [attribute.encode(data.column(attribute.name), clamp=clamp) for attribute in self.attributes], axis=1
        )
        if self.label.name is None:
            classes: Int32s = np.zeros(len(data), np.int32)
        else:
            column = data.column(self.label.name)
            classes = np.append(self.label.domain.encode(column.domain.cast(pl.String)), np.int32(-1))[column.codes]
        kept = (cells >= 0).all(axis=1) & (classes >= 0)
        return np.ascontiguousarray(cells[kept]), np.ascontiguousarray(classes[kept]).astype(np.int32)


def encode_records(data: Table, columns: DeclaredColumns, clamp: bool) -> tuple[int, tuple[Int32s, Int32s]]:
    """The records of a part that lie in the domain: how many, their cells and classes."""
    rows, classes = columns.encoded(data, clamp=clamp)
    return len(rows), (rows, classes)


def _domain(
    method: str, column: Column, domains: AttributeDomains | None, trees: CategoryTrees | None
) -> NumericDomain | CategoryTree:
    tree = None if trees is None else trees.trees.get(column.name)
    declared = None if domains is None else domains.domains.get(column.name)
    if tree is None and declared is None:
        raise missing_domain(method, column.name)
    if isinstance(declared, NumericDomain):
        if tree is not None:
            raise BadTaxonomy(f"Column {column.name!r} has a numeric domain and a tree; give one of them.")
        return declared
    if tree is None:
        assert declared is not None
        return CategoryTree.flat(declared.labels)
    if declared is not None and set(declared.labels) != set(tree.leaves):
        odd = sorted(set(declared.labels) ^ set(tree.leaves))[0]
        raise BadTaxonomy(
            f"Column {column.name!r}: the leaves of its tree are not its declared categories; {odd!r} is in one of "
            "them only.",
            node=odd,
        )
    return tree


def _class_domain(method: str, name: str, domains: AttributeDomains | None) -> CategoryDomain:
    declared = None if domains is None else domains.domains.get(name)
    if declared is None:
        raise missing_domain(method, name)
    if isinstance(declared, NumericDomain):
        if declared.bins is not None:
            raise NotApplicable(f"The class {name!r} needs a list of values as its domain, not bins of numbers.")
        return CategoryDomain(tuple(str(int(declared.low) + value) for value in range(len(declared))))
    return declared
