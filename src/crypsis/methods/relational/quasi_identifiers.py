"""The quasi-identifiers of a table as the kernels take them: codes, costs over one denominator, and their trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.relational import Column, Table
from crypsis.errors import BadParameter
from crypsis.hierarchy import Hierarchies, Hierarchy, Weights
from crypsis.hierarchy.hierarchies import automatic
from crypsis.hierarchy.hierarchy import unknown_hierarchy_columns
from crypsis.hierarchy.weights import equal_weights
from crypsis.kernels.attribute_costs import NUMBERS, TREE, VALUES, Attributes
from crypsis.run_context import RunContext

LARGEST_TOTAL = 1 << 61
_STEPS = 1 << 40
_MOST_DECIMALS = 9


@dataclass(frozen=True, eq=False)
class QuasiIdentifier:
    """One column with its tree, if it has one, and its share of the loss."""

    column: Column
    tree: Hierarchy | None
    weight: Fraction
    leaf_of_value: Int32s | None  # node of the leaf of each value
    shown_leaves: Int64s | None = None  # places of the leaves of published records, where these are not all at hand

    @property
    def kind(self) -> int:
        if self.tree is not None:
            return TREE
        return VALUES if self.column.type == "category" else NUMBERS

    @property
    def has_missing(self) -> bool:
        return self.column.missing > 0

    @cached_property
    def keys(self) -> Int64s:
        """The domain as whole numbers that are as far apart as the values are."""
        return whole_keys(self.column)

    @cached_property
    def node_sizes(self) -> Int64s:
        """For each node the numerator of its loss: leaves, or the width of its range."""
        tree = self.tree
        assert tree is not None
        if not tree.of_values:
            return np.where(tree.leaf_count > 1, tree.leaf_count, 0).astype(np.int64)
        keys = whole_numbers(np.array(tree.values.to_physical().to_numpy()))  # type: ignore[union-attr]
        return keys[tree.last_leaf] - keys[tree.first_leaf]

    @property
    def span(self) -> int:
        """The denominator of the loss; 0 in a constant column of numbers."""
        if self.tree is not None:
            return int(self.node_sizes[0]) if self.tree.of_values else self.tree.n_leaves
        if self.kind == VALUES:
            return len(self.column.domain)
        return int(self.keys[-1]) if len(self.keys) else 0


@dataclass(frozen=True, eq=False)
class QuasiIdentifiers:
    """All quasi-identifiers. `codes` are as `attribute_costs` describes; a record's loss is its cost / `denominator`.

    Costs are exact fractions unless the common denominator is too large for 64 bits; then each is rounded to
    1 / denominator (`exact` is False).
    """

    table: Table
    columns: tuple[QuasiIdentifier, ...]
    codes: Int32s
    attributes: Attributes
    denominator: int
    exact: bool
    weights: Int64s | None = None  # records that each row of the table stands for; one each without

    @property
    def n_records(self) -> int:
        return len(self.table) if self.weights is None else int(self.weights.sum())

    def warn(self, context: RunContext) -> None:
        """Say which columns tell nothing about anybody."""
        warn_of_empty_columns(self.columns, len(self.table), context)

    @classmethod
    def of(
        cls, table: Table, hierarchies: Hierarchies | None, weights: Weights | None, owner: str, *, trees: bool = False
    ) -> QuasiIdentifiers:
        """With `trees` every column gets a tree; otherwise numbers without one have ranges and categories sets."""
        made = made_quasi_identifiers(table.with_role("quasi"), hierarchies, weights, owner, trees=trees)
        attributes, denominator, exact = attributes_of(made, max(len(table), 1))
        return cls(table, tuple(made), quasi_codes_of(made, len(table)), attributes, denominator, exact)

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def n_values(self) -> int:
        """Above every code and every node of a tree."""
        nodes = max((len(column.tree.names) for column in self.columns if column.tree is not None), default=0)
        return max(int(self.codes.max(initial=0)) + 1, nodes)

    @cached_property
    def bit_start(self) -> Int64s:
        """Where the bits of each attribute of the kind VALUES lie; see `class_cells`."""
        words = [-(-len(column.column.domain) // 64) if column.kind == VALUES else 0 for column in self.columns]
        return offsets_of(np.array(words, np.int64))

    def loss(self, total_cost: int) -> Fraction:
        """NCP(D) from the cost of all records."""
        return Fraction(total_cost, self.denominator * max(len(self.table), 1))


def warn_of_empty_columns(columns: Sequence[QuasiIdentifier], n_records: int, context: RunContext) -> None:
    """Say which columns tell nothing about anybody."""
    for column in columns:
        if n_records and column.column.missing == n_records:
            context.warn(f"column '{column.column.name}' is missing in every record and is published as ?")


def with_shown_leaves(one: QuasiIdentifier, counts: Int64s) -> QuasiIdentifier:
    """With the leaves that records have, where all of them are published; `counts` end with the missing values."""
    if one.tree is None or one.leaf_of_value is None:
        return one
    shown = np.unique(one.tree.first_leaf[one.leaf_of_value[np.flatnonzero(counts[:-1])]])
    return replace(one, shown_leaves=shown.astype(np.int64))


def made_quasi_identifiers(
    columns: Sequence[Column],
    hierarchies: Hierarchies | None,
    weights: Weights | None,
    owner: str,
    *,
    trees: bool,
    whole: Sequence[Column] | None = None,
) -> list[QuasiIdentifier]:
    """Each column with its tree and weight. A tree that is made from the data is made from `whole`, where given."""
    if not columns:
        raise BadParameter(
            f"{owner}: the table has no quasi-identifier; give at least one column the role quasi.",
            parameter="roles",
        )
    names = [column.name for column in columns]
    if hierarchies is not None:
        unknown_hierarchy_columns((name for name, _ in hierarchies.items()), names)
    shares = equal_weights(names) if weights is None else weights.of(names)
    made = []
    for column, counted, share in zip(columns, whole or columns, shares, strict=True):
        tree = None if hierarchies is None else hierarchies.get(column.name)
        if tree is None and trees:
            tree = automatic(counted)
        leaves = None if tree is None else tree.leaves[tree.leaves_of(column.domain, column.type, column.name)]
        made.append(QuasiIdentifier(column, tree, share, leaves))
    return made


def whole_keys(column: Column) -> Int64s:
    """The domain of an ordered column as whole numbers from 0, as far apart as the values are."""
    return whole_numbers(column.keys)


def whole_numbers(values: np.ndarray[Any, Any]) -> Int64s:
    """Ascending numbers as whole numbers from 0: decimals are scaled up, finer ones rounded to 2^-40 of the span."""
    if not len(values):
        return np.zeros(0, np.int64)
    if values.dtype.kind in "iu":
        span = int(values[-1]) - int(values[0])
        if span < LARGEST_TOTAL:
            return values.astype(np.int64) - np.int64(values[0])
        values = values.astype(np.float64)
    for decimals in range(_MOST_DECIMALS + 1):
        scaled = np.rint(values * 10.0**decimals)
        if np.abs(scaled).max() >= 2**53:
            break
        if np.array_equal(scaled / 10.0**decimals, values):
            whole: Int64s = scaled.astype(np.int64)
            shifted: Int64s = whole - whole[0]
            return shifted
    span = values[-1] - values[0]
    steps: Int64s = np.rint((values - values[0]) / span * _STEPS).astype(np.int64)
    return steps


def quasi_codes_of(made: Sequence[QuasiIdentifier], n_records: int) -> Int32s:
    """One column per quasi-identifier, as the kernels take it."""
    codes = np.empty((n_records, len(made)), np.int32)
    for index, one in enumerate(made):
        column = one.column.codes
        if one.leaf_of_value is not None:
            nodes = np.append(one.leaf_of_value, np.int32(-1))  # a missing value looks up the last entry
            column = nodes[column]
        codes[:, index] = column
    return codes


def attributes_of(made: Sequence[QuasiIdentifier], n_records: int) -> tuple[Attributes, int, bool]:
    """The attributes as the kernels take them, the denominator of their costs, and whether these are exact."""
    shares = [Fraction(one.weight, one.span or 1) for one in made]
    denominator = lcm(*(share.denominator for share in shares), *(one.weight.denominator for one in made))
    exact = denominator * n_records < LARGEST_TOTAL
    if not exact:
        denominator = LARGEST_TOTAL // n_records
    unit, full = np.zeros(len(made), np.int64), np.zeros(len(made), np.int64)
    keys, parents, ends, costs = [], [], [], []
    for index, (one, share) in enumerate(zip(made, shares, strict=True)):
        full[index] = int(one.weight * denominator)
        own_keys = np.zeros(0, np.int64)
        if one.kind == NUMBERS:
            own_keys = one.keys
            if exact:
                unit[index] = int(share * denominator) if one.span else 0
            else:
                unit[index], own_keys = 1, _rounded(one.keys, int(full[index]), one.span)
        elif one.kind == VALUES:
            unit[index] = int(share * denominator)
        own_cost = np.zeros(0, np.int64)
        if one.tree is not None:
            own_cost = _rounded(one.node_sizes, int(full[index]), one.span)
            parents.append(one.tree.parent)
            ends.append(one.tree.end)
        else:
            parents.append(np.zeros(0, np.int32))
            ends.append(np.zeros(0, np.int32))
        keys.append(own_keys)
        costs.append(own_cost)
    return (
        Attributes(
            kind=np.array([one.kind for one in made], np.int8),
            unit=unit,
            full=full,
            key_start=offsets_of(np.array([len(part) for part in keys], np.int64)),
            keys=np.concatenate(keys),
            node_start=offsets_of(np.array([len(part) for part in costs], np.int64)),
            parent=np.concatenate(parents),
            end=np.concatenate(ends),
            node_cost=np.concatenate(costs),
        ),
        denominator,
        exact,
    )


def _rounded(sizes: Int64s, full: int, span: int) -> Int64s:
    """Sizes as shares of `span` times `full`; exact where that is whole."""
    if span == 0:
        return np.zeros(len(sizes), np.int64)
    distinct, inverse = np.unique(sizes, return_inverse=True)
    shares = [(2 * int(size) * full + span) // (2 * span) for size in distinct.tolist()]
    return np.array(shares, np.int64)[inverse]
